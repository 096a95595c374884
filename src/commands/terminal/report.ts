import type { Entry, Report } from '../../imports/files/report.ts'
import { table } from './table.ts'

/** Records that are told one by one. */
const SHOWN = 50

const told = ({ line, kind, name, reason, remarks }: Entry) =>
  `  line ${line}, ${kind} ${name}: ${[...(reason === undefined ? [] : [reason]), ...remarks].join('; ')}`

/** Records that are told, under a title; `total` counts those that are not told as well. */
function section(title: string, entries: Entry[], total: number): string[] {
  const rest = total > SHOWN ? [`  and ${total - SHOWN} more`] : []
  return total === 0 ? [] : [title, ...entries.slice(0, SHOWN).map(told), ...rest]
}

/** What became of a file, in words: what could not be taken, and apart from it what was taken in another way than it stands there. */
export function reportWords(
  { counts, told: entries, troubles, left_out = {} }: Report,
  dry: boolean,
): string {
  const names = ['added', 'updated', 'unchanged', 'present', 'refused'] as const
  const rows = Object.entries(counts).map(([kind, of]) => [kind, ...names.map((name) => String(of[name]))])
  if (rows.length === 0) return 'Nothing came: the file has no event that takes place, and no other record.'
  const head = dry ? 'This would come:' : 'This came:'
  const lost = Object.entries(left_out).map(([name, count]) => `${name} ${count}`)
  const refused = Object.values(counts).reduce((sum, of) => sum + of.refused, 0)
  return [
    ...[head, table([['', ...names], ...rows])],
    ...section(
      'Could not be taken:',
      entries.filter(({ outcome }) => outcome === 'refused'),
      refused,
    ),
    ...section(
      'Taken, with remarks:',
      entries.filter(({ outcome }) => outcome !== 'refused'),
      troubles - refused,
    ),
    ...(lost.length > 0 ? [`Left out, as it has no place here: ${lost.join(', ')}`] : []),
  ].join('\n')
}
