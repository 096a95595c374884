import { listAll, send } from '../../api/client.ts'
import { asPut, readEvent, restore, restoreEvent, type Trashed } from '../../api/events.ts'
import { failureText } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { type Change, changeOf } from '../../rules/bulk.ts'
import type { EventRecord } from '../../rules/event.ts'
import { w } from '../../words/words.ts'
import { MOST_PAGES, type Row } from './query.ts'

/** What can be done to several events: to their status, to their being there at all, or to what they say. */
export type Act = 'publish' | 'draft' | 'trash' | 'restore' | 'erase'

/** What became of one event, or of all dates of a series: why it was left alone, or how it is brought back. */
export type Outcome = {
  id: number
  title: string
  /** How many events it is, if it is not one. */
  count?: number
  problem?: string
  undo?: (() => Promise<unknown>) | undefined
}

type Stored = { body: EventRecord; etag: string | undefined }

/** Does something to an event, if it still is as the table shows it; `work` gives the way back. */
async function touch(row: Row, work: (now: Stored) => Promise<Outcome['undo']>): Promise<Outcome> {
  const { id, title, modified_utc } = row
  try {
    const now = await readEvent<EventRecord>(id)
    if (now.body.modified_utc !== modified_utc) return { id, title, problem: w.changed_meanwhile }
    return { id, title, undo: await work(now) }
  } catch (failure) {
    return { id, title, problem: failureText(failure) }
  }
}

/** What is done at once: one event, or a series of which all dates are. */
export type Work = Row & { dates?: Row[] }

/** The dates of a series as far as it tells whether they are as the table shows them. */
const datesOf = (series: number) =>
  listAll<{ id: number; modified_utc: string }>(
    '/events',
    'events',
    {
      ...{ series, status: 'any', when: 'all' },
      _fields: 'total,total_pages,events.id,events.modified_utc',
    },
    MOST_PAGES,
  )

/**
 * Rows as they are worked on when they get another status: dates that are all of their series, and as they were shown, are one piece of
 * work, so that they do not differ from the series afterwards. Those that have a status of their own stay by themselves.
 */
export async function worksOf(rows: Row[]): Promise<Work[]> {
  const follows = ({ series, overrides = [] }: Row) => series !== undefined && !overrides.includes('status')
  const works: Work[] = rows.filter((row) => !follows(row))
  const known = new Map(rows.map((row) => [row.id, row.modified_utc]))
  for (const series of new Set(rows.filter(follows).map((row) => row.series!))) {
    const chosen = rows.filter((row) => follows(row) && row.series === series)
    const all = chosen.length > 1 ? await datesOf(series) : []
    const isWhole = all.length > 0 && all.every(({ id, modified_utc }) => known.get(id) === modified_utc)
    works.push(...(isWhole ? [{ ...chosen[0]!, dates: chosen }] : chosen))
  }
  return works
}

/** Gives all dates of a series another status, with the series itself. */
async function actOnSeries(status: Act, { series, id, title, dates }: Work): Promise<Outcome> {
  const path = `/series/${series}`
  const count = dates!.length
  try {
    const { body, etag } = await send<{ status: string }>('GET', path)
    const { body: written } = await send<Trashed>('PATCH', path, { body: { status }, match: etag })
    const undo = async () =>
      send('PATCH', path, { body: { status: body.status }, match: asPut(await send('GET', path), written) })
    return { id, title, count, undo }
  } catch (failure) {
    return { id, title, count, problem: failureText(failure) }
  }
}

/** Gives an event other members; brought back are those that it had, if nobody has changed it since. */
async function rewrite(
  { id }: Row,
  { etag }: Stored,
  body: object,
  before: object,
): Promise<Outcome['undo']> {
  const path = `/events/${id}`
  const { body: written } = await send<Trashed>('PATCH', path, { body, match: etag })
  // its ETag may be another one by now: the terms that it shows count their events
  return async () => send('PATCH', path, { body: before, match: asPut(await readEvent(id), written) })
}

/** Does something to one event of the table, or to all dates of a series. */
export const act = (name: Act, row: Work): Promise<Outcome> =>
  row.dates ? actOnSeries(name, row) : actOnEvent(name, row)

const actOnEvent = (name: Act, row: Row): Promise<Outcome> =>
  touch(row, async (now) => {
    const path = `/events/${row.id}`
    if (name === 'publish' || name === 'draft') {
      const { status, date } = now.body
      // one that is scheduled has its date again
      const before = status === 'future' ? { status: 'publish', date } : { status }
      return rewrite(row, now, { status: name }, before)
    }
    if (name === 'restore') {
      await restore(path, now.etag)
      return undefined
    }
    const query = { query: { force: name === 'erase' } }
    const { body } = await send<Trashed>('DELETE', path, { match: now.etag, ...(name === 'erase' && query) })
    return name === 'trash' ? () => restoreEvent(body) : undefined
  })

/** Changes members of one event of the table. */
export const change = (what: Change, row: Row): Promise<Outcome> =>
  touch(row, async (now) => {
    const { body, before } = changeOf(now.body, what)
    return Object.keys(body).length === 0 ? undefined : rewrite(row, now, body, before)
  })

/** Brings an event back to how it was. */
export async function bringBack({ undo, ...outcome }: Outcome): Promise<Outcome> {
  try {
    await undo!()
    return outcome
  } catch (failure) {
    return { ...outcome, problem: failureText(failure) }
  }
}

/** Which acts make sense for a status, and are allowed. */
export const actsFor = (status: string): Act[] =>
  status === 'trash'
    ? ['restore', 'erase']
    : may('publish records')
      ? ['publish', 'draft', 'trash']
      : ['draft', 'trash']
