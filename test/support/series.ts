import type { Api, Client } from './app.ts'

/** Four Tuesdays of an evening in Madrid. */
export const WEEKLY = {
  title: 'Choir',
  start_date: '2026-12-01 20:00:00',
  end_date: '2026-12-01 22:00:00',
  timezone: 'Europe/Madrid',
  recurrence: { rrule: 'FREQ=WEEKLY;COUNT=4' },
}

/** A date of a series, as the database has it. */
type StoredDate = {
  id: number
  date: string
  status: string
  overrides: string[]
  title: string
  start: string
}

/** All dates of a series, also those in the trash. */
export const storedDates = ({ app }: Pick<Api, 'app'>, series: number): StoredDate[] =>
  app.store.db
    .rows<[number, string, string, string, string, string]>(
      `select o.post_id, o.recurrence_id, p.status, o.overrides, p.title, e.start_date from occurrences o
       join posts p on p.id = o.post_id join events e using (post_id) where series_id = ? order by recurrence_id`,
      series,
    )
    .map(([id, date, status, overrides, title, start]) => {
      return { id, date, status, overrides: JSON.parse(overrides), title, start }
    })

/** The days of a series that are not in the trash, as one text, such as `12-01 12-08`. */
export const daysOf = (api: Pick<Api, 'app'>, series: number): string =>
  storedDates(api, series)
    .filter(({ status }) => status !== 'trash')
    .map(({ start }) => start.slice(5, 10))
    .join(' ')

/** The ETags of all dates that a list shows, by ID. */
export async function etagsOf(client: Client, ids: number[]): Promise<Record<number, string>> {
  const tags: Record<number, string> = {}
  for (const id of ids) tags[id] = (await client.get(`/events/${id}`)).headers.etag!
  return tags
}
