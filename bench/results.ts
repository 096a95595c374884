import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Figures } from './load.ts'
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

/** Keeps figures in a file, whose folder is made when missing. */
export function saveJson(file: string, figures: object) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(figures, null, 1)}\n`)
}
