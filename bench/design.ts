import Database from 'better-sqlite3'
import { Command } from 'commander'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as tables from '../drizzle/tables.ts'
import { dayOf } from '../src/dates.ts'
import { openHistogram } from '../src/histogram.ts'
import { toRefs } from '../src/store/links.ts'
import { renderDocument } from '../src/store/rendered.ts'
import { openData } from './data.ts'
import { load, median, middle } from './load.ts'
import { type Server, startScript } from './process.ts'
import { type Compared, type Design, saveJson } from './results.ts'
import { day } from './scenarios/lists.ts'
import { searchesOf } from './scenarios/search.ts'
import { CONNECTIONS, ROOT } from './scenarios/world.ts'
import { openRandom } from './seed/random.ts'
import { short, table } from './table.ts'

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
  const [ours, theirs]: number[][] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const one = await microseconds(chosen.work)
    const two = await microseconds(other.work)
    if (round === 0) continue // warms up
    ours!.push(one)
    theirs!.push(two)
  }
  compared.push({
    ...{ name, chosen: chosen.what, microseconds: median(ours!) },
    ...{ other: other.what, others: median(theirs!) },
  })
}

const all = (sql: string) => {
  const statement = db.prepare(sql).raw()
  return (...values: unknown[]) => statement.all(...values) as number[][]
}

const window = { from: dayOf(day(-1)), to: dayOf(day(730)) }
const inWindow = 'from listings where listed = 1 and start_day >= ? and start_day + days <= ?'
const byDate = 'order by start_day, start_date, event_id'
const ids = (sql: string, ...values: unknown[]) => all(sql)(...values).map(([id]) => id!)
const page = ids(`select event_id ${inWindow} ${byDate} limit 12`, window.from, window.to)
const deep = Math.floor(ids(`select count(*) ${inWindow}`, window.from, window.to)[0]! / 12) * 12 - 12

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
  { what: '12 read and joined', work: () => Buffer.concat(bodies.all(JSON.stringify(page)) as Buffer[]) },
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

const histogram = openHistogram()
for (const [start, days, count] of all(
  'select start_day, days, count(*) from listings where listed = 1 group by 1, 2',
)())
  histogram.add(start!, days!, count!)
const count = all(`select count(*) ${inWindow}`)
await compare(
  'totals from a histogram in memory',
  { what: 'asked of the histogram', work: () => histogram.count(window.from, window.to) },
  { what: 'counted over a covering index', work: () => count(window.from, window.to) },
)

const ofDay = all(
  'select event_id from listings where listed = 1 and start_day = ? and start_day + days <= ? order by start_date, event_id limit ? offset ?',
)
const offset = all(`select event_id ${inWindow} ${byDate} limit 12 offset ?`)
await compare(
  'the deepest page found by its day',
  {
    what: 'histogram, then that day',
    work: () =>
      histogram
        .slice(window.from, window.to, deep, 12)
        .map(({ day, skip, take }) => ofDay(day, window.to, take, skip)),
  },
  { what: 'OFFSET', work: () => offset(window.from, window.to, deep) },
)

const trigrams = all('select rowid from search where search match ?')
const walk = all("select id from posts where kind = 'event' and instr(folded, ?) > 0")
const random = openRandom(1)
const { textOf: rare } = searchesOf(data.events)[0]!
await compare(
  'an index of trigrams for words inside of words',
  { what: 'a rare word by the index', work: () => trigrams(`"${rare(random)}"`) },
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
    const figures = []
    for (let round = 0; round <= rounds; round++)
      figures.push(await load(limit, [{ path }], { connections: CONNECTIONS, seconds: 1 }))
    return middle(figures.slice(1)).cpu
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
