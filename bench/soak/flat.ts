import Database from 'better-sqlite3'
import { median } from '../figures.ts'

/** What is measured of a running service at one moment: bytes, seconds and numbers. */
export type Sample = {
  /** Seconds since the start. */
  at: number
  resident: number
  heap: number
  /** 99th percentile of the delay of the event loop since the last sample. */
  delay: number
  file: number
  log: number
  descriptors: number
  /** Writes that were answered so far. */
  writes: number
}

const MEGABYTE = 2 ** 20

/** By how much the median of the last third may lie above that of the second: a part of it, and a constant for noise. */
const TOLERANCE = {
  resident: { part: 0.1, more: 16 * MEGABYTE },
  heap: { part: 0.15, more: 16 * MEGABYTE },
  delay: { part: 1, more: 0.05 },
  descriptors: { part: 0, more: 4 },
} as const
/** SQLite brings the log in at 16 MB; it may become longer while something reads or a large transaction is written. */
export const MOST_LOG = 64 * MEGABYTE
/**
 * In an hour a write leaves 700 bytes: 450 in the table of changes, which are kept for 30 days, the rest in documents, the audit log and indexes. In a
 * quarter of an hour it is more, as the index of texts grows until each event was written about four times.
 */
export const MOST_PER_WRITE = 1_024

type Figure = { second: number; last: number; most: number }
type Verdict = {
  flat: Record<keyof typeof TOLERANCE, Figure>
  /** Longest length of the log, and bytes by which a write lengthened the file in the last third. */
  log: number
  perWrite: number
  faults: string[]
}

/** Whether what has to stay the same under a steady load does: the first third is for warming up. */
export function judge(samples: Sample[]): Verdict {
  const third = Math.floor(samples.length / 3)
  const [second, last] = [samples.slice(third, -third), samples.slice(-third)]
  const faults: string[] = []
  const flat = Object.fromEntries(
    Object.entries(TOLERANCE).map(([name, { part, more }]) => {
      const of = (list: Sample[]) => median(list.map((sample) => sample[name as keyof typeof TOLERANCE]))
      const figure = { second: of(second), last: of(last), most: of(second) * (1 + part) + more }
      if (figure.last > figure.most)
        faults.push(`${name} grows: ${figure.second}, then ${figure.last}; at most ${figure.most}`)
      return [name, figure]
    }),
  ) as Verdict['flat']
  const log = Math.max(...samples.map((sample) => sample.log))
  if (log > MOST_LOG) faults.push(`the log was ${log} bytes long; at most ${MOST_LOG}`)
  const [from, to] = [last[0]!, last.at(-1)!]
  const perWrite = (to.file - from.file) / Math.max(1, to.writes - from.writes)
  if (perWrite > MOST_PER_WRITE)
    faults.push(`the file grows by ${perWrite} bytes a write; at most ${MOST_PER_WRITE}`)
  return { flat, log, perWrite, faults }
}

/** Bytes of the tables and indexes of a database file, by name, with `free pages`, which later writes take. */
export type Sizes = Map<string, number>

/** Reads the sizes of a file, which a service may have open. */
export function sizesOf(file: string): Sizes {
  const db = new Database(file, { readonly: true })
  const rows = db.prepare('select name, sum(pgsize) from dbstat group by name').raw().all()
  const free = db.prepare('pragma freelist_count').pluck().get() as number
  const page = db.prepare('pragma page_size').pluck().get() as number
  db.close()
  return new Map([...(rows as [string, number][]), ['free pages', free * page]])
}

/** Bytes a write by which each part of a file grew, the most first; parts that grew by less than one are summed as `others`. */
export function growthOf(before: Sizes, after: Sizes, writes: number): [name: string, perWrite: number][] {
  const all = [...after].map(
    ([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / Math.max(1, writes)] as [string, number],
  )
  const shown = all.filter(([, bytes]) => Math.abs(bytes) >= 1).sort(([, one], [, other]) => other - one)
  const others = all.filter(([, bytes]) => Math.abs(bytes) < 1).reduce((sum, [, bytes]) => sum + bytes, 0)
  return [...shown, ['others', others]]
}
