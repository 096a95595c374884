import { isDeepStrictEqual } from 'node:util'
import type { Store, Write } from '../../../calendar/store.ts'
import type { Body as Input } from '../files/items.ts'
import type { RecordKind } from '../store.ts'
import type { SourceRecord } from './source-records.ts'
import type { Alike, SyncState } from './sync-state.ts'

/** The events of the source by the series and the date that they are of. */
export type DatesOf = Map<number, Map<string, number>>
type InTransaction = Pick<Write, 'tx'>
type Stored = { id: number; date: string; version: string }

const SPAN = ['start_date', 'end_date', 'timezone', 'all_day']
/** The members of an input by the names under which a date differs from its series. */
const MEMBERS: Record<string, string[]> = { start_date: SPAN, end_date: SPAN, date: ['date_utc'] }

/** What a date of a series has of its own. */
function overriddenOf(input: Input, overrides: string[]): Input {
  const names = new Set(overrides.flatMap((name) => MEMBERS[name] ?? [name]))
  return {
    ...Object.fromEntries(Object.entries(input).filter(([name]) => names.has(name))),
    overrides,
  }
}

/** The dates of series that are imported. */
export function openSeriesDates(store: Store, sync: SyncState, dates: DatesOf) {
  const { imports } = store
  const eventOf = (series: number, date: string) => dates.get(series)!.get(date)

  return {
    /**
     * Whether an event is a date of a series that was imported: the event here that has its date is remembered for it. `later` if the series has
     * no event for it yet.
     */
    async find(w: Write, { kind, id, date }: SourceRecord): Promise<boolean | 'later'> {
      const record = date && sync.recordOf('series', date.series)
      if (kind !== 'event' || record === undefined) return false
      const [own] = await imports.dates(w.tx, record, date!.id)
      if (!own) return 'later'
      const row = sync.find('event', id)
      if (row?.record_id === own.id) return true
      // a single event that repeats by now, of which the series made another one
      if (row !== undefined && (await imports.state(w.tx, kind, row.record_id))?.version === row.version)
        await store.events.update(w, { id: row.record_id }, { status: 'trash' })
      await sync.note(w, { kind, id }, { record_id: own.id, digest: '', version: own.version })
      return true
    },
    /** What is sent for a date: what it has of its own, and its slug if that is another one. */
    async inputOf(w: InTransaction, { date }: SourceRecord, record: number, input: Input): Promise<Input> {
      const state = await imports.state(w.tx, 'event', record)
      const own = overriddenOf(input, date!.overrides)
      return { ...own, ...(input.slug !== undefined && input.slug !== state!.slug && { slug: input.slug }) }
    },
    /** The first date of a series at the source. */
    firstOf: (series: number): string | undefined => [...dates.get(series)!.keys()].sort()[0],
    /** The IDs of the events of a series that are still to be made: those that are free are kept, others come after all that are imported. */
    async idsOf(w: InTransaction, series: number): Promise<(date: string) => number | undefined> {
      if (!sync.source.keeps_ids) return () => undefined
      const free = new Set<number>()
      for (const id of dates.get(series)!.values()) if (await imports.isFree(w.tx, 'event', id)) free.add(id)
      let last = Math.max(await imports.lastId(w.tx), series, ...dates.get(series)!.values())
      return (date) => {
        const id = eventOf(series, date)
        return id !== undefined && free.has(id) ? id : ++last
      }
    },
    /** Remembers the events of a series that was written, and the state of those that followed it and were not edited. */
    async note(w: InTransaction, series: number, record: number, before: Stored[]) {
      const was = new Map(before.map(({ id, version }) => [id, version]))
      for (const { id, date, version } of await imports.dates(w.tx, record)) {
        const remote = eventOf(series, date)
        const row = remote === undefined ? undefined : sync.find('event', remote)
        const kind: RecordKind = 'event'
        if (remote !== undefined && row === undefined)
          await sync.note(w, { kind, id: remote }, { record_id: id, digest: '', version })
        else if (row && row.record_id === id && row.version === was.get(id) && row.version !== version)
          await sync.note(w, { kind, id: remote! }, { ...row, version })
      }
    },
  }
}

/** What tells which events look alike: events with one key differ in their days. */
export type Candidate = { id: number; name: string; key: string; date: string; isAllDay: boolean }
/** A series that is made of events, and these by their dates. */
type Made = { one: SourceRecord; dates: Map<string, number> }

/** So few events do not make a series, and so many are more than one may have. */
const LEAST = 3
const MOST = 1500
const DAY = 86_400_000

const secondsOf = (wall: unknown) => Date.parse(`${String(wall).replace(' ', 'T')}Z`) / 1_000

