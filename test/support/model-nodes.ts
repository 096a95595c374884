import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import Database from 'better-sqlite3'
import { replica } from '../../drizzle/tables.ts'
import { type App, buildApp } from '../../src/app.ts'
import { check } from '../../src/calendar/check/inspection.ts'
import { openMediaFolder } from '../../src/calendar/media/folder.ts'
import { openStore } from '../../src/calendar/store.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/database.ts'
import { applyGroups } from '../../src/features/nodes/apply.ts'
import { jsonRowsThere, prepareCopy } from '../../src/features/nodes/copy.ts'
import { type LoggedGroup, positionOf } from '../../src/features/nodes/log.ts'
import { TABLES, type Table } from '../../src/features/nodes/rows.ts'
import { connect, type Session } from '../../src/features/nodes/session.ts'
import { FEATURES } from '../../src/features.ts'
import { openDb } from '../../src/kernel/database/db.ts'
import { findDamage, findDifferences } from './damage.ts'
import {
  addUser,
  addUsers,
  ENV,
  isSame,
  type Model,
  moveClock,
  openModel,
  openModelClock,
  READERS,
  type Reply,
  type Report,
  read,
  readOf,
  send,
  serveTarget,
  type Target,
  type World,
  withoutCaches,
  write,
} from './model.ts'

/** Nodes, and an application without caches on a copy that the test brings forward, one group of writes after the other. */
export type NodesWorld = Omit<World, 'follow'> & {
  /** The last group that PostgreSQL has. */
  head(): Promise<number>
  /** Lets PostgreSQL have the time of the model as well; to be called whenever that was moved. */
  tellTime(): Promise<void>
  /** Brings what was written to the reference, and calls `each` after every group. */
  follow(each?: (seq: number) => Promise<void>): Promise<void>
  /** Ends the nodes, and says what their copies have that PostgreSQL does not, or the other way round, and what `check` finds. */
  compareAll(): Promise<string[]>
}

const quiet = { print() {}, progress() {} }

/** A clock of PostgreSQL that is set by hand: a function before its own, for all sessions that begin later. */
const MODEL_CLOCK = `
  create schema model;
  create table model.clock (at timestamptz);
  insert into model.clock values (now());
  create function model.clock_timestamp() returns timestamptz language sql as 'select at from model.clock';
  do $$ begin execute format('alter database %I set search_path = model, pg_catalog, public', current_database()); end $$`

/**
 * Nodes of one empty database, as applications in this process or as `processes`, with copies in `folder`; a reference that
 * follows where it is told to; and a user of every role.
 */
export async function openNodes(
  url: string,
  folder: string,
  count: number,
  processes = false,
): Promise<NodesWorld> {
  mkdirSync(folder, { recursive: true })
  const clockFile = join(folder, 'clock')
  const clock = openModelClock(clockFile)
  const copyOf = (name: string) => ({
    REPLICA: join(folder, `${name}.db`),
    MEDIA_DIR: join(folder, `${name}-media`),
  })
  const names = Array.from({ length: count }, (_, at) => `node${at}`)
  const start = async (name: string): Promise<Target> => {
    if (processes) return serveTarget(url, { ...copyOf(name), CLOCK: clockFile })
    const config = readConfig({ ...ENV, ...copyOf(name), DATABASE: url })
    await prepareCopy({ url, file: config.database }, quiet)
    return buildApp({ config, clock: () => clock.now })
  }
  const session = await connect(url)
  let line: Promise<unknown> = Promise.resolve()
  /** One question after the other. */
  const ask = <T>(statement: string): Promise<T[]> => {
    const answer = line.then(() => session.ask<T>(statement, 60_000))
    line = answer.catch(() => {})
    return answer
  }
  /** Gives PostgreSQL the time of the model: processes compare their clocks with its. */
  const tellTime = async () => {
    if (processes) await ask(`update model.clock set at = to_timestamp(${clock.now} / 1000.0)`)
  }
  if (processes) {
    await ask(MODEL_CLOCK)
    await tellTime()
  }
  const nodes: Target[] = []
  for (const name of names) nodes.push(await start(name))

  // like a command: another node, which asks for what it lacks before it writes
  const scribe = readConfig({ ...ENV, ...copyOf('scribe'), DATABASE: url })
  await prepareCopy({ url, file: scribe.database }, quiet)
  const writer = await openDatabase(scribe)
  const { timezone: zone, currency, languages } = scribe
  const store = openStore(writer, { clock: () => clock.now, zone, currency, languages }, FEATURES)

  const { REPLICA, MEDIA_DIR } = copyOf('reference')
  await prepareCopy({ url, file: REPLICA }, quiet)
  const config = readConfig({ ...ENV, DATABASE: REPLICA, MEDIA_DIR })
  const alone = await openCopy(REPLICA, () => buildApp({ config, clock: () => clock.now }))
  const reference = withoutCaches(alone, () => `${positionOf(alone.store.db.read)!.seq} ${clock.now}`)
  const end = async () => {
    await Promise.all([...nodes, reference].map((app: Target) => app.close()))
    writer.close()
  }
  return {
    ...{ clock, cached: nodes, reference, tellTime },
    known: await addUsers(store),
    async addUser(login, role) {
      await writer.fresh!()
      return addUser(store, login, role)
    },
    async head() {
      return (await ask<{ seq: number }>('select seq from almanac.head'))[0]!.seq
    },
    follow: (each = async () => {}) => follow(reference, ask, each),
    async compareAll() {
      for (const node of nodes) await node.inject({ url: '/', headers: {} })
      await end()
      const found: string[] = []
      for (const name of [...names, 'reference'])
        for (const what of await compareCopy(session, copyOf(name))) {
          // the reference notes the use of credentials for itself
          if (name !== 'reference' || !/^(tokens|application_passwords): /.test(what))
            found.push(`${name}: ${what}`)
        }
      session.cut()
      return found
    },
    async close() {
      if (session.isOver()) return
      session.cut()
      await end()
    },
  }
}

