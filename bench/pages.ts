import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { copyData, openData, temporaryFolder } from './data.ts'
import { inTurn, middleBy, table } from './figures.ts'
import { NOW } from './seed/records.ts'

/** What pages cost beside the same lists as JSON, and the site map: `npm run bench:pages [events ...]`. Prints tables. */
const sizes = process.argv.slice(2).map(Number)
const API = '/calendar/events/v1'
const BROWSER = 'text/html,*/*;q=0.8'
/** Requests of a round, and rounds, of which the median counts. */
const TIMES = 100
const ROUNDS = 7

type Subject = { name: string; page: string; json: string }
type Kind = 'new' | 'kept' | 'known'
type Cost = { ms: number; bytes: number }

/** How often something new was asked for. Pages share what is cached among addresses with parameters that they do not know. */
let asked = 0
/** The clock goes back with each: what was cached is of later, and so not sent. */
const clock = () => NOW - asked
function anew(path: string): string {
  asked++
  return path
}

async function send(app: App, path: string, etag = '') {
  const headers = { accept: BROWSER, ...(etag && { 'if-none-match': etag }) }
  const answer = await app.inject({ url: path, headers })
  const wanted = etag ? 304 : 200
  if (answer.statusCode !== wanted) throw new Error(`${path} is ${answer.statusCode}, not ${wanted}`)
  return answer
}

/** CPU of the whole process for one request of many, in milliseconds, and what was sent at last. */
async function round(app: App, path: string, kind: Kind): Promise<Cost> {
  const first = await send(app, path)
  const etag = kind === 'known' ? String(first.headers.etag) : ''
  let bytes = 0
  const before = process.cpuUsage()
  for (let time = 0; time < TIMES; time++)
    bytes = (await send(app, kind === 'new' ? anew(path) : path, etag)).rawPayload.length
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1000 / TIMES, bytes }
}

/** Measures a page and its JSON in turn. The first rounds warm up and do not count. */
async function compare(app: App, { name, page, json }: Subject) {
  const costs = { page: {}, json: {} } as Record<'page' | 'json', Record<Kind, Cost>>
  for (const kind of ['new', 'kept', 'known'] as const) {
    const ways = [page, json].map((path) => () => round(app, path, kind))
    const [ofPage, ofJson] = (await inTurn(ROUNDS + 2, ...ways)).map((all) =>
      middleBy(all.slice(2), ({ ms }) => ms),
    )
    costs.page[kind] = ofPage!
    costs.json[kind] = ofJson!
  }
  const { page: own, json: other } = costs
  const ratio = (kind: Kind) => (own[kind].ms / other[kind].ms).toFixed(1)
  const ms = (cost: Cost) => cost.ms.toFixed(2)
  const cells = [
    ...[name, ms(own.new), ms(other.new), ratio('new')],
    ...[ms(own.kept), ratio('kept'), ms(own.known), ratio('known')],
    ...[own.new.bytes, other.new.bytes].map((bytes) => bytes.toLocaleString('en')),
  ]
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}

const locationsOf = (xml: string) =>
  [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => new URL(url!).pathname)

/** Reads the whole site map once. */
async function readSitemap(app: App) {
  const resident = process.memoryUsage().rss
  const [start, before] = [performance.now(), process.cpuUsage()]
  const index = await send(app, '/sitemap.xml')
  let [bytes, slowest, urls, most] = [index.rawPayload.length, 0, 0, resident]
  const parts = locationsOf(index.payload)
  for (const part of parts) {
    const from = performance.now()
    const { rawPayload, payload } = await send(app, part)
    slowest = Math.max(slowest, performance.now() - from)
    bytes += rawPayload.length
    urls += locationsOf(payload).length
    most = Math.max(most, process.memoryUsage().rss)
  }
  const { user, system } = process.cpuUsage(before)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const cpu = ((user + system) / 1_000_000).toFixed(1)
  const rise = Math.round((most - resident) / 1_000_000)
  process.stdout.write(
    `\nThe site map: ${parts.length + 1} files, ${urls.toLocaleString('en')} addresses, ${bytes.toLocaleString('en')} bytes, ` +
      `${seconds} s, ${cpu} s of CPU, the slowest file ${Math.round(slowest)} ms, ${rise} MB more memory\n`,
  )
}

/** The pages of a calendar, each with the JSON of what it shows. */
async function subjectsOf(app: App): Promise<Subject[]> {
  const first = async (path: string) => JSON.parse((await send(app, path)).payload)
  const list = `${API}/events?per_page=30&i18n_language=en`
  const { events } = await first(list)
  const [event] = events
  const { venue, categories } = await first(`${API}/events/${event.id}`)
  const during = (from: string, to: string) =>
    `${API}/events?per_page=50&i18n_language=en&start_date=${from} 00:00:00&end_date=${to} 23:59:59`
  return [
    { name: 'list of 30', page: '/events/', json: list },
    { name: 'its second page', page: '/events/?page=2', json: `${list}&page=2` },
    { name: 'event', page: `/event/${event.slug}/`, json: `${API}/events/${event.id}` },
    { name: 'month', page: '/events/month/2026-12/', json: during('2026-12-01', '2026-12-31') },
    { name: 'day', page: '/events/day/2026-12-05/', json: during('2026-12-05', '2026-12-05') },
    { name: 'venue', page: `/venue/${venue.slug}/`, json: `${list}&venue=${venue.id}` },
    {
      ...{ name: 'category', page: `/events/category/${categories[0].slug}/` },
      json: `${list}&categories=${categories[0].slug}`,
    },
  ]
}

const HEAD = [
  'page',
  'new ms',
  'JSON ms',
  'ratio',
  'kept ms',
  'ratio',
  '304 ms',
  'ratio',
  'bytes',
  'JSON bytes',
]

for (const events of sizes.length > 0 ? sizes : [1_000, 100_000]) {
  const copy = copyData(await openData(events))
  const config = readConfig({ DATABASE: copy.file, MEDIA_DIR: temporaryFolder(), MAX_DELAY: '0' })
  const app = await buildApp({ config, clock })
  process.stdout.write(`\n${events.toLocaleString('en')} events\n\n${table(HEAD, [])}\n`)
  for (const subject of await subjectsOf(app)) await compare(app, subject)
  await readSitemap(app)
  await app.close()
  copy.remove()
}
