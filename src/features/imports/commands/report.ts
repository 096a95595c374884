import { table } from '../../../kernel/cli.ts'
import type { Entry, Report } from '../files/report.ts'

/** Records that are told one by one in each part. */
const SHOWN = 50

/** What may become of a record, in the words of its column. */
const OUTCOMES = {
  ...{ added: 'added', updated: 'updated', unchanged: 'same as here', present: 'left alone' },
  refused: 'refused',
} satisfies Record<Entry['outcome'], string>
const names = Object.keys(OUTCOMES) as Entry['outcome'][]

/** What properties and components hold that have no place here. */
const PARTS: Record<string, string> = {
  ...{ ATTACH: 'attached files', ATTENDEE: 'guests', GEO: 'coordinates', PRIORITY: 'priorities' },
  ...{ TRANSP: 'free or busy', VALARM: 'reminders' },
}

const told = ({ line, kind, name, reason, remarks }: Entry) =>
  `  line ${line}, ${kind} ${name || '(no title)'}: ${[...(reason === undefined ? [] : [reason]), ...remarks].join('; ')}`

/** Records that are told, under a title. */
function section(title: string, entries: Entry[]): string[] {
  if (entries.length === 0) return []
  const rest = entries.length > SHOWN ? [`  and ${entries.length - SHOWN} more`] : []
  return [title, ...entries.slice(0, SHOWN).map(told), ...rest]
}

/** What became of a file, in words: what could not be taken, and apart from it what was left alone, or taken in another way than it stands there. */
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
  const remarks = of('present')
    .filter(({ kind }) => kind === 'line')
    .flatMap((entry) => entry.remarks)
  const unnamed = troubles - entries.length
  const head = dry ? 'This would come:' : 'This came:'
  return [
    ...(rows.length === 0
      ? ['Nothing came: no event of the file has a date, and there is no other record.']
      : [head, table([['', ...Object.values(OUTCOMES)], ...rows])]),
    ...remarks.map((remark) => `Of the whole file: ${remark}`),
    ...section('Could not be taken:', of('refused')),
    ...section(
      'Left alone:',
      of('present').filter(({ kind }) => kind !== 'line'),
    ),
    ...section('Taken, with remarks:', of('added', 'updated', 'unchanged')),
    ...(unnamed > 0 ? [`And ${unnamed} more that are not named here.`] : []),
    ...(lost.length > 0 ? [`Left out, as it is not kept here: ${lost.join(', ')}`] : []),
    ...(!dry && of('refused').length > 0
      ? ['Correct in the file what could not be taken, and import it again: what was taken is not doubled.']
      : []),
  ].join('\n')
}
