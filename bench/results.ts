import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { megabytes, short, whole } from './figures.ts'
import type { Figures } from './load.ts'
import { CONNECTIONS } from './scenarios/world.ts'
import type { Sizes } from './seed/records.ts'

/** A scenario beside its baseline, measured in turn in the same run: medians of the rounds. */
export type Result = Figures & {
  group: 'reads' | 'search' | 'writes' | 'mixed' | 'processes'
  scenario: string
  connections: number
  /** Of the first answer. */
  bytes: number
  /** What the baseline is. */
  against: string
  baseline: Figures
  /** How much of the baseline's speed it has, by CPU or by rate. */
  ratio: number
  by: 'cpu' | 'rate'
  /** Of a search: the share of all events that it finds. */
  share?: number
  /** The best ratio that there can be where the client takes its share of the cores. */
  possible?: number
}

/** From spawning to the first answered list in milliseconds, and bytes of memory then. */
export type Start = { milliseconds: number; memory: number; bare: number }

/** What one run on one data set found. */
export type Run = {
  made: string
  machine: {
    cpu: string
    cores: number
    gigabytes: number
    node: string
    sqlite: string
    /** Processes that wanted a core in the minute before. */
    load: number
  }
  rounds: number
  seconds: number
  data: Sizes
  start?: Start
  /** Bytes of memory of the service after all loads of reads. */
  memory?: number
  /** Bytes of the file that the index of words takes. */
  index: number
  results: Result[]
}

/** How much of the baseline's speed a scenario has, by the CPU of each request. */
export const byCpu = (measured: Figures, baseline: Figures) => ({
  ratio: baseline.cpu / measured.cpu,
  by: 'cpu' as const,
})
/** The ratio by requests a second, for what waits for a disk or is not alone on its core. */
export const byRate = (measured: Figures, baseline: Figures) => ({
  ratio: measured.rate / baseline.rate,
  by: 'rate' as const,
})

/** A decision of the design: what was chosen, and what against, in microseconds. */
export type Compared = {
  name: string
  chosen: string
  microseconds: number
  other: string
  others: number
}
/** What decisions bring, on a data set of so many events. */
export type Design = { made: string; design: number; compared: Compared[] }

/** The service and the one that is written by hand, in this order. */
export type Both = [service: number, byHand: number]
/** What they take on a data set of so many events: CPU of a request in microseconds, its median time, the start and the files. */
export type ByHand = {
  made: string
  byHand: number
  rows: { scenario: string; cpu: Both; p50: Both }[]
  /** Milliseconds from spawning to the first list. */
  start: Both
  /** Bytes of the database. */
  file: Both
}

/** Where the figures of runs are kept that the documentation shows. */
export const FIGURES = fileURLToPath(new URL('../docs/figures/', import.meta.url))

/** Keeps figures in a file, whose folder is made when missing. */
export function saveJson(file: string, figures: object) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(figures, null, 1)}\n`)
}

/** The head of a table of results. */
export const HEAD = ['scenario', 'a second', 'CPU µs', 'p50 ms', 'p99 ms', 'baseline', 'its CPU µs', 'ratio']

/** A result as cells below HEAD. */
export const cellsOf = (result: Result): string[] => [
  result.scenario +
    (result.group === 'reads' && result.connections < CONNECTIONS
      ? `, connections: ${result.connections}`
      : '') +
    (result.share === undefined ? '' : ` (finds ${percent(result.share)})`),
  whole(result.rate),
  short(result.cpu),
  short(result.p50),
  short(result.p99),
  `${result.against}${result.by === 'rate' ? `, ${whole(result.baseline.rate)} a second` : ''}`,
  short(result.baseline.cpu),
  `${result.ratio.toFixed(2)}${result.possible === undefined ? '' : ` of at most ${result.possible.toFixed(2)}`}${result.failures > 0 ? `, ${result.failures} failed` : ''}`,
]

const percent = (share: number) => `${Number((share * 100).toPrecision(2))} %`

/** How long a start took, and memory, in a sentence. */
export const startOf = ({ start, memory }: Run) =>
  start && memory
    ? `First list ${whole(start.milliseconds)} ms after spawning (Node.js alone: ${whole(start.bare)} ms), with ${megabytes(start.memory)} of memory; ${megabytes(memory)} after all reads.`
    : ''

/** A pair of filters, how it was answered, and in how many milliseconds: the first time, and the median. */
export type TimedPair = {
  filters: Record<string, string>
  status: number
  first: number
  milliseconds: number
}
export type Statement = { sql: string; times: number; plan: string[] }
export type Pairs = {
  made: string
  events: number
  pairs: number
  /** Milliseconds above which a pair is slow. */
  over: number
  slow: number
  /** Milliseconds of the first time, when counts are not yet in memory. */
  slowAtFirst: number
  /** Answered with an error other than 404, which is what a page beyond the end gets. */
  refused: number
  /** The median of all pairs. */
  middle: number
  slowest: (TimedPair & { statements: Statement[] })[]
}

/** A pair of filters as a query, its long values cut. */
export const queryOf = (filters: Record<string, string>) =>
  Object.entries(filters)
    .map(([name, value]) => `${name}=${value.length > 40 ? `${value.slice(0, 37)}...` : value}`)
    .join('&')
