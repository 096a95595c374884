import { EVERYTHING } from '../sqlite/changes.ts'
import type { Db } from '../sqlite/db.ts'
import type { Steps } from './slices.ts'

/** The last change of something: its number and time in UTC. Without a time, it is older than what is still known. */
export type Touched = { seq: number; at_utc: string | undefined }
type Row = [seq: number, kind: string, id: number, at_utc: string]

const BEFORE = 'select seq, kind, record_id, at_utc from changes where seq < ? order by seq desc limit 500'

/** The last change of any of these events, or of something that they show. Read from the end, where the answer usually is. */
export function* lastTouched({ rows }: Pick<Db, 'rows'>, ids: Iterable<number>): Steps<Touched> {
  const among = new Set(ids)
  let seq = Number.MAX_SAFE_INTEGER
  for (;;) {
    const found = rows<Row>(BEFORE, seq)
    for (const [at, kind, id, at_utc] of found)
      if (kind === EVERYTHING || (kind === 'event' && among.has(id))) return { seq: at, at_utc }
    if (found.length === 0) return { seq: seq === Number.MAX_SAFE_INTEGER ? 0 : -seq, at_utc: undefined }
    seq = found.at(-1)![0]
    yield
  }
}
