import { SelectField, TextField } from '../../parts/field.tsx'
import { daysOfMonth, meaningOf, printSimple, type Simple } from '../../rules/repeat.ts'
import { addDays, isDay } from '../../rules/wall.ts'
import { weekdayText } from '../../words/dates.ts'
import { language, w } from '../../words/words.ts'

/** A Monday. */
const MONDAY = '2024-01-01'
const WEEK = [0, 1, 2, 3, 4, 5, 6]
const MOST_DATES = 1500

type Fields = { simple: Simple; day: string; change: (values: Partial<Simple>) => void }

/** The weekdays of a rule by weeks: one at least. */
export const Weekdays = ({ simple: { weekdays }, change }: Fields) => (
  <div class="weekday-choice" role="group" aria-label={w.weekdays}>
    <span class="label" aria-hidden="true">
      {w.weekdays}
    </span>
    {WEEK.map((day) => {
      const isOn = weekdays.includes(day)
      const others = isOn ? weekdays.filter((one) => one !== day) : [...weekdays, day]
      return (
        <button
          key={day}
          type="button"
          class="plain"
          aria-pressed={isOn}
          onClick={() => others.length > 0 && change({ weekdays: others })}
        >
          <span aria-hidden="true">{weekdayText(addDays(MONDAY, day), 'short')}</span>
          <span class="unseen">{weekdayText(addDays(MONDAY, day), 'long')}</span>
        </button>
      )
    })}
  </div>
)

/** The day of the month, in the words of the rule that it makes. */
export function DayOfMonth({ simple, day, change }: Fields) {
  const days = daysOfMonth(day)
  const all = days.includes(simple.on) ? days : [simple.on, ...days]
  const pattern = { start: `${day} 00:00:00`, zone: 'UTC', allDay: true }
  const say = (on: string) => {
    const rule = printSimple({ ...simple, on, interval: 1, end: 'never' })
    return meaningOf({ rrule: rule, rdate: [], exdate: [] }, pattern, { language: language.get() }).text ?? on
  }
  return (
    <SelectField
      label={w.on_day}
      value={simple.on}
      options={all.map((on) => [on, say(on)])}
      onValue={(on) => change({ on })}
    />
  )
}

/** When a rule ends: never, on a day, or after some dates. */
export const End = ({ simple: { end, until, count }, day, change }: Fields) => (
  <>
    <SelectField
      label={w.ends}
      value={end}
      options={(['never', 'until', 'count'] as const).map((one) => [one, w[`ends_${one}`]])}
      onValue={(end) =>
        change({
          end: end as Simple['end'],
          ...(end === 'until' && until === '' && { until: addDays(day, 84) }),
          ...(end === 'count' && count === 0 && { count: 10 }),
        })
      }
    />
    {end === 'until' && (
      <TextField
        label={w.until_day}
        type="date"
        value={until}
        required
        onValue={(until) => isDay(until) && change({ until })}
      />
    )}
    {end === 'count' && (
      <TextField
        label={w.times}
        type="number"
        min={1}
        max={MOST_DATES}
        value={String(count)}
        required
        onValue={(text) => Number(text) >= 1 && change({ count: Math.floor(Number(text)) })}
      />
    )}
  </>
)
