import { send } from '../../api/client.ts'
import { asPut, readEvent, restore, restoreEvent, type Trashed } from '../../api/events.ts'
import { failureText } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { type Change, changeOf } from '../../rules/bulk.ts'
import type { EventRecord } from '../../rules/event.ts'
import { w } from '../../words/words.ts'
import type { Row } from './query.ts'

/** What can be done to several events: to their status, to their being there at all, or to what they say. */
export type Act = 'publish' | 'draft' | 'trash' | 'restore' | 'erase'

/** What became of one event: why it was left alone, or how it is brought back. */
export type Outcome = {
  id: number
  title: string
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

/** Does something to one event of the table. */
export const act = (name: Act, row: Row): Promise<Outcome> =>
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
export async function bringBack({ id, title, undo }: Outcome): Promise<Outcome> {
  try {
    await undo!()
    return { id, title }
  } catch (failure) {
    return { id, title, problem: failureText(failure) }
  }
}

/** Which acts make sense for a status, and are allowed. */
export const actsFor = (status: string): Act[] =>
  status === 'trash'
    ? ['restore', 'erase']
    : may('publish records')
      ? ['publish', 'draft', 'trash']
      : ['draft', 'trash']
