import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kind, type TSchema } from '@sinclair/typebox'
import { Command } from 'commander'
import { LanguageSelector } from '../schemas/common.ts'
import { EventQuery } from '../schemas/event-query.ts'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { withBar } from '../src/kernel/cli.ts'
import { openData } from './data.ts'
import { median, short } from './figures.ts'
import { type Pairs, queryOf, type Statement, saveJson, type TimedPair } from './results.ts'
import { ROOT } from './scenarios/world.ts'
import { openRandom } from './seed/random.ts'
import { NOW, type Sizes } from './seed/records.ts'
import { sharesOf, vocabularyOf } from './seed/vocabulary.ts'
import { planOf, type Step, trace } from './trace.ts'

/** Parameters that make one filter; some need others beside them. */
type Values = Record<string, string>

/** Every parameter of lists of events, by its schema. */
const PARAMETERS: Record<string, TSchema> = {
  ...EventQuery.properties,
  ...LanguageSelector(['en', 'ca', 'es']),
}

const EARLY = '2000-01-01'
const LATE = '2100-01-01'
const POINT = { geoloc_lat: '39.5', geoloc_lng: '-3' }

/** Values that tell most of each filter: what matches much, what matches little, and what is slow to find out. */
function tellingOf({ venues, organizers, categories, tags, events }: Sizes): Record<string, Values[]> {
  const firstEvent = venues + organizers + 1
  const { rare, common } = wordsOf(events)
  return {
    page: [{ page: '2' }, { page: String(Math.max(2, Math.floor(events / 80))) }],
    per_page: [{ per_page: '50' }],
    start_date: [{ start_date: EARLY }, { start_date: '2028-06-01' }],
    end_date: [{ end_date: LATE }, { end_date: '2026-12-01' }],
    starts_before: [{ starts_before: LATE }, { starts_before: '2026-12-01' }],
    starts_after: [{ starts_after: EARLY }, { starts_after: '2032-01-01' }],
    ends_before: [{ ends_before: LATE }, { ends_before: '2026-12-01' }],
    ends_after: [{ ends_after: EARLY }, { ends_after: '2032-01-01' }],
    strict_dates: [{ strict_dates: 'true', start_date: '2026-11-21T10:30:00Z' }],
    search: [{ search: common }, { search: rare }, { search: 'qz' }],
    categories: [{ categories: '1' }, { categories: `${categories - 1},${categories}` }],
    tags: [{ tags: String(categories + 1) }, { tags: `${categories + tags - 1},${categories + tags}` }],
    venue: [{ venue: '1' }, { venue: `${venues - 1},${venues}` }],
    organizer: [{ organizer: String(venues + 1) }, { organizer: String(venues + organizers) }],
    status: [{ status: 'publish' }],
    geoloc_lat: [POINT],
    geoloc_lng: [POINT],
    geoloc_radius: [
      { ...POINT, geoloc_radius: '5' },
      { ...POINT, geoloc_radius: '20000' },
    ],
    include: [{ include: Array.from({ length: 100 }, (_, at) => firstEvent + at).join(',') }],
    post_parent: [{ post_parent: String(firstEvent) }],
    password: [{ password: 'nobody has it' }],
    i18n_language: [{ i18n_language: 'en' }, { i18n_language: 'es' }],
  }
}

function wordsOf(events: number): { rare: string; common: string } {
  const shares = [...sharesOf(vocabularyOf(openRandom(events)))].filter(([text]) => text.length >= 3)
  const first = (least: number, most: number) =>
    shares.find(([, share]) => share >= least && share < most)![0]
  return { rare: first(0.001, 0.002), common: first(0.4, 0.6) }
}

/** The values of every filter; one that nobody has thought of yet gets those of its schema. */
function filtersOf(sizes: Sizes): Record<string, Values[]> {
  const telling = tellingOf(sizes)
  return Object.fromEntries(
    Object.entries(PARAMETERS).map(([name, schema]) => [name, telling[name] ?? fromSchema(name, schema)]),
  )
}

function fromSchema(name: string, schema: TSchema): Values[] {
  const values: string[] =
    schema.enum ??
    (schema[Kind] === 'Boolean'
      ? ['true', 'false']
      : schema.format === 'date-time'
        ? ['2026-12-01', '2028-06-01']
        : ['Integer', 'Number', 'Array'].includes(schema[Kind])
          ? [String(schema.minimum ?? 1)]
          : undefined)
  if (!values) throw new Error(`Give the filter ${name} values in bench/pairs.ts.`)
  return values.map((value) => ({ [name]: value }))
}

