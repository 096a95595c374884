import type { Result, Run } from '../results.ts'
import { short, table } from '../table.ts'

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
const size = (events: number) => `${events.toLocaleString('en')} events`

const resultOf = (runs: Runs, events: number, scenario: string): Result | undefined =>
  runs.get(events)?.results.find((result) => result.scenario === scenario)

function least(what: string, on: string, wanted: number, found: number | undefined): Target {
  return { what, on, wanted: `at least ${wanted}`, found, unit: '', reached: (found ?? 0) >= wanted }
}
function most(what: string, on: string, wanted: number, found: number | undefined, unit = ''): Target {
  const text = unit === '' ? `at most ${wanted}` : `below ${wanted} ${unit}`
  return { what, on, wanted: text, found, unit, reached: (found ?? Number.POSITIVE_INFINITY) <= wanted }
}

/** How many times the CPU of the first the second takes. */
const times = (one: Result | undefined, other: Result | undefined) => one && other && other.cpu / one.cpu

const ofLimit = (runs: Runs, events: number, scenario: string, wanted: number) =>
  least(`${scenario}: part of the limit`, size(events), wanted, resultOf(runs, events, scenario)?.ratio)

const grown = (runs: Runs, scenario: string, wanted: number) =>
  most(
    `${scenario}: CPU against that at ${size(K)}`,
    size(M),
    wanted,
    times(resultOf(runs, K, scenario), resultOf(runs, M, scenario)),
  )

/** Searches of three letters and more that find few events. */
const NARROW = [
  'search, rare word',
  'search, word in 1 to 5 %',
  'search, no hit',
  'search, rare word, all dates',
]

function searches(runs: Runs): Target[] {
  const all = runs.get(M)?.results.filter(({ group }) => group === 'search') ?? []
  const slowest = (results: Result[]) =>
    results.length > 0 ? Math.max(...results.map(({ p99 }) => p99)) : undefined
  const narrow = all.filter(({ scenario }) => NARROW.includes(scenario))
  const wide = all.filter(({ scenario }) => !NARROW.includes(scenario))
  return [
    most('search that finds under 5 %: slowest p99', size(M), 50, slowest(narrow), 'ms'),
    most('any other search: slowest p99', size(M), 250, slowest(wide), 'ms'),
  ]
}

function targetsOf(runs: Runs): Target[] {
  const last = resultOf(runs, M, 'list, last pages')
  const first = resultOf(runs, M, 'list, first page')
  const small = 100 * K
  const start = runs.get(small)?.start
  const memory = runs.get(M)?.memory
  const sizes = [K, small, M]
  return [
    ...sizes.map((events) => ofLimit(runs, events, 'list, repeated', 0.9)),
    ...sizes.map((events) => ofLimit(runs, events, 'event, repeated', 0.9)),
    ofLimit(runs, small, 'list, other dates', 0.2),
    grown(runs, 'list, other dates', 1.3),
    ...['category', 'venue', 'organizer'].map((by) => grown(runs, `list by ${by}`, 3)),
    grown(runs, 'list, featured', 3),
    most('list, last pages: CPU against the first page', size(M), 1.5, times(first, last)),
    ...searches(runs),
    least(
      '95 % list, other dates, 5 % creates: part of the reads alone',
      size(small),
      0.5,
      resultOf(runs, small, '95 % list, other dates, 5 % creates')?.ratio,
    ),
    least(
      '95 % list, repeated, 5 % creates: part of the reads alone',
      size(small),
      0.5,
      resultOf(runs, small, '95 % list, repeated, 5 % creates')?.ratio,
    ),
    least(
      'durable creates, 32 at once: part of raw SQLite',
      size(small),
      0.6,
      resultOf(runs, small, 'create, 32 at once')?.ratio,
    ),
    least(
      'two processes: times the lists of one',
      size(small),
      1.6,
      resultOf(runs, small, 'list, other dates, WORKERS=2')?.ratio,
    ),
    most('first list after spawning', size(small), 1_000, start?.milliseconds, 'ms'),
    most('memory after all reads', size(M), 200, memory && memory / 1e6, 'MB'),
  ]
}

/** The table of targets. */
export const targetsTable = (runs: Runs): string =>
  table(
    ['target', 'on', 'wanted', 'measured', ''],
    targetsOf(runs).map(({ what, on, wanted, found, unit, reached }) => [
      ...[what, on, wanted],
      found === undefined ? 'not measured' : unit === '' ? found.toFixed(2) : `${short(found)} ${unit}`,
      found === undefined ? '' : reached ? 'reached' : '**missed**',
    ]),
  )
