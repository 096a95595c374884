import { lastDay } from './month.ts'
import { fitted, type Repetition } from './repeat.ts'
import { addDays, addMinutes, daysBetween, moveWall } from './wall.ts'

/** Something that an event refers to: a venue, an organizer, a category or a tag. A term without an ID is new. */
export type Ref = { id: number; name: string }
/** A picture as a form shows it. */
export type Picture = { id: number; url: string } | null

/** An event as a response of the API has it, as far as the desk shows it. */
export type EventRecord = {
  id: number
  author: string
  status: string
  date: string
  modified_utc: string
  url: string
  slug: string
  language: string
  translations: Record<string, number>
  title: string
  description: string
  excerpt: string
  image: false | { id: number; url: string; sizes?: Record<string, { url: string }> }
  all_day: boolean
  start_date: string
  end_date: string
  timezone: string
  cost: string
  website: string
  show_map: boolean
  show_map_link: boolean
  hide_from_listings: boolean
  sticky: boolean
  featured: boolean
  ticketed: boolean
  categories: Ref[]
  tags: Ref[]
  venue: { id: number; venue: string } | { id: number; venue: string }[]
  organizer: { id: number; organizer: string }[]
  event_status: string
  event_status_reason: string
  attendance_mode: string
  virtual_url: string
  /** True if visitors need a password, otherwise absent. */
  protected?: boolean
  /** Of a date of a series: its ID, the date that the rule gave, and the members in which it differs. */
  series?: number
  recurrence_id?: string
  overrides?: string[]
  /** The series itself, which the desk reads as well. */
  of?: {
    id: number
    status: string
    start_date: string
    all_day: boolean
    timezone: string
    recurrence: Repetition
  }
}

const TEXTS = [
  ...(['title', 'description', 'excerpt', 'slug', 'cost', 'website', 'virtual_url'] as const),
  'event_status_reason',
] as const
const WORDS = ['status', 'event_status', 'attendance_mode', 'language'] as const
const FLAGS = ['featured', 'sticky', 'hide_from_listings', 'show_map', 'show_map_link', 'ticketed'] as const
const TIMES = ['start_day', 'start_time', 'end_day', 'end_time', 'all_day', 'timezone'] as const

/** An event as it is edited: every value as its field has it. */
export type EventForm = Record<(typeof TEXTS)[number] | (typeof WORDS)[number], string> &
  Record<(typeof FLAGS)[number], boolean> & {
    start_day: string
    start_time: string
    end_day: string
    end_time: string
    all_day: boolean
    timezone: string
    venue: Ref[]
    organizer: Ref[]
    categories: Ref[]
    tags: Ref[]
    image: Picture
    /** When a scheduled event is published, in the zone of the site, as `2026-12-05T09:00`. */
    date: string
    /** ID of the user who owns the event; empty for whoever writes it. */
    author: string
    /** Whether visitors need a password, which the API does not tell. */
    protected: boolean
    /** How it repeats; null for a single event. */
    recurrence: Repetition | null
    /** The series that it is a date of; 0 for a single event. */
    series: number
    /** A new password; empty for none. Undefined leaves it as it is. */
    password?: string
  }

const pick = <N extends string, V>(names: readonly N[], read: (name: N) => V) =>
  Object.fromEntries(names.map((name) => [name, read(name)])) as Record<N, V>
const refs = (terms: Ref[]): Ref[] => terms.map(({ id, name }) => ({ id, name }))

/** The venues of an event, which the API writes as one, as none or as a list. */
export const venuesOf = ({ venue }: Pick<EventRecord, 'venue'>): Ref[] =>
  [venue].flat().map(({ id, venue: name }) => ({ id, name }))

