import Database from 'better-sqlite3'
import { Command } from 'commander'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as tables from '../drizzle/tables.ts'
import { unpacked } from '../src/calendar/formats/packed.ts'
import type { Selection } from '../src/calendar/lists/selection.ts'
import { renderDocument } from '../src/calendar/records/derived.ts'
import { toRefs } from '../src/calendar/records/rows.ts'
import { openTextIndex } from '../src/calendar/search/text-index.ts'
import { openStore } from '../src/calendar/store.ts'
import { FEATURES } from '../src/features.ts'
import { openDb, openRows, openSnapshot } from '../src/kernel/database/db.ts'
import { finish } from '../src/kernel/tasks/scheduler.ts'
import { secondsOf } from '../src/kernel/time/dates.ts'
import { openData } from './data.ts'
import { inTurn, median, short, table } from './figures.ts'
import { load, middle } from './load.ts'
import { type Server, startScript } from './process.ts'
import { type Compared, type Design, saveJson } from './results.ts'
import { day } from './scenarios/reads.ts'
import { searchesOf } from './scenarios/search.ts'
import { CONNECTIONS, ROOT } from './scenarios/world.ts'
import { openRandom } from './seed/random.ts'
import { NOW } from './seed/records.ts'

// Each decision that was made for speed beside what was decided against: npm run bench:design
const options = new Command('bench:design')
  .description('Measures decisions of the design beside their alternatives, on one data set.')
  .option('--events <number>', 'size of the data set, made once', '100000')
  .option('--rounds <number>', 'how often each is measured; the median counts', '5')
  .option('--json <file>', 'write the figures there as well')
  .parse()
  .opts<{ events: string; rounds: string; json?: string }>()

const rounds = Number(options.rounds)
const data = await openData(Number(options.events))
const db = new Database(data.file, { readonly: true })
db.pragma('cache_size = -16000')
const queries = drizzle(db, { schema: tables })
const compared: Compared[] = []

/** Milliseconds for which a way is run in each round. */
const SPAN = 300
async function microseconds(work: () => unknown): Promise<number> {
  const began = performance.now()
  let times = 0
  while (performance.now() - began < SPAN) {
    const made = work()
    if (made instanceof Promise) await made
    times++
  }
  return ((performance.now() - began) * 1_000) / times
}

type Way = { what: string; work: () => unknown }
/** Runs two ways in turn. */
async function compare(name: string, chosen: Way, other: Way) {
  const ways = [chosen, other].map(
    ({ work }) =>
      () =>
        microseconds(work),
  )
  // the first round warms up
  const [ours, theirs] = (await inTurn(rounds + 1, ...ways)).map((all) => median(all.slice(1)))
  compared.push({
    ...{ name, chosen: chosen.what, microseconds: ours! },
    ...{ other: other.what, others: theirs! },
  })
}

const all = (sql: string) => {
  const statement = db.prepare(sql).raw()
  return (...values: unknown[]) => statement.all(...values) as number[][]
}

// an index of exactly the shape that these questions need, in memory
db.exec(
  'create temp table spans as select event_id, starts, ends from listings; create index temp.span on spans (starts, event_id, ends)',
)
const dates: Selection['dates'] = [
  { side: 'start', than: '>=', value: secondsOf(`${day(-1)} 00:00:00`), utc: false },
  { side: 'end', than: '<=', value: secondsOf(`${day(730)} 23:59:59`), utc: false },
]
const window = dates.map(({ value }) => value)
const inWindow = 'from spans where starts >= ? and ends <= ?'
const count = all(`select count(*) ${inWindow}`)
const offset = all(`select event_id ${inWindow} order by starts, event_id limit 12 offset ?`)
const page = offset(...window, 0).map(([id]) => id!)
const pages = Math.ceil(count(...window)[0]![0]! / 12)

const bodies = db
  .prepare('select body from documents where post_id in (select value from json_each(?))')
  .pluck()
