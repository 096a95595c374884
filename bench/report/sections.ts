import { megabytes, short, table, whole } from '../figures.ts'
import {
  type Both,
  type ByHand,
  cellsOf,
  type Design,
  HEAD,
  type Pairs,
  queryOf,
  type Result,
  type Run,
  startOf,
} from '../results.ts'
import { BESIDE } from '../scenarios/mixed.ts'
import { type Beside, besideChart, linear, logarithmic, type Series, sizesChart } from './charts.ts'

type Runs = Map<number, Run>
/** What was wanted, on which data set, and what was found; undefined where it was not measured. */
type Target = {
  what: string
  on: string
  wanted: string
  found: number | undefined
  unit: string
  reached: boolean
}

const K = 1_000
const M = 1_000_000
const SMALL = 100 * K
const size = (events: number) => `${events.toLocaleString('en')} events`

const resultOf = (runs: Runs, events: number, scenario: string): Result | undefined =>
  runs.get(events)?.results.find((result) => result.scenario === scenario)

function least(what: string, on: string, wanted: number, found: number | undefined): Target {
  return { what, on, wanted: `at least ${wanted}`, found, unit: '', reached: (found ?? 0) >= wanted }
}
function most(what: string, on: string, wanted: number, found: number | undefined, unit = ''): Target {
  const text = `at most ${wanted}${unit && ` ${unit}`}`
  return { what, on, wanted: text, found, unit, reached: (found ?? Number.POSITIVE_INFINITY) <= wanted }
}

/** How many times the CPU of the first the second takes. */
const times = (one: Result | undefined, other: Result | undefined) => one && other && other.cpu / one.cpu

/** The part of its baseline's speed that a scenario has. */
const part = (runs: Runs, events: number, scenario: string, wanted: number, of = 'the limit') =>
  least(`${scenario}: part of ${of}`, size(events), wanted, resultOf(runs, events, scenario)?.ratio)

const grown = (runs: Runs, scenario: string, wanted: number) =>
  most(
    `${scenario}: CPU against that at ${size(K)}`,
    size(M),
    wanted,
    times(resultOf(runs, K, scenario), resultOf(runs, M, scenario)),
  )

/** The CPU of one request in milliseconds. */
const milliseconds = (runs: Runs, events: number, scenario: string, wanted: number) => {
  const cpu = resultOf(runs, events, scenario)?.cpu
  return most(`${scenario}: CPU`, size(events), wanted, cpu && cpu / 1_000, 'ms')
}

/** How many times as long the slowest of a hundred lists take while others search. */
const slowest = (runs: Runs, events: number, wanted: number) => {
  const result = resultOf(runs, events, BESIDE)
  return most(
    `${BESIDE}: p99 against that without`,
    size(events),
    wanted,
    result && result.p99 / result.baseline.p99,
  )
}

function targetsOf(runs: Runs): Target[] {
  const memory = runs.get(SMALL)?.memory
  const index = runs.get(M)?.index
  return [
    part(runs, SMALL, 'list, other dates', 0.1),
    part(runs, SMALL, 'event by ID', 0.2),
    part(runs, SMALL, 'list, repeated', 0.85),
    milliseconds(runs, M, 'search, rare word', 5),
    milliseconds(runs, M, 'search, word in 20 to 60 %', 10),
    milliseconds(runs, M, 'search, two letters', 5),
    milliseconds(runs, SMALL, 'suggest', 2),
    slowest(runs, SMALL, 2),
    slowest(runs, M, 2),
    grown(runs, 'list, other dates', 1.3),
    grown(runs, 'list by venue', 2),
    most(
      'list near a point: CPU against a list',
      size(SMALL),
      2,
      times(resultOf(runs, SMALL, 'list, other dates'), resultOf(runs, SMALL, 'list near a point')),
    ),
    most('index of words', size(M), 400, index && index / 1e6, 'MB'),
    part(runs, SMALL, '95 % list, repeated, 5 % creates', 0.4, 'the reads alone'),
    milliseconds(runs, SMALL, 'create, 32 at once', 0.3),
    most('memory after all reads', size(SMALL), 200, memory && memory / 1e6, 'MB'),
  ]
}

