import type { EventRecord } from '../rules/event.ts'
import { countFollowing, type DateRow, type Range } from '../rules/series.ts'
import { type Answer, listAll, read } from './client.ts'
import { readEvent } from './trash.ts'

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
