import { ApiError, type Problems } from '../../../kernel/errors.ts'
import { NO_DATE } from '../../../kernel/time/moments.ts'
import type { Body, Fault, Item, Kind } from './item.ts'

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

/** What two reports say together. */
export const mergeReports = (one: Report, other: Report): Report => ({
  counts: { ...one.counts, ...other.counts },
  told: [...one.told, ...other.told],
  troubles: one.troubles + other.troubles,
})

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

/** Reads a body as a request that would create a record: its members, or what is wrong with them. */
export type ReadBody = (
  kind: Kind,
  body: Body,
) => { value: Body; problems: Problems; missing: string[]; unknown: string[] }

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