/** The table of targets. */
const targetsTable = (runs: Runs): string =>
  table(
    ['target', 'on', 'wanted', 'measured', ''],
    targetsOf(runs).map(({ what, on, wanted, found, unit, reached }) => [
      ...[what, on, wanted],
      found === undefined ? 'not measured' : unit === '' ? found.toFixed(2) : `${short(found)} ${unit}`,
      found === undefined ? '' : reached ? 'reached' : '**missed**',
    ]),
  )

/** Runs by number of events, and what was found of pairs of filters. */
export type Figures = { runs: Map<number, Run>; pairs: Pairs[]; design?: Design; byHand?: ByHand }

const sizeOf = ({ data }: Run) => `${whole(data.events)} events`
const all = ({ runs }: Figures) => [...runs.values()].sort((a, b) => a.data.events - b.data.events)
const find = ({ results }: Run, scenario: string) => results.find((result) => result.scenario === scenario)

/** A load above which figures are not to be trusted. */
const BUSY = 1

function machines(figures: Figures): string {
  const lines = all(figures).map((run) => {
    const { cpu, cores, gigabytes, node, sqlite, load } = run.machine
    const busy =
      load > BUSY
        ? `. **The machine was busy, with a load of ${short(load)} before: to be measured again**`
        : ''
    return `- ${sizeOf(run)}: ${run.made.slice(0, 10)}, ${run.rounds} rounds of ${run.seconds} s; ${cpu}, ${cores} cores, ${gigabytes} GB; Node.js ${node}, SQLite ${sqlite}${busy}`
  })
  return lines.join('\n')
}

const tables = (figures: Figures) =>
  all(figures)
    .map((run) => `### ${sizeOf(run)}\n\n${startOf(run)}\n\n${table(HEAD, run.results.map(cellsOf))}`)
    .join('\n\n')

function memory(figures: Figures): string {
  const rows = all(figures).flatMap((run) =>
    run.start && run.memory
      ? [
          [
            sizeOf(run),
            `${whole(run.start.milliseconds)} ms`,
            megabytes(run.start.memory),
            megabytes(run.memory),
          ],
        ]
      : [],
  )
  return table(['data set', 'first list after', 'memory then', 'memory after all reads'], rows)
}

/** What the reference system does a second on two cores of this kind, and which of ours that is. */
const REFERENCE = [
  { what: 'list, 61 events', rate: 30, events: 1_000, scenarios: ['list, repeated', 'list, other dates'] },
  {
    what: 'list, 10,000 events',
    rate: 8,
    events: 100_000,
    scenarios: ['list, repeated', 'list, other dates'],
  },
  { what: 'one event', rate: 44, events: 100_000, scenarios: ['event, repeated', 'event by ID'] },
  { what: 'create', rate: 28, events: 100_000, scenarios: ['create', 'create, 32 at once'] },
]

const reference = ({ runs }: Figures) =>
  table(
    ['WordPress', 'a second', 'Almanac', 'a second', 'times'],
    REFERENCE.flatMap(({ what, rate, events, scenarios }) =>
      scenarios.flatMap((scenario) => {
        const run = runs.get(events)
        const result = run && find(run, scenario)
        if (!result) return []
        const ours = `${scenario}, ${sizeOf(run)}`
        return [[what, whole(rate), ours, whole(result.rate), whole(result.rate / rate)]]
      }),
    ),
  )

const pairsText = ({ pairs }: Figures) =>
  pairs
    .map(({ events, pairs, middle, over, slow, slowAtFirst, slowest }) => {
      const summary = `${whole(pairs)} pairs on ${whole(events)} events: the median takes ${short(middle)} ms; ${slow} take more than ${over} ms, ${slowAtFirst} when asked for the first time. The slowest:`
      const rows = slowest.map(({ filters, first, milliseconds }) => [
        `\`${queryOf(filters)}\``,
        short(first),
        short(milliseconds),
      ])
      return `${summary}\n\n${table(['filters', 'first ms', 'median ms'], rows)}`
    })
    .join('\n\n')

