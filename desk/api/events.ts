import type { EventRecord } from '../rules/event.ts'
import { countFollowing, type DateRow, type Range } from '../rules/series.ts'
import { type Answer, Failure, list, listAll, type Query, read, send } from './client.ts'

/** Reads an event with its ETag. One in the trash is read from the list of the trash, and has the ETag that the refused read tells. */
export async function readEvent<T>(id: number): Promise<Answer<T>> {
  try {
    return await send<T>('GET', `/events/${id}`)
  } catch (failure) {
    if (!(failure instanceof Failure) || failure.code !== 'event-no-longer-available') throw failure
    const { rows } = await list<T>('/events', 'events', { include: id, status: 'trash', when: 'all' })
    if (rows.length === 0) throw failure
    return { body: rows[0]!, etag: failure.etag }
  }
}

/** What is known of a record that was written. */
export type Trashed = { id: number; modified_utc: string }

/** Brings a record back from the trash with the status that it had, if it is still the one with this ETag; `query` may say that its translations are. */
export const restore = (path: string, match: string | undefined, query: Query = {}) =>
  send('POST', `${path}/restore`, { match, query })

/** The ETag of a record that is still as it was written. Throws 412 if somebody has changed it since. */
export function asPut({ body, etag }: Answer<Trashed>, written: Trashed): string | undefined {
  if (body.modified_utc === written.modified_utc) return etag
  throw new Failure(412, { code: 'rest_precondition_failed', message: '' })
}

/** Brings an event back from the trash, if it still lies there as it was put there. */
export const restoreEvent = async (trashed: Trashed, query?: Query) =>
  restore(`/events/${trashed.id}`, asPut(await readEvent<Trashed>(trashed.id), trashed), query)

/** Brings a venue or an organizer back from the trash, if it still lies there as it was put there. */
export async function restoreLinked(plural: string, trashed: Trashed, query: Query) {
  const path = `/${plural}/${trashed.id}`
  await restore(path, asPut(await send<Trashed>('GET', path), trashed), query)
}

/** An event with the series that it is a date of, if it is one. */
export async function withSeries(record: EventRecord): Promise<EventRecord> {
  if (record.series === undefined) return record
  const of = await read<NonNullable<EventRecord['of']>>(`/series/${record.series}`, {
    _fields: 'id,status,start_date,all_day,timezone,recurrence',
  })
  return { ...record, of }
}

/** Reads an event with its ETag, and with its series. */
export async function readDated(id: number): Promise<Answer<EventRecord>> {
  const { body, ...answer } = await readEvent<EventRecord>(id)
  return { ...answer, body: await withSeries(body) }
}

/** Pages of dates: a series has 1,500 at most. */
const MOST_PAGES = 30

/** How many dates of a series follow one, and how many there are, without those that differ in all that is changed. */
export async function countDates(record: EventRecord, members: string[]): Promise<Record<Range, number>> {
  const fields = ['id', 'recurrence_id', 'overrides'].map((name) => `events.${name}`)
  const query = { series: record.series, when: 'all', status: 'any' }
  const asked = { ...query, _fields: ['total', 'total_pages', ...fields].join() }
  return countFollowing(await listAll<DateRow>('/events', 'events', asked, MOST_PAGES), record, members)
}