/** Opens a copy as if it were a database of its own, which a service refuses, and lets it be a copy again. */
async function openCopy(file: string, open: () => Promise<App>): Promise<App> {
  const db = new Database(file)
  const row = db.prepare('delete from replica returning *').get() as typeof replica.$inferInsert
  db.close()
  const app = await open()
  await app.store.db.local(async (tx) => void (await tx.insert(replica).values(row)))
  return app
}

/** Applies the groups that the reference lacks, one by one. */
async function follow(
  { store: { db } }: App,
  ask: <T>(statement: string) => Promise<T[]>,
  each: (seq: number) => Promise<void>,
) {
  for (;;) {
    const { seq } = positionOf(db.read)!
    const groups = await ask<LoggedGroup>(
      `select seq, commit_id, rows from almanac.log where seq > ${seq} order by seq limit 50`,
    )
    if (groups.length === 0) return
    for (const group of groups) {
      await db.local(async (tx) => {
        await applyGroups(tx, [group])
      })
      await new Promise(setImmediate) // its reads see that from the next turn on
      await each(group.seq)
    }
  }
}

/** What a closed copy has that PostgreSQL does not, or the other way round, and what is wrong in itself. */
async function compareCopy(
  session: Session,
  { REPLICA, MEDIA_DIR }: { REPLICA: string; MEDIA_DIR: string },
): Promise<string[]> {
  const found: string[] = []
  const file = new Database(REPLICA, { readonly: true })
  await session.run('begin')
  for (const table of TABLES) found.push(...(await compareTable(session, file, table)))
  await session.run('commit')
  file.close()
  const config = readConfig({ ...ENV, DATABASE: REPLICA })
  const db = openDb(REPLICA)
  const { timezone: zone, currency, languages } = config
  const site = { clock: () => 0, zone, currency, languages }
  if (!existsSync(MEDIA_DIR)) mkdirSync(MEDIA_DIR)
  await check(db, site, openMediaFolder(MEDIA_DIR), {
    found: ({ what }) => void found.push(`check: ${what}`),
    progress() {},
  })
  found.push(...findDamage(db), ...(await findDifferences(db, site)))
  db.close()
  return found
}

/** SQLite has no booleans, and a row is the same in any order of its columns. */
const valuesOf = (row: string, { columns }: Table) => {
  const values = JSON.parse(row) as Record<string, unknown>
  return columns.map(({ name }) => (typeof values[name] === 'boolean' ? Number(values[name]) : values[name]))
}

async function compareTable(session: Session, file: Database.Database, table: Table): Promise<string[]> {
  const order = table.keys.map((key) => `"${key}"`)
  const here = file
    .prepare(`select ${table.toJson} from main.${table.name} t order by ${order}`)
    .pluck()
    .all() as string[]
  const there: string[] = []
  for await (const rows of jsonRowsThere(session, table)) there.push(...rows)
  const found =
    here.length === there.length ? [] : [`${table.name} has ${here.length} rows, not ${there.length}`]
  there.forEach((row, at) => {
    if (here[at] !== undefined && !isDeepStrictEqual(valuesOf(here[at], table), valuesOf(row, table)))
      found.push(`${table.name}: ${here[at]} and not ${row}`)
  })
  return found
}

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