/** A description without markup as its text; any other as its HTML. */
export function plainOf(html: string): string {
  const [, text] = /^<p>([^<]*)<\/p>$/.exec(html) ?? []
  if (text === undefined || /&(?!amp;|quot;|#39;)/.test(text)) return html
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}

/** A record as it is edited. */
export const toForm = (record: EventRecord): EventForm => ({
  ...pick(TEXTS, (name) => record[name]),
  excerpt: plainOf(record.excerpt),
  ...pick(WORDS, (name) => record[name]),
  ...pick(FLAGS, (name) => record[name]),
  start_day: record.start_date.slice(0, 10),
  start_time: record.all_day ? '' : record.start_date.slice(11, 16),
  end_day: record.end_date.slice(0, 10),
  end_time: record.all_day ? '' : record.end_date.slice(11, 16),
  all_day: record.all_day,
  timezone: record.timezone,
  venue: venuesOf(record),
  organizer: record.organizer.map(({ id, organizer: name }) => ({ id, name })),
  categories: refs(record.categories),
  tags: refs(record.tags),
  image:
    (record.image && { id: record.image.id, url: record.image.sizes?.medium?.url ?? record.image.url }) ||
    null,
  date: record.status === 'future' ? record.date.slice(0, 16).replace(' ', 'T') : '',
  ...{ author: record.author, protected: record.protected ?? false },
  recurrence: record.of ? repetitionOf(record.of.recurrence) : null,
  series: record.series ?? 0,
})

type Stated = Pick<EventRecord, 'event_status' | 'event_status_reason'>
/** Of the translations of an event those that share its state and give no reason, if another language gives one. */
export function withoutReason<T extends Stated>(event: Stated, translations: readonly T[]): T[] {
  const alike = translations.filter(({ event_status }) => event_status === event.event_status)
  if (event.event_status === 'scheduled' || ![event, ...alike].some((one) => one.event_status_reason))
    return []
  return alike.filter((one) => !one.event_status_reason)
}

/** A repetition as it is edited: what the API adds to it is left out. */
const repetitionOf = ({ rrule, rdate, exdate }: Repetition): Repetition => ({ rrule, rdate, exdate })

/** An event that nobody has written yet, on a day. */
export const emptyForm = (day: string, timezone: string, language: string): EventForm => ({
  ...pick(TEXTS, () => ''),
  ...pick(FLAGS, () => false),
  ...{ status: 'draft', event_status: 'scheduled', attendance_mode: 'offline', language },
  ...{ start_day: day, start_time: '20:00', end_day: day, end_time: '22:00', all_day: false, timezone },
  ...{ venue: [], organizer: [], categories: [], tags: [], image: null, date: '' },
  ...{ author: '', protected: false, recurrence: null, series: 0 },
})

/** The hour from a time of day on, such as `19:30`; nothing of what is no time. */
export function hourFrom(day: string, time: string | undefined): Partial<EventForm> {
  if (time === undefined || !/^([01]\d|2[0-3]):[0-5]\d$/.test(time)) return {}
  const end = addMinutes({ day, time }, 60)
  return { start_time: time, end_day: end.day, end_time: end.time }
}

/** The same event some days later, as a new one: without what belongs to the first alone. */
export const duplicate = (form: EventForm, days: number): EventForm => ({
  ...form,
  ...{ slug: '', status: 'draft', date: '', event_status: 'scheduled', author: '', protected: false },
  event_status_reason: '',
  ...{ recurrence: null, series: 0 },
  start_day: moveWall(form.start_day, days),
  end_day: moveWall(form.end_day, days),
})

/** The days from an event to the same weekday of a later week: the first one that is still to come. */
export const daysToCopy = (day: string, today: string): number =>
  7 * Math.max(1, Math.floor(daysBetween(day, today) / 7) + 1)

const wall = (day: string, time: string, otherwise: string) =>
  `${day} ${time === '' ? otherwise : `${time}:00`}`
/** Terms as the API takes them: an ID, or the name of a new one. */
const keys = (terms: Ref[]) => terms.map(({ id, name }) => id || name)

/** The members of a body for the names that an editor has changed. Dates, zone and whole days are sent together or not at all. */
export function toBody(form: EventForm, names: readonly (keyof EventForm)[]): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const name of names) {
    if (TIMES.includes(name as never) || name === 'protected' || name === 'series') continue
    else if (name === 'recurrence') Object.assign(body, repeating(form))
    else if (name === 'categories' || name === 'tags') body[name] = keys(form[name])
    else if (name === 'venue' || name === 'organizer') body[name] = form[name].map(({ id }) => id)
    else if (name === 'image') body.image = form.image?.id ?? ''
    else if (name === 'author') Object.assign(body, form.author && { author: Number(form.author) })
    else if (name === 'language') body.i18n_language = form.language
    else if (name === 'status' || name === 'date') Object.assign(body, publication(form))
    else if (name !== 'slug' || form.slug.trim() !== '') body[name] = form[name]
  }
  if (names.some((name) => TIMES.includes(name as never)))
    Object.assign(body, spanOf(form), { timezone: form.timezone })
  return body
}

/** When an event takes place as the form has it, like a record. */
export const spanOf = ({ start_day, start_time, end_day, end_time, all_day }: EventForm) => ({
  start_date: wall(start_day, all_day ? '' : start_time, '00:00:00'),
  end_date: wall(end_day, all_day ? '' : end_time, '23:59:59'),
  all_day,
})

/** When the night ends that still belongs to the evening before. */
const MORNING = '06:00'
/** Another time at which an event ends: one of a single day goes on being one, and ends in the night after it where the time says so. */
export function endingAt(form: EventForm, end_time: string): Partial<EventForm> {
  const { start_day, start_time } = form
  if (lastDay(spanOf(form)) !== start_day) return { end_time }
  const isNight = end_time < start_time && end_time <= MORNING
  return { end_time, end_day: isNight ? addDays(start_day, 1) : start_day }
}

/** The pattern of what a form holds: its first local time, its zone, and whether it lasts whole days. */
export const patternOf = ({ start_day, start_time, all_day, timezone }: EventForm) => ({
  ...{ start: wall(start_day, all_day ? '' : start_time, '00:00:00'), zone: timezone, allDay: all_day },
})

/** How an event repeats: of a date of a series null ends that, and a single event says nothing. */
const repeating = (form: EventForm) =>
  form.recurrence
    ? { recurrence: fitted(form.recurrence, patternOf(form)) }
    : form.series !== 0 && { recurrence: null }

/** The member of an event that a field of the form is, as `overrides` names it. */
export const memberOf = (name: keyof EventForm): string =>
  TIMES.includes(name as never) ? 'start_date' : name

/** A scheduled event is one that is published at a later date. */
const publication = ({ status, date }: EventForm) =>
  status === 'future' ? { status: 'publish', date: `${date.replace('T', ' ')}:00` } : { status }

/** The field of the form that shows an error of a member of a request. */
export const fieldOf = (member: string): string =>
  ({ start_date: 'start_day', end_date: 'end_day', i18n_language: 'language', date_utc: 'date' })[member] ??
  (member.startsWith('recurrence.') ? 'recurrence' : member)
