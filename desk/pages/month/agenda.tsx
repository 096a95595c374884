import { useEffect, useState } from 'preact/hooks'
import { may } from '../../parts/shell.tsx'
import { lastDay } from '../../rules/month.ts'
import { dayOfYear, longDay, weekdayText } from '../../words/dates.ts'
import { fill, number, w } from '../../words/words.ts'
import type { Entry } from './data.ts'
import { DayList } from './grid.tsx'

type Props = { weeks: string[][]; month: string; today: string; entries: Entry[] }

const startOf = (entry: Entry) => entry.start_date.slice(0, 10)
const isOn = (entry: Entry, day: string) => startOf(entry) <= day && lastDay(entry) >= day

/** The days of the month in their weeks, with a point where events begin: one of them is chosen. */
function Days({
  weeks,
  month,
  today,
  entries,
  chosen,
  choose,
}: Props & { chosen: string | undefined; choose: (day: string | undefined) => void }) {
  return (
    <div class="days" role="group" aria-label={w.days}>
      {weeks[0]!.map((day) => (
        <span key={`of ${day}`} class="weekday" aria-hidden="true">
          {weekdayText(day, 'short')}
        </span>
      ))}
      {weeks.flat().map((day) => {
        const count = entries.filter((entry) => isOn(entry, day)).length
        const isFull = entries.some((entry) => startOf(entry) === day)
        return day.startsWith(month) ? (
          <button
            key={day}
            type="button"
            class={`quiet ${day === today ? 'today' : ''} ${isFull ? 'full' : ''}`}
            aria-pressed={day === chosen}
            aria-current={day === today ? 'date' : undefined}
            aria-label={fill(w.day_with, { day: longDay(day), count: number(count) })}
            onClick={() => choose(day === chosen ? undefined : day)}
          >
            {Number(day.slice(8))}
          </button>
        ) : (
          <span key={day} />
        )
      })}
    </div>
  )
}

/** A day with its events, and the way to one more. */
const Day = ({ day, today, on }: { day: string; today: string; on: Entry[] }) => (
  <section aria-label={longDay(day)} aria-current={day === today ? 'date' : undefined}>
    <div class="day-head">
      <h2>{dayOfYear(day, 'long')}</h2>
      {may('create records') && (
        <a
          class="button quiet icon"
          href={`#/events/new?day=${day}`}
          aria-label={fill(w.new_on, { day: longDay(day) })}
        >
          +
        </a>
      )}
    </div>
    {on.length === 0 ? <p class="hint">{w.no_events_on_day}</p> : <DayList entries={on} />}
  </section>
)

/**
 * The month for narrow windows: its days, and below them the events of the one that is chosen. Without a choice these are those of all
 * days that are not over yet, each event on its first one; the days before are shown when asked for.
 */
export function Agenda(props: Props) {
  const { weeks, month, today, entries } = props
  const [chosen, setChosen] = useState<string>()
  const [showsPast, setShowsPast] = useState(false)
  useEffect(() => {
    setChosen(undefined)
    setShowsPast(false)
  }, [month])
  const days = weeks.flat().filter((day) => day.startsWith(month))
  const isNow = today.startsWith(month)
  const from = isNow && !showsPast ? today : days[0]!
  const full = days.flatMap((day) => {
    const on = entries.filter((entry) => (day === from ? isOn(entry, day) : startOf(entry) === day))
    return day >= from && on.length > 0 ? [{ day, on }] : []
  })
  const hasPast = isNow && !showsPast && entries.some((entry) => startOf(entry) < today)
  return (
    <div class="agenda">
      <Days {...props} chosen={chosen} choose={setChosen} />
      {chosen ? (
        <>
          <Day day={chosen} today={today} on={entries.filter((entry) => isOn(entry, chosen))} />
          <button type="button" class="plain" onClick={() => setChosen(undefined)}>
            {w.whole_month}
          </button>
        </>
      ) : (
        <>
          {hasPast && (
            <button type="button" class="link" onClick={() => setShowsPast(true)}>
              {w.earlier_days}
            </button>
          )}
          {full.length === 0 && entries.length > 0 && <p class="empty">{w.no_events_in_month}</p>}
          {full.map(({ day, on }) => (
            <Day key={day} day={day} today={today} on={on} />
          ))}
        </>
      )}
    </div>
  )
}
