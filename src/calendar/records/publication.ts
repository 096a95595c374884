import { canPublish } from '../../kernel/access/roles.ts'
import { toEpoch, toUtc, toWall } from '../../kernel/time/dates.ts'
import { inZone, readMoment } from '../../kernel/time/moments.ts'
import { hasDates, isDraft, type Post } from '../formats/records.ts'
import type { PostKind } from './posts.ts'
import type { PostInput, Write } from './write.ts'

/**
 * Status and publication dates after a write (D36, reference §4.5). `publish` from a contributor becomes `pending`; with a future date
 * it becomes `future`. A date that was sent, or with which the record was published, is kept whatever the status becomes (D1).
 */
export function publication(
  w: Write,
  kind: PostKind,
  input: PostInput,
  self?: Post,
): Pick<Post, 'status' | 'date' | 'date_utc'> {
  const { zone } = w.site
  const read = (value: string, as: string) => inZone(readMoment(value, { now: w.now, zone: as })!, as)
  const here = toWall(w.now, zone)
  let status = input.status ?? self?.status ?? (canPublish(w.caller) ? 'publish' : 'draft')
  if (input.status && !canPublish(w.caller) && (status === 'publish' || status === 'future'))
    status = 'pending'
  let date = self?.date ?? here
  let utc = self?.date_utc ?? ''
  if (input.date_utc) {
    utc = read(input.date_utc, 'UTC')
    date = input.date ? read(input.date, zone) : toWall(toEpoch(utc, 'UTC'), zone)
  } else if (input.date) {
    date = read(input.date, zone)
    // a new date of a venue or organizer does not change its date in UTC, as recorded
    if (!self || hasDates(kind)) utc = toUtc(date, zone)
  }
  // without a date in the input, a record has that of its first publication; drafts, also in the trash, have none yet
  const waits = isDraft(status) || (status === 'trash' && self !== undefined)
  if (utc === '' && !waits) {
    if (date <= here) date = here
    utc = toUtc(date, zone)
  }
  if (status === 'publish' || status === 'future') status = utc > toWall(w.now, 'UTC') ? 'future' : 'publish'
  return { status, date, date_utc: utc }
}
