import { createHash } from 'node:crypto'
import { extend } from '../../../../schemas/common.ts'
import { EventInput } from '../../../../schemas/event.ts'
import { LanguageInput } from '../../../../schemas/input.ts'
import { OrganizerInput } from '../../../../schemas/organizer.ts'
import { SeriesInput } from '../../../../schemas/series.ts'
import { CategoryInput, TagInput } from '../../../../schemas/term.ts'
import { VenueInput } from '../../../../schemas/venue.ts'
import { ApiError, type Problems } from '../../../kernel/errors.ts'
import { readMembers } from '../../../kernel/input/readers.ts'
import { NO_DATE } from '../../../kernel/time/moments.ts'
import type { RecordKind, Version } from '../store.ts'

/** Members of an event as a request would send them. */
export type Body = Record<string, unknown>

/** A date of a series that is unlike the others. */
type OwnDate = { line: number; recurrence_id: string; body: Body; version?: Version }

/** The sign that stands for bytes that are no text. */
export const UNREADABLE = '\ufffd'

/** A line of a file that can not be read, or what of it can not be. */
export type Fault = { line: number; text: string; reason: string }

/** The kinds of records that a file has. */
export type Kind = 'event' | 'series' | 'venue' | 'organizer'

/** A record of a file: a venue or an organizer if it says so, else an event, or a series if its body has a recurrence. */
export type Item = {
  kind?: 'venue' | 'organizer'
  /** The line of the file that it begins in. */
  line: number
  /** What it is called in a report. */
  name: string
  /** What identifies it in its source. */
  external_id: string
  /** The name of its source, if the file tells. */
  source?: string
  body: Body
  /** What its file calls a member of the body, if it has other names. */
  nameOf?: (member: string) => string
  /** Which version of it this is, if the file tells. */
  version?: Version
  /** It shows less than there is of an event that is from here, which is therefore left as it is. */
  isPartial?: true
  dates: OwnDate[]
  remarks: string[]
  /** Names of its parts in the file that have no place here, each as often as it was there. */
  leftOut?: string[]
  /** Why it can not be imported. */
  refused?: string
}

/** How events are read: the zone of times that have none, the languages of the site, and whether pictures are downloaded. */
export type ReadOptions = { zone: string; languages: readonly string[]; media: boolean }

/** What a record of a file is. */
export const kindOf = ({ kind, body }: Item): Kind => kind ?? (body.recurrence ? 'series' : 'event')

/** Greatest length of an ID of another system. */
const LONGEST = 255

