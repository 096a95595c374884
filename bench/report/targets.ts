import type { Result, Run } from '../results.ts'
import { BESIDE } from '../scenarios/beside.ts'
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
const beside = (runs: Runs, events: number, wanted: number) => {
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
    beside(runs, SMALL, 2),
    beside(runs, M, 2),
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
export const targetsTable = (runs: Runs): string =>
  table(
    ['target', 'on', 'wanted', 'measured', ''],
    targetsOf(runs).map(({ what, on, wanted, found, unit, reached }) => [
      ...[what, on, wanted],
      found === undefined ? 'not measured' : unit === '' ? found.toFixed(2) : `${short(found)} ${unit}`,
      found === undefined ? '' : reached ? 'reached' : '**missed**',
    ]),
  )