/** Each filter alone and each two filters with all of their values; where both set a parameter, the second one's counts. */
function pairsOf(filters: Record<string, Values[]>): Values[] {
  const names = Object.keys(filters)
  const all = names.flatMap((one, at) =>
    filters[one]!.flatMap((first) => [
      first,
      ...names.slice(at + 1).flatMap((other) => filters[other]!.map((second) => ({ ...first, ...second }))),
    ]),
  )
  return [...new Map(all.map((values) => [JSON.stringify(Object.entries(values).sort()), values])).values()]
}

/** The findings for a terminal: a summary, and the slowest with what they ran. */
function textOf({ events, pairs, over, slow, slowAtFirst, refused, middle, slowest }: Pairs): string {
  const blocks = slowest.map(({ filters, first, milliseconds, status, statements }) => {
    const head = `${short(milliseconds)} ms (first ${short(first)} ms, ${status})  ${queryOf(filters)}`
    const ran = statements.flatMap(({ sql, plan }) => [
      `    ${sql}`,
      ...plan.map((line) => `      | ${line}`),
    ])
    return [head, ...ran].join('\n')
  })
  const summary = `${pairs} pairs on ${events} events: median ${short(middle)} ms; ${slow} over ${over} ms, ${slowAtFirst} the first time; ${refused} refused`
  return [...blocks, summary].join('\n\n')
}

const options = new Command('bench:pairs')
  .description('Asks for lists of events by every two filters, uncached, one at a time; tells the slowest.')
  .option('--events <number>', 'size of the data set, made once', '1000')
  .option('--times <number>', 'how often each is asked; the median counts', '3')
  .option('--over <milliseconds>', 'what counts as slow', '250')
  .option('--slowest <number>', 'how many are shown with their statements', '10')
  .option('--only <filter>', 'pairs with this filter')
  .option('--json <file>', 'write the figures there as well')
  .parse()
  .opts<{
    events: string
    times: string
    over: string
    slowest: string
    only?: string
    json?: string
  }>()

const data = await openData(Number(options.events))
let steps: Step[] = []
trace((step) => steps.push(step))
const config = readConfig({ DATABASE: data.file, MEDIA_DIR: join(tmpdir(), 'almanac-bench-media') })
const app = await buildApp({ config: { ...config, maxDelay: 0 }, clock: () => NOW })

let asked = 0
/** Asks for a list at an address that was never asked for: milliseconds, and the status. */
async function ask(values: Values): Promise<{ milliseconds: number; status: number }> {
  const url = `${ROOT}/events?${new URLSearchParams({ ...values, x: String(++asked) })}`
  steps = []
  const began = performance.now()
  const { statusCode } = await app.inject({ url })
  return { milliseconds: performance.now() - began, status: statusCode }
}

async function time(values: Values, times: number): Promise<TimedPair> {
  const all: number[] = []
  let status = 0
  for (let at = 0; at < times; at++) {
    const answer = await ask(values)
    all.push(answer.milliseconds)
    status = answer.status
  }
  return { filters: values, status, first: all[0]!, milliseconds: median(all) }
}

/** Each statement once, with how often it ran and SQLite's plan; the question for others' commits left out. */
function statementsOf(steps: Step[]): Statement[] {
  const found = new Map<string, Statement>()
  for (const step of steps) {
    if (!step.reads || step.sql === 'PRAGMA data_version') continue
    const sql = step.sql.replaceAll(/\s+/g, ' ')
    const known = found.get(sql) ?? { sql, times: 0, plan: planOf(step) }
    known.times++
    found.set(sql, known)
  }
  return [...found.values()]
}

for (let at = 0; at < 300; at++) await ask({}) // V8 compiles what is hot
const pairs = pairsOf(filtersOf(data)).filter((values) => !options.only || options.only in values)
const timed: TimedPair[] = []
await withBar({ terminal: process.stderr.isTTY }, 'Asking', async (progress) => {
  for (const values of pairs) {
    timed.push(await time(values, Number(options.times)))
    progress(timed.length, pairs.length)
  }
})
timed.sort((a, b) => b.milliseconds - a.milliseconds)
const slowest = timed.slice(0, Number(options.slowest))
const plans: Pairs['slowest'] = []
for (const one of slowest) {
  await ask(one.filters)
  plans.push({ ...one, statements: statementsOf(steps) })
}
await app.close()

const over = Number(options.over)
const found: Pairs = {
  ...{ made: new Date().toISOString(), events: data.events, pairs: timed.length, over },
  slow: timed.filter(({ milliseconds }) => milliseconds > over).length,
  slowAtFirst: timed.filter(({ first }) => first > over).length,
  refused: timed.filter(({ status }) => status >= 400 && status !== 404).length,
  middle: median(timed.map(({ milliseconds }) => milliseconds)),
  slowest: plans,
}
process.stdout.write(`${textOf(found)}\n`)
if (options.json) saveJson(options.json, found)