const rowsOf = queries
  .select({ post: tables.posts, event: tables.events })
  .from(tables.posts)
  .innerJoin(tables.events, eq(tables.events.post_id, tables.posts.id))
  .where(sql`${tables.posts.id} in (select value from json_each(${sql.placeholder('ids')}))`)
  .prepare()
await compare(
  'fragments stored as bytes',
  {
    what: '12 read and joined',
    work: () => Buffer.concat((bodies.all(JSON.stringify(page)) as Buffer[]).map((body) => unpacked(body)!)),
  },
  {
    what: '12 rendered from their rows',
    work: () =>
      rowsOf.all({ ids: JSON.stringify(page) }).map(({ post, event }) =>
        renderDocument({ post, event, venue: null, organizer: null, image: null }, toRefs([]), {
          currency: 'USD',
        }),
      ),
  },
)

const { zone, currency, languages } = { zone: 'UTC', currency: 'USD', languages: ['en', 'ca', 'es'] }
const opened = openDb(data.file)
const { lists } = openStore(opened, { clock: () => NOW, zone, currency, languages }, FEATURES)
const selection: Selection = {
  ...{ statuses: ['publish'], flags: { hidden: false }, links: {} },
  ...{ dates, order: { by: 'start', descending: false } },
}
const listed = (page: number) => () => lists.list(selection, { page, per_page: 12 })
const counted = (page: number) => () => [count(...window), offset(...window, (page - 1) * 12)]
await compare(
  'lists of events in memory, the first page',
  { what: 'IDs and total from memory', work: listed(1) },
  { what: 'counted and read by a covering index', work: counted(1) },
)
await compare(
  'the same, the last page',
  { what: 'IDs and total from memory', work: listed(pages) },
  { what: 'counted, and OFFSET', work: counted(pages) },
)
opened.close()

const postings = openTextIndex({ rows: openRows(db, openSnapshot(db)) })
const walk = all("select id from posts where kind = 'event' and instr(folded, ?) > 0")
const random = openRandom(1)
const rare = searchesOf(data.events)[0]!.textOf
await compare(
  'an index of words for words inside of words',
  {
    what: 'a rare word by the index',
    work: () => finish(postings.find([{ text: rare(random), how: 'within' }], false)),
  },
  { what: 'a rare word in every text', work: () => walk(rare(random)) },
)

const built = () => queries.select().from(tables.posts).where(eq(tables.posts.id, page[0]!))
const prepared = built().prepare()
await compare(
  'queries prepared once',
  { what: 'run', work: () => prepared.all() },
  { what: 'built and run', work: () => built().all() },
)

/** What Fastify spends on sending the first page as bytes, beside text and objects. */
async function compareSending(service: Server, limit: Server) {
  const answer = await fetch(`${service.url}${ROOT}/events`)
  await fetch(limit.url, { method: 'PUT', body: new Uint8Array(await answer.arrayBuffer()) })
  const cpuOf = async (path: string) => {
    const shape = { connections: CONNECTIONS, seconds: 1 }
    const [figures] = await inTurn(rounds + 1, () => load(limit, [{ path }], shape))
    return middle(figures!.slice(1)).cpu
  }
  const microseconds = await cpuOf('/')
  for (const [path, other] of [
    ['/text', 'as text'],
    ['/objects', 'as objects, printed'],
  ] as const)
    compared.push({
      ...{ name: 'answers are bytes', chosen: 'a page sent as bytes', microseconds },
      ...{ other: `the same ${other}`, others: await cpuOf(path) },
    })
}
const service = await startScript('server.ts', { DATABASE: data.file })
const limit = await startScript('limit.ts')
await compareSending(service, limit)
await service.stop()
await limit.stop()
db.close()

const found: Design = { made: new Date().toISOString(), design: data.events, compared }
process.stdout.write(
  `${table(
    ['decision', 'chosen', 'µs', 'against', 'µs'],
    compared.map(({ name, chosen, microseconds, other, others }) => [
      ...[name, chosen, short(microseconds), other, short(others)],
    ]),
  )}\n`,
)
if (options.json) saveJson(options.json, found)
