import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { COPY_AGE } from '../../src/kernel/output/header-values.ts'
import { findDamage, findDifferences } from './damage.ts'
import { basicAuth } from './given.ts'
import { freePort } from './ports.ts'
import { firstPassword, openBuilt, openFile, startProgram } from './process.ts'
import { until } from './until.ts'

type Started = ReturnType<typeof startProgram>

/** A process of the service that answers from a copy; it keeps its port and its copy when it starts again. */
export type ServedNode = {
  root: string
  file: string
  start(): Promise<void>
  kill(): Promise<void>
  stop(): Promise<void>
  pid(): number
  /** What it printed since it was first started. */
  output(): string
}

export const BASE_URL = 'http://calendar.test'

/** What a node says and ends, if PostgreSQL needs longer for its first writes than it waits; whoever looks after it starts it again. */
const BUSY = 'does not answer; nothing was written'
const STARTS = 10

/** A node that is yet to be started. */
export async function openNode(
  t: Pick<Test, 'teardown'>,
  folder: string,
  url: string,
  env: Record<string, string> = {},
): Promise<ServedNode> {
  const port = await freePort()
  const file = join(folder, `${port}`, 'copy.db')
  let started: Started | undefined
  let before = ''
  const end = async (signal: NodeJS.Signals) => {
    started!.child.kill(signal)
    await started!.ended
  }
  return {
    root: `http://127.0.0.1:${port}/calendar/events/v1`,
    file,
    async start() {
      // all nodes give the same links, as behind one address
      const given = { DATABASE: url, REPLICA: file, PORT: String(port), BASE_URL, ...env }
      for (let tries = 0; tries < STARTS; tries++) {
        before += started?.output() ?? ''
        started = startProgram(t, openBuilt(), ['serve'], { LOG_LEVEL: 'warn', STOP_TIMEOUT: '1', ...given })
        await started.said(/answers at/)
        if (started.output().includes('answers at')) return
        if (!started.output().includes(BUSY)) break
      }
      throw new Error(`a node ended: ${started!.output()}`)
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    pid: () => started!.child.pid!,
    output: () => before + (started?.output() ?? ''),
  }
}

/** Milliseconds that an answer is waited for: longer than a database stands still in a test. */
const PATIENCE = 60_000

/** The credentials of the user that the first start of the first node made. */
export const credentialsOf = ({ file }: ServedNode) => basicAuth('admin', firstPassword(file))

export type Answer = { status: number; headers: Headers; text: string }

export async function ask(
  node: ServedNode,
  method: string,
  path: string,
  { authorization, body, ...headers }: { authorization?: string; body?: object; 'if-match'?: string } = {},
): Promise<Answer> {
  const answer = await fetch(node.root + path, {
    method,
    headers: {
      ...headers,
      ...(authorization && { authorization }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/**
 * Asks as a client does that heeds `Retry-After`: on a slow machine a node may lack what another one wrote for longer than it waits. Not where it is unknown
 * whether something was written.
 */
export const askAgain = (...given: Parameters<typeof ask>): Promise<Answer> =>
  until(async () => {
    const answer = await ask(...given)
    const after = answer.headers.get('retry-after')
    if (answer.status !== 503 || after === null || answer.text.includes('outcome_unknown')) return answer
    await pause(Number(after) * 1_000)
    return undefined
  }, given[0].output)

/** Waits until a node knows that it has everything. */
export const caughtUp = (node: ServedNode, authorization: string) =>
  until(async () => {
    const answer = await ask(node, 'GET', '/tags', { authorization }).catch(() => undefined)
    return answer?.status === 200 && answer.headers.get(COPY_AGE) === null
  }, node.output)

const LIST = '/events?start_date=2000-01-01&per_page=50'
const OTHERS = [
  '/tags?hide_empty=false',
  '/venues',
  '/events?search=load',
  '/changes?kind=event&per_page=500',
]

/** A sync token is another in each answer. */
const SEALED = /"next_sync_token":"[^"]+"/

/** Everything that a node answers about its events, by path; asked twice, because the second answer may be one that was kept. */
export async function readAll(node: ServedNode): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const read = async (path: string) => {
    let answer: Answer
    for (let time = 0; time < 2; time++) {
      answer = await ask(node, 'GET', path)
      answers.set(
        `${path} (${time})`,
        `${answer.status} ${answer.headers.get('etag')?.replace('W/', '')} ${answer.text.replace(SEALED, '')}`,
      )
    }
    return JSON.parse(answer!.text)
  }
  for (let page = 1, pages = 1; page <= pages; page++)
    pages = (await read(`${LIST}&page=${page}`)).total_pages
  for (const path of OTHERS) await read(path)
  return answers
}

/** The titles of all events of a node by ID. */
export async function readTitles(node: ServedNode): Promise<Map<number, string>> {
  const titles = new Map<number, string>()
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { text } = await ask(node, 'GET', `${LIST}&page=${page}`)
    const { events, total_pages } = JSON.parse(text)
    for (const { id, title } of events) titles.set(id, title)
    pages = total_pages
  }
  return titles
}

/** What is wrong with the copies of nodes that were stopped: damage, and derived data that differs from its rows. */
export async function inspectCopies(nodes: ServedNode[]): Promise<string[]> {
  const found: string[] = []
  for (const { file } of nodes) {
    const store = openFile(file)
    found.push(...findDamage(store.db), ...(await findDifferences(store.db, store.site)))
    store.db.close()
  }
  return found
}
