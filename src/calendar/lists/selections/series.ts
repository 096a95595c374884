import type { Task } from '../../../kernel/tasks/scheduler.ts'
import type { openCalendar } from '../../index/calendar.ts'
import type { Occurrences } from './selection.ts'

/** Events that one step passes. */
const STEP = 5_000

type Calendar = Pick<ReturnType<typeof openCalendar>, 'seriesOf' | 'byStart' | 'idOf'>

/** Of some events the single ones, and of each series the first or the last by start, with the number of those it stands for by its ID. */
export function* oneOfEach(
  calendar: Calendar,
  all: number[],
  which: 'first' | 'last',
): Task<{ rows: number[]; occurrences: Occurrences }> {
  const rows: number[] = []
  const standing = new Map<number, { row: number; count: number }>()
  const side = which === 'first' ? -1 : 1
  for (const [at, row] of all.entries()) {
    if (at % STEP === STEP - 1) yield
    const series = calendar.seriesOf(row)
    if (series === 0) {
      rows.push(row)
      continue
    }
    const known = standing.get(series)
    if (!known) standing.set(series, { row, count: 1 })
    else {
      known.count++
      if (calendar.byStart(row, known.row) * side > 0) known.row = row
    }
  }
  const counts = new Map<number, number>()
  for (const { row, count } of standing.values()) {
    rows.push(row)
    counts.set(calendar.idOf(row), count)
  }
  return { rows, occurrences: counts }
}
