import type { Db } from '../../kernel/database/db.ts'

/** Among how many of the last IDs new events are looked for, whatever became of them. */
const LAST = 2_000
const NEWEST = `select max(event_id) from listings
  where event_id > (select max(event_id) from listings) - ${LAST}
    and status = 'publish' and not hidden and language = ? and utc_starts > ?
  group by coalesce(parent_id, -event_id) order by 1 desc limit ?`

/**
 * The IDs of events of a language that visitors see in lists, that were added last and begin after a time in Unix seconds: the newest
 * first, and one of each series.
 */
export const newest = (
  { rows }: Pick<Db, 'rows'>,
  language: string,
  after: number,
  count: number,
): number[] => rows<[id: number]>(NEWEST, language, after, count).map(([id]) => id)
