import { useEffect, useRef } from 'preact/hooks'
import { list, listAll } from '../../api/client.ts'
import { credential } from '../../api/session.ts'
import { SITE } from '../../api/site.ts'
import { may } from '../../parts/shell.tsx'
import { readMessages } from '../../rules/stream.ts'

/** The kinds of records, with the paths of their lists, which are the names of their parts of the desk as well. */
export const KINDS = {
  event: 'events',
  venue: 'venues',
  organizer: 'organizers',
  category: 'categories',
  tag: 'tags',
} as const
export type Kind = keyof typeof KINDS

/** A record that changed. Without a time it changed some time in the days that were asked for. */
export type Change = {
  kind: Kind
  id: number
  name: string
  status?: string | undefined
  modified?: string | undefined
  /** The first day of an event, which tells it from others of its name. */
  day?: string | undefined
  /** Of a date of a series: its ID, and how many of its dates this one stands for. */
  series?: number | undefined
  dates?: number
  /** Told while the page was open. */
  isNew?: boolean
  isGone?: boolean
}
type Told = {
  id: number
  title?: string
  venue?: string | object
  organizer?: string | object
  name?: string
  status?: string
  modified_utc?: string
  series?: number
  start_date?: string
}

const nameOf = (kind: Kind, record: Told) => String(record[NAMES[kind]])
const changeOf = (kind: Kind, record: Told): Change => ({
  ...{ kind, id: record.id, name: nameOf(kind, record) },
  ...{ status: record.status, modified: record.modified_utc, series: record.series },
  day: record.start_date?.slice(0, 10),
})

/** The member of a record that is its name. */
const NAMES = {
  event: 'title',
  venue: 'venue',
  organizer: 'organizer',
  category: 'name',
  tag: 'name',
} as const
const fieldsOf = (kind: Kind) =>
  [
    ...['total', 'total_pages'],
    ...[
      'id',
      NAMES[kind],
      'status',
      'modified_utc',
      ...(kind === 'event' ? ['series', 'start_date'] : []),
    ].map((name) => `${KINDS[kind]}.${name}`),
  ].join()

/** Dates of a series that were changed together, as one: the first, with how many there are. */
function together(changes: Change[]): Change[] {
  const rows: Change[] = []
  for (const one of changes) {
    const last = rows.at(-1)
    if (one.series !== undefined && last?.series === one.series && last.status === one.status)
      last.dates = (last.dates ?? 1) + 1
    else rows.push(one)
  }
  return rows
}

/** Pages of a list that are read: the last 250 changes of a kind. */
const PAGES = 5
/** Events that are read, the last changed first. */
const MOST = 50

/** What was changed in the last days, the latest first, and then the categories and tags, whose times are not told. */
export async function changesOf(days: number): Promise<Change[]> {
  const after = new Date(Date.now() - days * 86_400_000).toISOString()
  const status = may('create records') ? 'publish,future,draft,pending,private,trash' : undefined
  const query = (kind: Kind) => ({ modified_after: after, status, _fields: fieldsOf(kind) })
  const terms = (kind: Kind) => ({ modified_after: after, hide_empty: false, _fields: fieldsOf(kind) })
  const found = await Promise.all([
    list<Told>('/events', 'events', {
      ...{ ...query('event'), when: 'all', orderby: 'modified', per_page: MOST },
    }).then(({ rows }) => rows),
    listAll<Told>('/venues', 'venues', query('venue'), PAGES),
    listAll<Told>('/organizers', 'organizers', query('organizer'), PAGES),
    listAll<Told>('/categories', 'categories', terms('category'), PAGES),
    listAll<Told>('/tags', 'tags', terms('tag'), PAGES),
  ])
  return together(
    (Object.keys(KINDS) as Kind[])
      .flatMap((kind, at) => found[at]!.map((record) => changeOf(kind, record)))
      .toSorted((a, b) => (b.modified ?? '').localeCompare(a.modified ?? '')),
  )
}

type Page = { changes: { kind: Kind; id: number; operation: string; record?: Told }[] }

/** Milliseconds before a stream that ended is opened again. */
const PAUSE = 5_000

/** Follows what is changed from now on, until the signal. */
async function follow(told: (changes: Change[]) => void, signal: AbortSignal) {
  let last: string | undefined
  while (!signal.aborted) {
    const answer = await fetch(`${SITE.api}/changes`, {
      headers: {
        accept: 'text/event-stream',
        authorization: credential(),
        ...(last !== undefined && { 'last-event-id': last }),
      },
      ...{ signal, credentials: 'same-origin' as const, cache: 'no-store' as const },
    })
    if (!answer.ok) return
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const { messages, left } = readMessages(text + part.value)
      text = left
      for (const { event, data, id } of messages) {
        if (event !== 'changes') return
        last = id ?? last
        const { changes }: Page = JSON.parse(data)
        told(
          changes.map(({ kind, id, operation, record }) =>
            operation === 'delete' || !record
              ? { kind, id, name: '', isGone: true, isNew: true }
              : { ...changeOf(kind, record), isNew: true },
          ),
        )
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}

/** Follows changes while a component is shown. */
export function useChanges(told: (changes: Change[]) => void) {
  const latest = useRef(told)
  latest.current = told
  useEffect(() => {
    const ending = new AbortController()
    // a list that is not followed is still a list
    follow((changes) => latest.current(changes), ending.signal).catch(() => {})
    return () => ending.abort()
  }, [])
}
