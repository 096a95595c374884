import type { Task } from '../../support/scheduler.ts'
import { EVERYTHING } from '../changes/changes.ts'
import type { Db } from '../sqlite/db.ts'

/**
 * The last change of something: its time in UTC, and how many there were in this second. Without a time, it is older than what is
 * still known.
 */
export type LastChange = { at_utc: string | undefined; count: number }
type Row = [seq: number, kind: string, id: number, at_utc: string]

const BEFORE =
  'select seq, kind, record_id, at_utc from changes where seq < ? and (touched & ?) = 0 order by seq desc limit 500'

/**
 * The last change of any of these events, or of something that they show, which touched nothing of `without`. Read from the end, where
 * the answer usually is. It says nothing of other records, as the number of a row would.
 */
export function* lastChange(
  { rows }: Pick<Db, 'rows'>,
  ids: Iterable<number>,
  without: number,
): Task<LastChange> {
  const among = new Set(ids)
  const last: LastChange = { at_utc: undefined, count: 0 }
  let found = rows<Row>(BEFORE, Number.MAX_SAFE_INTEGER, without)
  while (found.length > 0) {
    for (const [, kind, id, at_utc] of found) {
      if (last.at_utc !== undefined && at_utc !== last.at_utc) return last
      if (kind !== EVERYTHING && !(kind === 'event' && among.has(id))) continue
      last.at_utc = at_utc
      last.count++
    }
    yield
    found = rows<Row>(BEFORE, found.at(-1)![0], without)
  }
  return last
}
