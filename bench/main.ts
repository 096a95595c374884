import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { type DataSet, NOW, openData, openRandom } from './data.ts'
import { type Figures, load, median, type Request, type Server, startServer } from './load.ts'

const ROOT = '/calendar/events/v1'
const DAY = 86_400_000
const CONNECTIONS = 32

/** A load and what it is called; each request of `uncached` ones has an address that was never asked for. */
type Scenario = { name: string; requests: Request[]; uncached: boolean }

const date = (day: number) => new Date(NOW + day * DAY).toISOString().slice(0, 10)

/** The loads that are measured, the same for the same data set and round. */
function scenariosOf(
  { events, venues, organizers, categories, tags }: DataSet,
  token: string,
  round: number,
): Scenario[] {
  const random = openRandom(round + 1)
  const pick = (count: number) => Math.floor(random() * count)
  const firstEvent = venues + organizers + 1
  let unique = 0
  const many = (path: () => string): Request[] =>
    Array.from({ length: 2_000 }, () => {
      const at = path()
      return { path: `${ROOT}${at}${at.includes('?') ? '&' : '?'}x=${round}-${unique++}` }
    })
  const within = () => `start_date=${date(pick(2_000) - 1_000)}&end_date=${date(2_000)}`
  const uncached = (name: string, path: () => string) => ({ name, requests: many(path), uncached: true })
  const kept = (name: string, path: string, headers = {}) => ({
    name,
    requests: [{ path: ROOT + path, headers }],
    uncached: false,
  })
  const pages = Math.max(1, Math.floor((events * 0.2) / 12))
  return [
    kept('list, repeated', '/events'),
    kept('one event, repeated', `/events/${firstEvent}`),
    kept('list, 304', '/events', { 'if-none-match': '*' }),
    uncached('list, default window', () => '/events'),
    uncached('list, other windows', () => `/events?${within()}`),
    uncached('list, deep pages', () => `/events?page=${1 + pick(pages)}`),
    uncached('list of a category', () => `/events?categories=${1 + pick(categories)}&${within()}`),
    uncached('list of a tag', () => `/events?tags=${categories + 1 + pick(tags)}&${within()}`),
    uncached('list of a venue', () => `/events?venue=${1 + pick(venues)}&${within()}`),
    uncached('list of an organizer', () => `/events?organizer=${venues + 1 + pick(organizers)}&${within()}`),
    uncached('list, featured', () => `/events?featured=true&${within()}`),
    uncached('one event by ID', () => `/events/${firstEvent + pick(events)}`),
    uncached('venues', () => '/venues'),
    uncached('categories', () => '/categories'),
    {
      name: 'create',
      uncached: true,
      requests: [
        {
          method: 'POST',
          path: `${ROOT}/events`,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            title: 'A benchmark',
            description: 'Some text of it.',
            start_date: '2027-01-01 10:00:00',
            end_date: '2027-01-01 12:00:00',
            venue: 1,
          }),
        },
      ],
    },
  ]
}

type Result = {
  scenario: string
  bytes: number
  rate: number
  cpu: number
  p50: number
  p99: number
  failures: number
  limit: number
  ratio: number
}

const middle = (rounds: Figures[], name: keyof Figures) => median(rounds.map((figures) => figures[name]))

/** Measures a scenario and the bare limit of the same bytes in turn. */
async function measure(
  server: Server,
  name: string,
  dataOf: (round: number) => Scenario,
  rounds: number,
  seconds: number,
  folder: string,
): Promise<Result> {
  const first = dataOf(0).requests[0]!
  const answer = await fetch(server.url + first.path, {
    method: first.method ?? 'GET',
    headers: first.headers ?? {},
    body: first.body ?? null,
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const file = `${folder}/bytes`
  writeFileSync(file, bytes)
  const limit = await startServer('limit.ts', { BYTES: file })
  const measured: Figures[] = []
  const limits: Figures[] = []
  for (let round = 1; round <= rounds; round++) {
    measured.push(await load(server, dataOf(round).requests, CONNECTIONS, seconds))
    limits.push(await load(limit, [{ path: '/' }], CONNECTIONS, seconds))
  }
  await limit.stop()
  const cpu = middle(measured, 'cpu')
  const bare = middle(limits, 'cpu')
  return {
    ...{
      scenario: name,
      bytes: bytes.length,
      rate: middle(measured, 'rate'),
      cpu,
      limit: bare,
      ratio: bare / cpu,
    },
    ...{ p50: middle(measured, 'p50'), p99: middle(measured, 'p99'), failures: middle(measured, 'failures') },
  }
}

const HEAD =
  '| scenario | bytes | requests/s | CPU µs | limit µs | ratio | p50 ms | p99 ms |\n|---|---:|---:|---:|---:|---:|---:|---:|'
const row = ({ scenario, bytes, rate, cpu, limit, ratio, p50, p99, failures }: Result) =>
  `| ${scenario} | ${bytes} | ${rate.toFixed(0)} | ${cpu.toFixed(0)} | ${limit.toFixed(0)} | ${ratio.toFixed(2)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} |${failures > 0 ? ` ${failures} failed` : ''}`

const options = new Command('bench')
  .description(
    'Measures scenarios against the bare limit, in turn in one run; needs wrk, taskset and two cores.',
  )
  .option('--events <number>', 'size of the data set, made once', '1000')
  .option('--rounds <number>', 'how often each is measured; the median counts', '5')
  .option('--seconds <number>', 'of load a round', '2')
  .option('--only <words>', 'scenarios whose name has these words', '')
  .option('--json <file>', 'write the figures there as well')
  .parse()
  .opts<{ events: string; rounds: string; seconds: string; only: string; json?: string }>()

const data = await openData(Number(options.events), (done) => process.stderr.write(`\r${done} events made `))
const folder = new URL('data/run', import.meta.url).pathname
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
copyFileSync(data.file, `${folder}/run.db`)
const server = await startServer('server.ts', { DATABASE: `${folder}/run.db` })
const started = {
  milliseconds: Math.round(server.ready.milliseconds),
  megabytes: Math.round(server.memory() / 1e6),
}
console.log(
  `${data.events} events; ready after ${started.milliseconds} ms, ${started.megabytes} MB\n\n${HEAD}`,
)
const results: Result[] = []
for (const [at, { name }] of scenariosOf(data, server.ready.token, 0).entries()) {
  if (!name.includes(options.only)) continue
  const dataOf = (round: number) => scenariosOf(data, server.ready.token, round)[at]!
  const result = await measure(server, name, dataOf, Number(options.rounds), Number(options.seconds), folder)
  results.push(result)
  console.log(row(result))
}
const megabytes = Math.round(server.memory() / 1e6)
console.log(`\n${megabytes} MB at the end`)
if (options.json)
  writeFileSync(
    options.json,
    JSON.stringify({ ...data, file: undefined, started, megabytes, results }, null, 2),
  )
await server.stop()
rmSync(folder, { recursive: true })
