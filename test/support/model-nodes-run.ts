import { setTimeout as pause } from 'node:timers/promises'
import { isSame, type Reply, send } from './model.ts'
import { type NodesWorld, openNodes } from './model-nodes.ts'
import { type Model, moveClock, openModel, READERS, readOf, write } from './model-requests.ts'
import { type Report, read } from './model-run.ts'

export type NodesReport = Report & {
  /** Reads beside writes, and those of them that showed a state before the last one. */
  beside: number
  behind: number
  /** Groups of writes that were compared. */
  states: number
}

/** A read that is asked for again and again while others write. */
type Question = { path: string; who: string | undefined }
/** What a node said, and between which groups it may be: the last one before the question, if it has to be known, and after the answer. */
type Observed = { question: number; least: number; most: number; reply: Reply }
/** What is right after a group of writes. */
type State = { seq: number; replies: Reply[] }

const QUESTIONS = 4
/** Clients that read from each node beside writes, and most milliseconds between their reads. */
const CLIENTS = 2
const REST = 20
/** Writes that are under way at the same time. */
const MOST_AT_ONCE = 24

const words = (reply: Reply) => `${reply.status} ${reply.text}`

/** Reads of one client of one node, one after the other, until `done`. */
async function observe(
  { world, random }: Model & { world: NodesWorld },
  node: number,
  questions: Question[],
  done: () => boolean,
): Promise<Observed[]> {
  const seen: Observed[] = []
  do {
    const question = random.below(questions.length)
    const { path, who } = questions[question]!
    const least = who === undefined ? 0 : await world.head()
    const reply = await send(world.cached[node]!, 'GET', path, who)
    seen.push({ question, least, most: await world.head(), reply })
    await pause(random.below(REST))
  } while (!done())
  return seen
}

/**
 * Holds what a client saw to the states: signed in, one that is no older than the question; without credentials any, but none that is
 * older than one seen before, and never anything else. Returns how many answers showed an older state than the last one.
 */
function judge(states: State[], questions: Question[], seen: Observed[]): number {
  let from = 0
  let behind = 0
  for (const { question, least, most, reply } of seen) {
    const at = states.findIndex(
      ({ seq, replies }, index) =>
        index >= from && seq >= least && seq <= most && isSame(replies[question]!, reply),
    )
    if (at < 0) {
      const { path, who } = questions[question]!
      const shown = states.map((state) => `${state.seq}: ${words(state.replies[question]!)}`)
      throw new Error(
        `GET ${path} ${who === undefined ? 'without' : 'with'} credentials is of no state from ${Math.max(least, states[from]!.seq)} to ${most}:\n${words(reply)}\nbut\n${shown.join('\n')}`,
      )
    }
    const last = states.findLastIndex(({ seq }) => seq <= most)
    if (!isSame(states[last]!.replies[question]!, reply)) behind++
    from = at
  }
  return behind
}

/** Writes at random nodes between reads at random nodes, with a clock that stands still, and holds every read to the states there were. */
async function runEpisode(model: Model & { world: NodesWorld }, report: NodesReport) {
  const { world, random } = model
  const { administrator } = world.known
  // what is due is published, and every node has it
  for (const node of world.cached) await send(node, 'GET', '/tags', administrator.authorization)
  for (const node of world.cached) await send(node, 'GET', '/tags', administrator.authorization)
  await world.follow()
  const questions: Question[] = Array.from({ length: QUESTIONS }, () => {
    const role = random.of(READERS)
    return { path: readOf(model).path, who: role && world.known[role].authorization }
  })
  const replies = async () => {
    const all: Reply[] = []
    for (const { path, who } of questions) all.push(await send(world.reference, 'GET', path, who))
    return all
  }
  const states: State[] = [{ seq: await world.head(), replies: await replies() }]
  let writing = true
  const observers = world.cached.flatMap((_, node) =>
    Array.from({ length: CLIENTS }, () => observe(model, node, questions, () => !writing)),
  )
  try {
    for (let batches = 1 + random.below(4); batches > 0; batches--) {
      const batch = 1 + random.below(MOST_AT_ONCE)
      const done = await Promise.all(Array.from({ length: batch }, () => write(model)))
      report.writes += batch
      report.done += done.filter(Boolean).length
    }
  } finally {
    writing = false
    await Promise.allSettled(observers)
  }
  await world.follow(async (seq) => void states.push({ seq, replies: await replies() }))
  report.states += states.length
  for (const seen of await Promise.all(observers)) {
    report.beside += seen.length
    report.behind += judge(states, questions, seen)
  }
}

/**
 * The model over nodes: writes of every kind at random nodes, reads at random nodes beside them and after them. Throws with the seed
 * where an answer is not of a state that it may be of, and if at the end a copy is not what PostgreSQL keeps.
 */
export async function runNodes(
  url: string,
  folder: string,
  seed: number,
  { writes, nodes, processes = false }: { writes: number; nodes: number; processes?: boolean },
): Promise<NodesReport> {
  const world = await openNodes(url, folder, nodes, processes)
  const model = { ...openModel(world, seed), world }
  const { random } = model
  const report: NodesReport = { writes: 0, done: 0, reads: 0, checks: 0, beside: 0, behind: 0, states: 0 }
  try {
    while (report.writes < writes) {
      moveClock(model)
      await world.tellTime()
      await runEpisode(model, report)
      // with nothing under way, a node that was asked with credentials shows the last state to everybody
      const { subscriber } = world.known
      for (const node of world.cached) await send(node, 'GET', '/tags?per_page=1', subscriber.authorization)
      for (let left = random.below(8); left > 0; left--, report.reads++) await read(model)
    }
    const found = await world.compareAll()
    report.checks += nodes
    if (found.length > 0) throw new Error(found.slice(0, 5).join('\n'))
  } catch (error) {
    throw new Error(`seed ${seed}, after ${report.writes} writes: ${(error as Error).message}`, {
      cause: error,
    })
  } finally {
    await world.close()
  }
  return report
}