function design({ design, runs }: Figures): string {
  const rows = (design?.compared ?? []).map(({ name, chosen, microseconds, other, others }) => [
    ...[name, chosen, short(microseconds), other, short(others), `${short(others / microseconds)} times`],
  ])
  const size = design && runs.get(design.design)
  const kept = size && find(size, 'list, repeated')
  const made = size && find(size, 'list, first page')
  if (kept && made)
    rows.push([
      ...[
        'answers kept as bytes',
        'a kept page sent',
        short(kept.cpu),
        'a page put together',
        short(made.cpu),
      ],
      `${short(made.cpu / kept.cpu)} times`,
    ])
  const [alone, together] = ['create', 'create, 32 at once'].map(
    (name) => size && find(size, name)?.baseline.rate,
  )
  if (alone && together)
    rows.push([
      ...[
        'writes share a commit',
        '32 a commit, each',
        short(1e6 / together),
        'a commit each',
        short(1e6 / alone),
      ],
      `${short(together / alone)} times`,
    ])
  const on = design ? `On ${whole(design.design)} events:\n\n` : ''
  return on + table(['decision', 'chosen', 'µs', 'instead of', 'µs', ''], rows)
}

/** A member of a table, of the service and of the one that is written by hand, and how many times as much the first is. */
const besideHand = (what: string, [ours, theirs]: Both, print: (value: number) => string) => [
  ...[what, print(ours), print(theirs), (ours / theirs).toFixed(2)],
]
const inMilliseconds = (microseconds: number) => `${short(microseconds / 1_000)} ms`

const byHand = ({ byHand: found }: Figures): string =>
  found
    ? table(
        ['', 'Almanac', 'by hand', 'Almanac / by hand'],
        [
          ...found.rows.map(({ scenario, cpu }) => besideHand(scenario, cpu, inMilliseconds)),
          besideHand('start to the first list', found.start, (ms) => `${whole(ms)} ms`),
          besideHand('database', found.file, megabytes),
        ],
      )
    : ''

/** What stands between the markers of the pages in docs/, by the markers' names. */
export const SECTIONS: Record<string, (figures: Figures) => string> = {
  machines,
  targets: ({ runs }) => targetsTable(runs),
  tables,
  memory,
  reference,
  byHand,
  pairs: pairsText,
  design,
}

const beside = (results: Result[], value: 'cpu' | 'rate'): Beside[] =>
  results.map(({ scenario, baseline, ...own }) => ({
    label: scenario,
    value: own[value],
    baseline: baseline[value],
  }))

/** The scenarios of reads whose growth with the data set is drawn. */
const GROWING = [
  'list, repeated',
  'list, other dates',
  'list, last pages',
  'list by category',
  'search, rare word',
  'search, word in 20 to 60 %',
]

function growth(figures: Figures): Series[] {
  return GROWING.flatMap((name) => {
    const values = all(figures).flatMap((run): [number, number][] => {
      const result = find(run, name)
      return result ? [[run.data.events, result.cpu]] : []
    })
    return values.length > 0 ? [{ name, values }] : []
  })
}

/** The charts of docs/charts, by name; those for which there are no figures are left out. */
export function chartsOf(figures: Figures): Record<string, string> {
  const charts: Record<string, string> = {}
  for (const run of all(figures)) {
    const reads = run.results.filter(({ group }) => group === 'reads' || group === 'search')
    const writes = run.results.filter(({ group }) => group === 'writes')
    const { events } = run.data
    if (reads.length > 0)
      charts[`reads-${events}`] = besideChart(
        `Reads of ${sizeOf(run)}`,
        { unit: 'microseconds of CPU a request (less is better)', scale: logarithmic },
        ['Almanac', 'Fastify sending the same bytes, ready'],
        beside(reads, 'cpu'),
      )
    if (writes.length > 0)
      charts[`writes-${events}`] = besideChart(
        `Durable writes among ${sizeOf(run)}`,
        { unit: 'writes a second (more is better)', scale: linear },
        ['Almanac over HTTP', 'SQLite alone, the same statements'],
        beside(writes, 'rate'),
      )
  }
  const series = growth(figures)
  if (series.length > 0)
    charts.sizes = sizesChart(
      'What a request costs as the calendar grows',
      ['events', 'microseconds of CPU'],
      series,
    )
  return charts
}
