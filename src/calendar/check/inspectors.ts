import type { Db } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import { nextPosts } from './derived.ts'
import type { Found } from './difference.ts'
import { checkWords } from './words.ts'

/** A part of a check: that of the file, of the index of words, or of the posts after one ID and up to another. */
export type Job = 'integrity' | 'words' | { after: number; until: number }
/** Processes that share the reading of a check. */
export type Inspectors = {
  /** Does a job as soon as a process is free, in the order of the calls. */
  run(job: Job): Promise<Found>
}

/** IDs of one job: some tenths of a second. */
const RANGE = 1_000

const damaged = (lines: string[]): Found => ({
  ids: [],
  differences: lines.map((what) => ({ kind: 'integrity', id: 0, what })),
})
/** The messages of SQLite about the file, or its error if it can not check it. */
export async function damagesOf({ rows }: Pick<Db, 'rows'>): Promise<Found> {
  try {
    return damaged(
      rows<[string]>('PRAGMA integrity_check').flatMap(([line]) => (line === 'ok' ? [] : [line])),
    )
  } catch (error) {
    return damaged([(error as Error).message])
  }
}

/** Does a job with a connection of its own. Each batch of posts is of one moment, whoever writes. */
export async function inspect(db: Db, site: Site, job: Job): Promise<Found> {
  if (job === 'integrity') return damagesOf(db)
  if (job === 'words') return checkWords(db)
  const found: Found = { ids: [], differences: [] }
  for (let { after } = job; ; ) {
    const { ids, differences } = await db.view(() => nextPosts(db.read, site, after, job.until))
    if (ids.length === 0) return found
    found.ids.push(...ids)
    found.differences.push(...differences)
    after = ids.at(-1)!
  }
}

/** At least the last ID, read without the table itself, which may be damaged. */
const LAST = "select coalesce(max(seq), 0) from sqlite_sequence where name = 'posts'"

/** A job whose failure is told where it is waited for, unless the file itself is damaged. */
export function begun(job: Promise<Found>): Promise<Found> {
  job.catch(() => {})
  return job
}

/** Has all posts checked at once by others; `next` gives what they found by ranges, in order. */
export function readAhead({ rows }: Pick<Db, 'rows'>, { run }: Inspectors) {
  const ranges: Promise<Found>[] = []
  const [[last]] = rows<[number]>(LAST) as [[number]]
  for (let after = 0; after < last; after += RANGE) {
    const isLast = after + RANGE >= last
    ranges.push(begun(run({ after, until: isLast ? Number.MAX_SAFE_INTEGER : after + RANGE })))
  }
  return {
    async next(): Promise<Found> {
      for (let range = ranges.shift(); range; range = ranges.shift()) {
        const found = await range
        if (found.ids.length > 0) return found
      }
      return { ids: [], differences: [] }
    },
  }
}