/** What an event looks like; nothing for those that can be no date of a series that is made here. */
export function candidateOf({
  kind,
  id,
  name,
  body,
  links,
  parent,
  date,
  refused,
}: SourceRecord): Candidate[] {
  if (kind !== 'event' || parent > 0 || date !== undefined || refused !== undefined) return []
  const [start, end] = [String(body.start_date), String(body.end_date)]
  const isAllDay = body.all_day === true
  const length = secondsOf(end) - secondsOf(start)
  const same = [
    name,
    start.slice(11),
    length,
    isAllDay,
    body.timezone,
    body.i18n_language,
    body.status,
    links.venue,
  ]
  return [{ id, name, key: JSON.stringify(same), date: isAllDay ? start.slice(0, 10) : start, isAllDay }]
}

/** Groups of events that look like dates of one series, each in the order of its dates. Of two on one date the first counts. */
function groupsOf(candidates: Candidate[]): Candidate[][] {
  const groups = new Map<string, Map<string, Candidate>>()
  for (const candidate of candidates) {
    const group = groups.get(candidate.key) ?? new Map<string, Candidate>()
    if (!group.has(candidate.date)) group.set(candidate.date, candidate)
    groups.set(candidate.key, group)
  }
  return [...groups.values()]
    .filter(({ size }) => size >= LEAST && size <= MOST)
    .map((group) => [...group.values()].sort((one, other) => (one.date < other.date ? -1 : 1)))
}

/** How a group repeats: by a rule if its dates are equally far apart, else by its dates. */
function recurrenceOf(group: Candidate[]): { rrule: string } | { rdate: string[] } {
  const days = group.map(({ date }) => Date.parse(`${date.slice(0, 10)}T00:00:00Z`) / DAY)
  const step = days[1]! - days[0]!
  if (!days.every((day, at) => day === days[0]! + at * step))
    return { rdate: group.slice(1).map(({ date }) => date) }
  const rule = step % 7 === 0 ? `FREQ=WEEKLY;INTERVAL=${step / 7}` : `FREQ=DAILY;INTERVAL=${step}`
  return { rrule: `${rule};COUNT=${group.length}` }
}

/** The groups of events that could be series. */
export const findAlike = (candidates: Candidate[]): Alike[] =>
  groupsOf(candidates).map((group) => {
    const recurrence = recurrenceOf(group)
    const rule = 'rrule' in recurrence ? recurrence.rrule : `${group.length} dates`
    return { name: group[0]!.name, ids: group.map(({ id }) => id), rule }
  })

/** Members in which a date may differ from its series. */
const OVERRIDABLE = [
  ...[
    'description',
    'excerpt',
    'cost',
    'website',
    'show_map',
    'show_map_link',
    'hide_from_listings',
    'sticky',
  ],
  ...['featured', 'ticketed', 'event_status', 'attendance_mode', 'virtual_url', 'event_status_reason'],
]

function overridesOf(one: SourceRecord, first: SourceRecord): string[] {
  const differs = (a: unknown, b: unknown) => !isDeepStrictEqual(a, b)
  const { organizer, category, tag } = one.links
  return [
    ...OVERRIDABLE.filter((name) => differs(one.body[name], first.body[name])),
    ...(one.image === first.image ? [] : ['image']),
    ...(differs(organizer, first.links.organizer) ? ['organizer'] : []),
    ...(differs(category, first.links.category) ? ['categories'] : []),
    ...(differs(tag, first.links.tag) ? ['tags'] : []),
  ]
}

/**
 * Makes series of events that look like dates of one, and these events their dates. A series is known by the ID of its first event. Events
 * that were imported as single ones before stay such.
 */
export function makeSeries(all: SourceRecord[], sync: SyncState): { series: Made[]; events: SourceRecord[] } {
  const byId = new Map(all.map((one) => [one.id, one]))
  const series: Made[] = []
  // above those of all events, which keep theirs
  let keeps = all.reduce((most, { id }) => Math.max(most, id), 0)
  for (const group of groupsOf(all.flatMap(candidateOf))) {
    const first = byId.get(group[0]!.id)!
    const isNew = group.every(({ id }) => sync.find('event', id) === undefined)
    if (!isNew && sync.find('series', first.id) === undefined) continue
    const { date_utc: _, ...body } = first.body
    series.push({
      one: {
        ...first,
        kind: 'series',
        body: { ...body, recurrence: recurrenceOf(group) },
        translations: [],
        keeps: ++keeps,
      },
      dates: new Map(group.map(({ id, date }) => [date, id])),
    })
    for (const { id, date } of group) {
      const one = byId.get(id)!
      byId.set(id, { ...one, date: { series: first.id, id: date, overrides: overridesOf(one, first) } })
    }
  }
  return { series, events: [...byId.values()] }
}
