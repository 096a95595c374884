import { and, count, eq, ne, sql } from 'drizzle-orm'
import { events, occurrences, posts } from '../../../../drizzle/tables.ts'
import { prepared, type Queries } from '../../../kernel/database/db.ts'
import { openPauses } from '../../../kernel/database/queue.ts'
import type { EventRow, OccurrenceRow, Post, SeriesRow } from '../../formats/records.ts'
import type { RecurrenceId } from '../../recurrence/rule.ts'
import { findStored, type StoredEvent } from '../events.ts'
import { findById } from '../posts.ts'
import { postRows } from '../rows.ts'

/** A series as it is stored: its pattern, and how it repeats. */
export type Series = StoredEvent & { row: SeriesRow }
/** An event that a series gave. */
export type Occurrence = { post: Post; event: EventRow; row: OccurrenceRow }

const occurrenceRows = prepared((db) =>
  db
    .select({ post: posts, event: events, row: occurrences })
    .from(occurrences)
    .innerJoin(posts, eq(posts.id, occurrences.post_id))
    .innerJoin(events, eq(events.post_id, occurrences.post_id))
    .where(
      and(
        eq(occurrences.series_id, sql.placeholder('series')),
        sql`(${occurrences.recurrence_id}, ${occurrences.post_id}) > (${sql.placeholder('after')}, ${sql.placeholder('last')})`,
      ),
    )
    .orderBy(occurrences.recurrence_id, occurrences.post_id)
    .limit(sql.placeholder('limit'))
    .prepare(),
)
const dateCount = prepared((db) =>
  db
    .select({ dates: count() })
    .from(occurrences)
    .innerJoin(posts, eq(posts.id, occurrences.post_id))
    .where(and(eq(occurrences.series_id, sql.placeholder('series')), ne(posts.status, 'trash')))
    .prepare(),
)
/** The series with this ID, which exists. */
export async function findSeries(tx: Queries, id: number): Promise<Series> {
  const post = await findById(tx, 'series', id)
  const row = (await postRows.series.find(tx, id))!
  return { ...(await findStored(tx, post!)), row }
}

/** How many events are read at once, so that others have a turn between. */
const BATCH = 100

/** The events that a series gave, in the order of their dates, also those in the trash: all of them, or those after a date. */
export async function occurrencesOf(tx: Queries, id: number, date: RecurrenceId = ''): Promise<Occurrence[]> {
  const pause = openPauses(tx)
  const found: Occurrence[] = []
  let [after, last] = [date, Number.MAX_SAFE_INTEGER]
  let read: Occurrence[]
  do {
    read = await occurrenceRows(tx).execute({ series: id, after, last, limit: BATCH })
    for (const own of read) {
      found.push(own)
      ;({ recurrence_id: after, post_id: last } = own.row)
    }
    await pause()
  } while (read.length === BATCH)
  return found
}

/** The event of the first date of a series, which has one. */
export async function firstOccurrence(tx: Queries, id: number): Promise<Occurrence> {
  const [first] = await occurrenceRows(tx).execute({ series: id, after: '', last: 0, limit: 1 })
  return first!
}

/** How many dates a series has, without events in the trash. */
export async function countDates(tx: Queries, id: number): Promise<number> {
  const [found] = await dateCount(tx).execute({ series: id })
  return found!.dates
}

const translatedDates = prepared((db) =>
  db
    .select({
      id: posts.id,
      language: posts.language,
      group: posts.translation_group,
      series: occurrences.series_id,
    })
    .from(occurrences)
    .innerJoin(posts, eq(posts.id, occurrences.post_id))
    .where(
      and(
        eq(occurrences.recurrence_id, sql.placeholder('date')),
        ne(occurrences.series_id, sql.placeholder('series')),
        ne(posts.status, 'trash'),
        sql`${occurrences.series_id} in (select other.id from posts as other where other.translation_group = ${sql.placeholder('group')} and other.kind = 'series')`,
      ),
    )
    .orderBy(posts.id)
    .prepare(),
)

/** The events that the translations of a series have on a date, without those in the trash. */
export const translatedDatesOf = async (
  tx: Queries,
  { id: series, translation_group: group }: Pick<Post, 'id' | 'translation_group'>,
  date: RecurrenceId,
) => (group === null ? [] : translatedDates(tx).execute({ series, group, date }))
