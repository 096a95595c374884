import type { EventRecord } from '../rules/event.ts'
import { type Answer, list, read } from './client.ts'
import { readEvent } from './trash.ts'

/** Which dates of a series a change is for. */
export type Range = 'this' | 'following' | 'all'

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
  const { body, etag } = await readEvent<EventRecord>(id)
  return { body: await withSeries(body), etag }
}

type Row = { id: number; recurrence_id: string; overrides: string[] }

/** How many dates of a series follow one, and how many there are, without those that differ in all that is changed. */
export async function countDates(
  { id, series, recurrence_id, start_date }: EventRecord,
  members: string[],
): Promise<Record<Range, number>> {
  const query = { series, when: 'all', status: 'any' }
  const fields = ['id', 'recurrence_id', 'overrides'].map((name) => `events.${name}`)
  const found = await list<Row>('/events', 'events', {
    ...{ ...query, per_page: 50, _fields: ['total', 'total_pages', ...fields].join() },
  })
  if (found.pages > 1) {
    const later = {
      ...query,
      start_date,
      strict_dates: true,
      per_page: 1,
      _fields: 'events.id,total,total_pages',
    }
    const following = await list('/events', 'events', later)
    return { this: 1, following: following.total, all: found.total }
  }
  const follows = found.rows.filter(
    (row) => row.id === id || members.length === 0 || !members.every((name) => row.overrides.includes(name)),
  )
  const later = follows.filter((row) => row.recurrence_id >= recurrence_id!)
  return { this: 1, following: later.length, all: follows.length }
}
