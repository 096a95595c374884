import { setTimeout as pause } from 'node:timers/promises'
import { COPY_AGE } from '../../../src/kernel/output/header-values.ts'
import { EVENT } from '../../../test/support/given.ts'
import {
  type Answer,
  ask,
  caughtUp,
  readAll,
  readTitles,
  type ServedNode,
} from '../../../test/support/served-nodes.ts'
import { until } from '../../../test/support/until.ts'

/** An event as its writer knows it: with the title that was acknowledged, and one that may have been written. */
type Known = { id: number; title: string; perhaps?: string }

export type LoadReport = {
  /** Writes that were answered with success, refused with nothing written, and of unknown outcome. */
  acknowledged: number
  refused: number
  unknown: number
  /** Of these: found there. */
  kept: number
  reads: number
  losses: string[]
}

/** Answers that say that nothing was written. */
const REFUSALS = ['database_unavailable', 'database_busy', 'rest_not_ready']

type What = 'done' | 'refused' | 'unknown'

function outcomeOf({ status, headers, text }: Answer): What | 'wrong' {
  if (status < 300) return 'done'
  const { code, data } = JSON.parse(text)
  if (status === 503 && headers.get('retry-after') === null) return 'wrong'
  if (status === 503 && REFUSALS.includes(code)) return 'refused'
  if (status === 503 && code === 'outcome_unknown') return 'unknown'
  return status === 500 && data.written ? 'done' : 'wrong'
}

/** The ID of a record that an answer is about: itself, or the one whose address an error names. */
const idOf = (text: string): number => {
  const { id, data } = JSON.parse(text)
  return id ?? Number(data.address.split('/').at(-1))
}

/** Clients that write to nodes and read from them, and remember what they were told. */
export function openLoad(nodes: ServedNode[], authorization: string, clients = 3) {
  const report: LoadReport = { acknowledged: 0, refused: 0, unknown: 0, kept: 0, reads: 0, losses: [] }
  const known: Known[] = []
  /** Titles of creates whose outcome is not known, and of writes that were refused. */
  const perhaps = new Set<string>()
  const refused = new Set<string>()
  let running = true
  const lose = (what: string) => void (report.losses.length < 50 && report.losses.push(what))

  async function send(node: ServedNode, method: string, path: string, body: object) {
    try {
      const answer = await ask(node, method, path, { authorization, body })
      const what = outcomeOf(answer)
      if (what === 'wrong') lose(`${method} ${path}: ${answer.status} ${answer.text}`)
      return { what: what === 'wrong' ? ('unknown' as const) : what, text: answer.text }
    } catch (error) {
      const { code } = (error as { cause?: { code?: string } }).cause ?? {}
      return { what: code === 'ECONNREFUSED' ? ('refused' as const) : ('unknown' as const), text: '' }
    }
  }

  /** Whoever writes sees it on every node, unless that says that it may lack something. */
  async function look(node: ServedNode, { id, title }: Known) {
    const answer = await ask(node, 'GET', `/events/${id}`, { authorization }).catch(() => undefined)
    if (!answer || answer.headers.get(COPY_AGE) !== null) return
    report.reads++
    if (answer.status !== 200 || JSON.parse(answer.text).title !== title)
      lose(`after the answer, event ${id} is not "${title}" on a node: ${answer.status} ${answer.text}`)
  }

  async function write(client: number, mine: Known[], number: number) {
    const node = nodes[(client + (client === 2 ? number : 0)) % nodes.length]!
    const title = `load ${client} ${number}`
    const target = number % 3 === 2 ? mine.filter((one) => !one.perhaps).at(-1 - (number % 4)) : undefined
    const { what, text } = target
      ? await send(node, 'PATCH', `/events/${target.id}`, { title })
      : await send(node, 'POST', '/events', { ...EVENT, title, tags: [`tag ${client}`] })
    report[what === 'done' ? 'acknowledged' : what]++
    if (what === 'refused') refused.add(title)
    if (what === 'unknown' && target) target.perhaps = title
    else if (what === 'unknown') perhaps.add(title)
    if (what !== 'done') return pause(50)
    const one = target ?? { id: idOf(text), title }
    one.title = title
    if (!target) mine.push(one)
    return look(nodes[(number + 1) % nodes.length]!, one)
  }

  async function writeOn(client: number) {
    const mine: Known[] = []
    for (let number = 0; running; number++) {
      const before = mine.length
      await write(client, mine, number)
      known.push(...mine.slice(before))
    }
  }

  /** Reads without credentials, which are answered from what was kept, are answered as long as the process runs. */
  async function readOn(node: ServedNode) {
    for (; running; await pause(20)) {
      const answer = await ask(node, 'GET', '/events?per_page=5').catch(() => undefined)
      if (answer && answer.status !== 200) lose(`a read: ${answer.status} ${answer.text}`)
      if (answer) report.reads++
    }
  }

  const all = [
    ...Array.from({ length: clients }, (_, client) => writeOn(client)),
    ...nodes.map((node) => readOn(node)),
  ]

  return {
    report,
    /** Waits until so many more writes were acknowledged. */
    async acknowledged(more: number) {
      const goal = report.acknowledged + more
      await until(() => report.acknowledged >= goal, nodes[0]!.output)
    },
    /**
     * Ends all clients, waits until all nodes have everything, and compares: what was acknowledged is there once on each, what was
     * refused is nowhere, and all give the same answers. `lost` are writes that a failover may have lost.
     */
    async finish(others: ServedNode[] = []): Promise<LoadReport> {
      running = false
      await Promise.all(all)
      const [first, ...rest] = [...nodes, ...others]
      for (const node of [first!, ...rest]) await caughtUp(node, authorization)
      compare(await readTitles(first!))
      const answers = await readAll(first!)
      for (const [at, node] of rest.entries())
        for (const [path, answer] of await readAll(node))
          if (answers.get(path) !== answer)
            lose(`node ${at + 1} answers ${path} with ${answer}, not ${answers.get(path)}`)
      return report
    },
  }

  function compare(titles: Map<number, string>) {
    const counts = new Map<string, number>()
    for (const title of titles.values()) counts.set(title, (counts.get(title) ?? 0) + 1)
    for (const [title, count] of counts) if (count > 1) lose(`"${title}" is there ${count} times`)
    for (const { id, title, perhaps } of known) {
      if (perhaps && titles.get(id) === perhaps) report.kept++
      else if (titles.get(id) !== title) lose(`event ${id} is "${titles.get(id)}", not "${title}"`)
    }
    for (const title of refused) if (counts.has(title)) lose(`"${title}" is there, though it was refused`)
    const all = new Set(known.map(({ id }) => id))
    for (const [id, title] of titles) {
      if (all.has(id)) continue
      if (perhaps.has(title)) report.kept++
      else lose(`"${title}" is there, and nobody was told so`)
    }
  }
}
