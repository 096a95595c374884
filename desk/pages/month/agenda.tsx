import { lastDay } from '../../rules/month.ts'
import { longDay } from '../../words/dates.ts'
import { w } from '../../words/words.ts'
import type { Entry } from './data.ts'
import { DayList } from './grid.tsx'

type Props = { weeks: string[][]; month: string; today: string; entries: Entry[] }

/** The month as a list, for narrow windows: each event on its first day, or on that of the month. */
export function Agenda({ weeks, month, today, entries }: Props) {
  const days = weeks.flat().filter((day) => day.startsWith(month))
  const full = days.flatMap((day) => {
    const isFirst = day === days[0]
    const on = entries.filter((entry) => {
      const start = entry.start_date.slice(0, 10)
      return start === day || (isFirst && start < day && lastDay(entry) >= day)
    })
    return on.length > 0 ? [{ day, on }] : []
  })
  return (
    <div class="agenda">
      {full.length === 0 && <p class="empty">{w.no_events_in_month}</p>}
      {full.map(({ day, on }) => (
        <section key={day} aria-current={day === today ? 'date' : undefined}>
          <h2>{longDay(day)}</h2>
          <DayList entries={on} />
        </section>
      ))}
    </div>
  )
}
