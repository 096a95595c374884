import type { Entry, Report } from '../../imports/files/report.ts'
import { table } from './table.ts'

/** Records that are told one by one. */
const SHOWN = 50

const told = ({ line, kind, name, reason, remarks }: Entry) =>
  `  line ${line}, ${kind} ${name}: ${[...(reason === undefined ? [] : [reason]), ...remarks].join('; ')}`

/** What became of a file, in words. */
export function reportWords({ counts, told: entries, troubles }: Report, dry: boolean): string {
  const names = ['added', 'updated', 'unchanged', 'present', 'refused'] as const
  const rows = Object.entries(counts).map(([kind, of]) => [kind, ...names.map((name) => String(of[name]))])
  const lines = entries.slice(0, SHOWN).map(told)
  const rest = troubles > SHOWN ? [`  and ${troubles - SHOWN} more`] : []
  const head = dry ? 'This would come:' : 'This came:'
  const trouble = troubles === 0 ? [] : ['Not all could be taken:', ...lines, ...rest]
  return [head, table([['', ...names], ...rows]), ...trouble].join('\n')
}
