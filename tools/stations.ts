import { Session } from 'node:inspector/promises'
import { parseArgs } from 'node:util'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'

// npm run stations [-- --only list]: through which files of src a request runs, counted by V8 between two requests

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
/** Requests that no cache answers, and how many files they should run through at most. */
const REQUESTS: Record<string, [most: number | undefined, method: 'GET' | 'POST', path: () => string]> = {
  list: [25, 'GET', () => `${ROOT}/events?x=${++asked}`],
  create: [45, 'POST', () => `${ROOT}/events`],
  feed: [35, 'GET', () => `${ROOT}/events.ics?x=${++asked}`],
  page: [undefined, 'GET', () => `/events/?search=${++asked}`],
}

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

for (const [name, [most, method, path]] of Object.entries(REQUESTS)) {
  if (values.only !== undefined && values.only !== name) continue
  // what runs once in a while, or for the first request only, is no station
  for (let time = 0; time < 5; time++) await send(method, path())
  await new Promise((resolve) => setTimeout(resolve, 100))
  await filesRun()
  await send(method, path())
  const files = await filesRun()
  process.stdout.write(`${name}: ${files.length} files${most === undefined ? '' : `, ${most} at most`}\n`)
  for (const file of files) process.stdout.write(`  ${file}\n`)
}
session.disconnect()
await app.close()
