import { send } from '../../api/client.ts'
import { inOneLine, problemOf, problemsIn } from '../../rules/problems.ts'
import { dayText, momentText } from '../../words/dates.ts'
import { problemText, type Words, w } from '../../words/words.ts'

export const OUTCOMES = ['added', 'updated', 'unchanged', 'present', 'refused'] as const
type Outcome = (typeof OUTCOMES)[number]
export type Entry = {
  line: number
  kind: 'event' | 'series' | 'date' | 'line'
  name: string
  start_date?: string
  outcome: Outcome
  id?: number
  reason?: string
  remarks: string[]
}
/** The kinds of records that a report counts. */
export type Counted = Entry['kind'] | 'venue' | 'organizer'
/** What came of a file, or would come: the API's `ImportReport`. */
export type Report = {
  id?: number
  from: string
  dry_run: boolean
  counts: Partial<Record<Counted, Record<Outcome, number>>>
  first: Entry[]
  troubles: Entry[]
  troubles_total: number
  left_out?: Record<string, number>
}
/** An import: the API's `Import`. */
export type Run = {
  id: number
  from: string
  began_utc: string
  /** Absent while it runs, or if it was broken off. */
  ended_utc?: string
  counts: Record<string, number>
}
/** What the undoing of an import took back. */
export type Undone = {
  counts: Record<string, { trashed: number; stayed: number }>
  stayed: { kind: string; id: number; name: string; why: string }[]
}
export type Options = { status: string; media: boolean }

/** How far an import has come. */
export type Progress = { done: number; total: number }
/** What hears of an import while it runs, and ends it. */
export type Way = { progress: (done: number, total: number) => void; signal: AbortSignal }

/** Imports a file, or asks what would come. */
export const take = async (file: File, dry: boolean, { status, media }: Options, way: Way): Promise<Report> =>
  (await send<Report>('POST', '/imports', { query: { dry_run: dry, status, media }, body: file, ...way }))
    .body

/** Takes an import back. */
export const takeBack = async (id: number): Promise<Undone> =>
  (await send<Undone>('POST', `/imports/${id}/undo`)).body

/** How many records have an outcome. */
export const countOf = ({ counts }: Report, ...outcomes: Outcome[]) =>
  Object.values(counts).reduce((sum, own) => sum + outcomes.reduce((all, one) => all + own[one], 0), 0)

/** The first date of an event as a file has it, in words where it is a date that the desk knows. */
export function dateText(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return dayText(text)
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?$/.exec(text) ?? []
  return day === undefined ? text : momentText(`${day} ${time}:00`)
}

/** What is wrong with a part of a record, in the language of the desk, as far as the desk knows it. */
const partText = ({ name, text }: ReturnType<typeof problemsIn>[number]) =>
  name === undefined ? text : `${name}: ${problemOf(text).problem === 'other' ? text : problemText(text)}`

/** Why something was not taken, and what it lacks. */
export const whyText = ({ reason = '', remarks }: Entry) =>
  inOneLine([...(reason === '' ? [] : problemsIn(reason).map(partText)), ...remarks])

const WHY: Record<string, keyof Words> = {
  'it was edited here since': 'import_why_edited',
  'one of its dates was edited here since': 'import_why_date',
  'events here have it': 'import_why_held',
  'it is a date of a series that was here before': 'import_why_series',
}
/** Why a record stays. */
export const stayText = (why: string): string => (Object.hasOwn(WHY, why) ? w[WHY[why]!] : why)
