import { Session } from 'node:inspector/promises'
import { parseArgs } from 'node:util'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'

// npm run stations [-- --only list]: through which files of src a request runs, counted by V8 between two requests: those on the
// way of every request, which a request without a route runs through as well, and those on its own

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const ROOT = '/calendar/events/v1'
const SOURCES = new URL('../src/', import.meta.url).href

const config = readConfig({ DATABASE: ':memory:', MAX_DELAY: '0', LOG_LEVEL: 'silent' })
const app = await buildApp({ config })
const { password } = (await app.store.users.add('stations', 'administrator'))!
const authorization = `Basic ${Buffer.from(`stations:${password}`).toString('base64')}`
const event = (name: string) => ({
  ...{ title: name, start_date: 'tomorrow 19:30', end_date: 'tomorrow 21:00' },
  ...{ venue: { venue: `Hall of ${name}` }, categories: ['Music'], tags: ['free'] },
})

let asked = 0
/** Requests that no cache answers. */
const REQUESTS: Record<string, [method: 'GET' | 'POST', path: () => string]> = {
  list: ['GET', () => `${ROOT}/events?x=${++asked}`],
  create: ['POST', () => `${ROOT}/events`],
  feed: ['GET', () => `${ROOT}/events.ics?x=${++asked}`],
  page: ['GET', () => `/events/?search=${++asked}`],
}
/** What a request runs through that finds no route, and so what every request does. */
const NOTHING = '/nothing'

async function send(method: 'GET' | 'POST', url: string) {
  const payload = method === 'POST' ? { headers: { authorization }, payload: event(`Event ${++asked}`) } : {}
  const { statusCode, body } = await app.inject({ method, url, ...payload })
  if (statusCode >= 300) throw new Error(`${method} ${url}: ${statusCode} ${body}`)
}

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** The files of src that something ran in since the last count. */
async function filesRun(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ url }) => url.startsWith(SOURCES))
    .filter(({ functions }) => functions.some(({ ranges: [all] }) => all!.count > 0))
    .map(({ url }) => url.slice(SOURCES.length).replace(/\?.*$/, ''))
    .sort()
}

/** The files that a request of this kind runs through each time. */
async function stationsOf(send: () => Promise<void>): Promise<string[]> {
  // what runs for the first requests only, once in a while or by a timer is no station
  for (let time = 0; time < 5; time++) await send()
  await new Promise((resolve) => setTimeout(resolve, 100))
  const runs: string[][] = []
  for (let time = 0; time < 3; time++) {
    await filesRun()
    await send()
    runs.push(await filesRun())
  }
  return runs[0]!.filter((file) => runs.every((run) => run.includes(file)))
}

const everywhere = await stationsOf(async () => void (await app.inject({ url: NOTHING })))
for (const [name, [method, path]] of Object.entries(REQUESTS)) {
  if (values.only !== undefined && values.only !== name) continue
  const files = await stationsOf(() => send(method, path()))
  const own = files.filter((file) => !everywhere.includes(file))
  const shared = files.filter((file) => everywhere.includes(file))
  process.stdout.write(
    `${name}: ${files.length} files, of which ${shared.length} are on the way of every request and ${own.length} on its own\n`,
  )
  for (const file of own) process.stdout.write(`  ${file}\n`)
  process.stdout.write(`  (every request: ${shared.join(', ')})\n`)
}
session.disconnect()
await app.close()