/** What identifies an event that has no ID of its own: the same words give the same. */
export const digestOf = (...parts: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

/** What an item is remembered by. */
export const digestIn = ({ body, dates }: Item): string =>
  digestOf(
    body,
    dates.map(({ line: _, version: __, ...date }) => date),
  )

/** The order of two versions of an event: the greater SEQUENCE is the later one, then the later DTSTAMP (RFC 5545 §3.8.7.4). */
export const byVersion = ([sequence, stamp]: Version, [other, before]: Version): number =>
  sequence - other || stamp.localeCompare(before)

/** Why a version is not to be imported after another one; undefined if it may be. One without a DTSTAMP is not older for that. */
export function whyOlder(version: Version | undefined, taken: Version | undefined): string | undefined {
  if (!version || !taken || byVersion(version, taken) >= 0) return undefined
  const [name, at] = version[0] === taken[0] ? (['DTSTAMP', 1] as const) : (['SEQUENCE', 0] as const)
  if (version[at] === '') return undefined
  return `is an older version than the one that was taken before (${name} is ${version[at]}, and was ${taken[at]})`
}

/** An ID as it can be stored: without control characters, and not too long. */
export function idOf(text: string): string {
  const plain = text.replace(/\p{Cc}/gu, '').trim()
  return plain.length > LONGEST ? digestOf(plain) : plain
}

/** What became of a record of a file, or would become of it. */
export type Entry = {
  /** The line of the file that it begins in. */
  line: number
  kind: string
  /** What it is called there. */
  name: string
  /** Its first date, as the file has it. */
  start_date?: string
  /** `present` was here before, and is left as it is; `unchanged` is here as the file has it. */
  outcome: 'added' | 'updated' | 'unchanged' | 'present' | 'refused'
  /** The ID here, where there is one. */
  id?: number
  /** Why it was refused. */
  reason?: string
  /** What of it could not be imported. */
  remarks: string[]
}
type Counts = Record<Entry['outcome'], number>

/** What became of a file: how many records of each kind, and those of which something could not be imported. */
export type Report = {
  counts: Record<string, Counts>
  /** Records that were refused, or that lack something: at most `TOLD`. */
  told: Entry[]
  /** How many there are of these. */
  troubles: number
  /** How often parts of events were left out that have no place here, by their names in the file. */
  left_out?: Record<string, number>
}

/** Entries that a report names one by one. */
const TOLD = 1_000

/** A report to which entries are added; `onEntry` is called with each of them. */
export function openReport(onEntry: (entry: Entry) => void = () => {}) {
  const report: Report = { counts: {}, told: [], troubles: 0 }
  function add(entry: Entry) {
    report.counts[entry.kind] ??= { added: 0, updated: 0, unchanged: 0, present: 0, refused: 0 }
    report.counts[entry.kind]![entry.outcome]++
    if (entry.outcome === 'refused' || entry.remarks.length > 0) {
      report.troubles++
      if (report.told.length < TOLD) report.told.push(entry)
    }
    onEntry(entry)
  }
  return {
    report,
    add,
    /** Adds a line that can not be read. */
    addFault: ({ line, text: name, reason }: Fault) =>
      add({ line, kind: 'line', name, outcome: 'refused', reason, remarks: [] }),
  }
}
export type OpenReport = ReturnType<typeof openReport>

/** What becomes of records, by the words of all imports. */
const OUTCOMES = {
  added: 'created',
  updated: 'changed',
  unchanged: 'same',
  present: 'left',
  refused: 'refused',
} as const

/** How many records of all kinds have each outcome. */
export function totalsOf({ counts }: Report): Record<string, number> {
  const totals: Record<string, number> = {}
  for (const own of Object.values(counts))
    for (const [outcome, many] of Object.entries(own) as [keyof typeof OUTCOMES, number][])
      if (many > 0) totals[OUTCOMES[outcome]] = (totals[OUTCOMES[outcome]] ?? 0) + many
  return totals
}

type Named = Pick<Item, 'body' | 'nameOf'>

/** Signs of a value that a report shows. */
const SHOWN = 40
/** A text as a report shows it. */
export const shown = (text: string): string => `"${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}"`

/** What members are called by these names of a file; what is a part of one is said to be of it. */
export const namedBy =
  (names: Record<string, string>) =>
  (member: string): string => {
    const whole = Object.keys(names).find(
      (name) => member === name || (/^[.[]/.test(member.slice(name.length)) && member.startsWith(name)),
    )
    if (whole === undefined) return member
    const part = member.slice(whole.length)
    return part.startsWith('.') ? `${part.slice(1)} of ${names[whole]}` : `${names[whole]}${part}`
  }

/** What a date may be in a file; a request has more forms. */
const DATE = 'must be a date such as 2027-05-14 20:00.'

/**
 * What is wrong with the members of a body, as one text: each by its name in the file, with what it has there. What is said of one is not said
 * again of another that has the same value, such as an end that is its start.
 */
export function problemsText(problems: Problems, { body, nameOf = (name) => name }: Named): string {
  const texts: string[] = []
  const told = new Set<string>()
  for (const [member, said] of Object.entries(problems)) {
    const value = member.split('.').reduce<unknown>((of, name) => (of as Body | undefined)?.[name], body)
    const problem = said === NO_DATE ? DATE : said
    const given = typeof value === 'string' && !problem.includes('"') ? ` ${shown(value)}` : ''
    const text = `${given}: ${problem}`
    if (given === '' || !told.has(text)) texts.push(`${nameOf(member)}${text}`)
    told.add(text)
  }
  return texts.join(' ')
}

/** Which members that are needed are not there; an event without a start has no end because of it. */
export const missingText = (missing: string[], { nameOf = (name) => name }: Named): string =>
  missing
    .filter((name) => name !== 'end_date' || !missing.includes('start_date'))
    .map((name) => `${nameOf(name)} is missing.`)
    .join(' ')

/** The message of an error that is about what was sent; others are thrown. */
export function reasonOf(error: unknown, item: Named = { body: {} }): string {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
  const { params } = error.data
  // errors of what is missing have a list of names, which their message tells
  return params && !Array.isArray(params) ? problemsText(params as Problems, item) : error.message
}

/** What is wrong with a picture, if an error is about nothing else. */
export function problemOfPicture(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || !error.data.params) return undefined
  const { image, ...others } = error.data.params as Problems
  return Object.keys(others).length === 0 ? image : undefined
}

/** What requests may send, by kinds of records. */
export const INPUTS: Record<RecordKind, Parameters<typeof readMembers>[0]> = {
  event: EventInput,
  series: SeriesInput,
  venue: VenueInput,
  organizer: OrganizerInput,
  category: CategoryInput,
  tag: TagInput,
}

/** Reads bodies as requests that would create records, on a site with these languages. Venues and organizers may have slugs as well. */
export function openBodies(languages: readonly string[]) {
  const own = LanguageInput(languages)
  const named = { ...own, slug: EventInput.properties.slug }
  const schemas: typeof INPUTS = {
    event: extend(EventInput, own),
    series: extend(SeriesInput, own),
    venue: extend(VenueInput, named),
    organizer: extend(OrganizerInput, named),
    category: extend(CategoryInput, own),
    tag: extend(TagInput, own),
  }
  return (kind: RecordKind, body: Body) => readMembers(schemas[kind], body)
}
