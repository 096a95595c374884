import { table } from '../../kernel/cli.ts'
import { many } from '../../kernel/shell.ts'
import type { FeedReport } from './feeds/feed-import.ts'
import type { Entry, Report } from './files/items.ts'
import type { Undone } from './removals.ts'
import { PLURALS } from './site/source.ts'
import { type NamedRecord, OUTCOMES, type SiteReport } from './site/sync-state.ts'
import type { ImportRun, RecordKind } from './store.ts'

/** Records that are named in each part; of the others only the number is told. */
const SHOWN = 50

/** What may become of a record of a file, in the words of its column. */
const COLUMNS = {
  added: 'added',
  updated: 'updated',
  unchanged: 'same as here',
  present: 'left alone',
  refused: 'refused',
} satisfies Record<Entry['outcome'], string>
const names = Object.keys(COLUMNS) as Entry['outcome'][]

/** What properties and components hold that have no place here. */
const PARTS: Record<string, string> = {
  ATTACH: 'attached files',
  ATTENDEE: 'guests',
  GEO: 'coordinates',
  PRIORITY: 'priorities',
  TRANSP: 'free or busy',
  VALARM: 'reminders',
}

const entryText = ({ line, kind, name, reason, remarks }: Entry) =>
  `  line ${line}, ${kind} ${name || '(no title)'}: ${[...(reason === undefined ? [] : [reason]), ...remarks].join('; ')}`
const recordText = ({ kind, id, name, why }: NamedRecord) => `  ${kind} ${id} "${name}": ${why}`

/** Some of what is told, each in a line, under a title. */
function section<T>(title: string, all: T[], textOf: (one: T) => string, where = ''): string[] {
  if (all.length === 0) return []
  const rest = all.length > SHOWN ? [`  and ${all.length - SHOWN} more${where}`] : []
  return [title, ...all.slice(0, SHOWN).map(textOf), ...rest]
}
const records = (title: string, all: NamedRecord[]) => section(title, all, recordText, ', which --json names')

/** What became of a file, in words: what could not be imported, and apart from it what was left alone, or taken in another way than it stands there. */
export function reportWords(
  { counts, told: entries, troubles, left_out = {} }: Report,
  dry: boolean,
): string {
  const rows = Object.entries(counts)
    .filter(([kind, of]) => kind !== 'line' || of.refused > 0)
    .map(([kind, of]) => [kind, ...names.map((name) => String(of[name]))])
  const lost = Object.entries(left_out).map(
    ([name, count]) => `${PARTS[name] === undefined ? name : `${PARTS[name]} (${name})`} ${count}`,
  )
  const of = (...outcomes: Entry['outcome'][]) => entries.filter(({ outcome }) => outcomes.includes(outcome))
  const [whole, single] = [of('present').filter(isLine), of('present').filter((entry) => !isLine(entry))]
  const unnamed = troubles - entries.length
  const head = dry ? 'This would come:' : 'This came:'
  return [
    ...(rows.length === 0
      ? ['Nothing came: no event of the file has a date, and there is no other record.']
      : [head, table([['', ...Object.values(COLUMNS)], ...rows])]),
    ...whole.flatMap(({ remarks }) => remarks).map((remark) => `Of the whole file: ${remark}`),
    ...section('Could not be taken:', of('refused'), entryText),
    ...section('Left alone:', single, entryText),
    ...section('Taken, with remarks:', of('added', 'updated', 'unchanged'), entryText),
    ...(unnamed > 0 ? [`And ${unnamed} more that are not named here.`] : []),
    ...(lost.length > 0 ? [`Left out, as it is not kept here: ${lost.join(', ')}`] : []),
    ...(!dry && of('refused').length > 0
      ? ['Correct in the file what could not be taken, and import it again: what was taken is not doubled.']
      : []),
  ].join('\n')
}
const isLine = ({ kind }: Entry) => kind === 'line'

/** How many records of all kinds had an outcome. */
export const countOf = ({ counts }: Pick<Report, 'counts'>, outcome: Entry['outcome']): number =>
  Object.values(counts).reduce((sum, own) => sum + own[outcome], 0)

/** How an import is taken back that made something. */
export const undoWords = (run: number, created: number) =>
  run > 0 && created > 0 ? [`almanac import --undo ${run} takes back what this import made.`] : []

/** What became of a feed, in words. */
export const feedWords = (report: FeedReport, dry: boolean): string =>
  [
    reportWords(report, dry),
    ...records(
      'Gone from the feed:',
      report.gone.map(({ why = 'moved to the trash', ...one }) => ({ ...one, why })),
    ),
    ...undoWords(report.run, countOf(report, 'added')),
  ].join('\n')

const CALLED: Record<string, string> = {
  same: 'unchanged',
  left: 'left as edited here',
  refused: 'not taken',
  gone: 'gone',
  kept: 'gone but kept',
}

/** Numbers by what became of the records of a site, in words. */
export const countsText = (counts: Partial<Record<string, number>>): string =>
  OUTCOMES.filter((outcome) => counts[outcome])
    .map((outcome) => `${counts[outcome]!.toLocaleString('en')} ${CALLED[outcome] ?? outcome}`)
    .join(', ') || 'nothing yet'

const kindText = (kind: RecordKind, text: string) => `  ${PLURALS[kind].padEnd(12)}${text}`

/** What became of the records of a site, in words. */
export function siteWords({ source, run, dry_run, counts, refused, left, notes, alike }: SiteReport): string {
  const kinds = Object.entries(counts) as [RecordKind, Record<string, number>][]
  const series = alike
    .slice(0, SHOWN)
    .map(({ name, ids, rule }) => `  "${name}": ${many(ids.length, 'event')} (${rule})`)
  return [
    dry_run ? `An import from ${source} would be this, and wrote nothing:` : `Imported from ${source}:`,
    ...(kinds.length > 0 ? kinds.map(([kind, own]) => kindText(kind, countsText(own))) : ['  no records']),
    ...records('Not taken:', refused),
    ...records('Left as they are:', left),
    ...records('Taken, but not whole:', notes),
    ...(series.length > 0
      ? ['These look like series; --series makes some of events that were not imported yet:', ...series]
      : []),
    ...undoWords(
      run,
      kinds.reduce((sum, [, own]) => sum + (own.created ?? 0), 0),
    ),
  ].join('\n')
}

/** What was taken back of an import, and what stays, in words. */
export function undoneWords({ run, source, counts, stayed }: Undone): string {
  const kinds = Object.entries(counts) as [RecordKind, { trashed: number }][]
  const gone = kinds
    .filter(([, { trashed }]) => trashed > 0)
    .map(([kind, { trashed }]) => kindText(kind, trashed.toLocaleString('en')))
  return [
    `Took back import ${run} from ${source.replace(/^file:/, '')}:`,
    ...(gone.length > 0 ? gone : ['  nothing']),
    ...records('These stay:', stayed),
  ].join('\n')
}

/** Imports as a table. */
export function runsTable(rows: ImportRun[]): string {
  if (rows.length === 0) return 'Nothing was imported.'
  const lines = rows.map(({ id, began_utc, source, counts }) => [
    ...[String(id), began_utc, source.replace(/^file:/, '')],
    ...['created', 'changed', 'refused', 'undone'].map((name) => String(counts[name] ?? '')),
  ])
  return table([['RUN', 'BEGAN (UTC)', 'FROM', 'CREATED', 'CHANGED', 'NOT TAKEN', 'UNDONE'], ...lines])
}
