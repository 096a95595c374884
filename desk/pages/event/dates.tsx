import { useId } from 'preact/hooks'
import type { EventEditing } from '../../api/editing.ts'
import { SITE } from '../../api/site.ts'
import { CheckField, TextField } from '../../parts/field.tsx'
import { TimeField } from '../../parts/time.tsx'
import { type EventForm, endingAt, spanOf } from '../../rules/event.ts'
import {
  addDays,
  addMinutes,
  daysBetween,
  isDay,
  type Moment,
  minutesBetween,
  today,
} from '../../rules/wall.ts'
import { clockChangeAt, differOn } from '../../rules/zones.ts'
import { clockText, dayOfYear, LONG_DAY, longDay, whenText } from '../../words/dates.ts'
import { fill, w } from '../../words/words.ts'
import { State } from './more.tsx'

const ZONES = Intl.supportedValuesOf('timeZone')

/** Weeks that are proposed for a copy. */
const PROPOSED = [0, 7, 14, 21]

/** The first and the last moment. A new start moves the end with it. */
function Moments({ form, base, change, errors }: EventEditing) {
  const { start_day, start_time, end_day, end_time, all_day, timezone } = form
  const isWhole = isDay(start_day) && isDay(end_day)
  const first = { day: start_day, time: start_time }
  const last = { day: end_day, time: end_time }
  const startAt = (time: string) => {
    if (!isWhole || time === '' || start_time === '' || end_time === '') return change({ start_time: time })
    const end = addMinutes({ day: start_day, time }, minutesBetween(first, last))
    change({ start_time: time, end_day: end.day, end_time: end.time })
  }
  return (
    <>
      <div class="row moments">
        <TextField
          label={all_day ? w.start_day : w.start_on}
          type="date"
          value={start_day}
          error={errors.start_day}
          required
          onValue={(day) => change(startingOn(form, day))}
        />
        {!all_day && <TimeField label={w.start_time} value={start_time} onValue={startAt} />}
        <TextField
          label={all_day ? w.end_day : w.end_on}
          type="date"
          value={end_day}
          error={errors.end_day}
          required
          onValue={(end_day) => change({ end_day })}
        />
        {!all_day && (
          <TimeField
            label={w.end_time}
            value={end_time}
            onValue={(time) => change(isWhole ? endingAt(form, time) : { end_time: time })}
          />
        )}
      </div>
      {isWhole && <p class="said">{whenText(spanOf(form), LONG_DAY)}</p>}
      {!all_day && isWhole && <ClockChanges moments={[first, last]} zone={timezone} />}
      {isWhole && end_day < today(Date.now(), SITE.zone) && end_day !== base.end_day && (
        <p class="past" role="status">
          {w.past_start}
        </p>
      )}
    </>
  )
}

/** Which of some times the clocks skip, with what they become, and which they show twice, when they are changed. */
export function ClockChanges({ moments, zone }: { moments: Moment[]; zone: string }) {
  const texts = moments.flatMap((moment) => {
    const change = clockChangeAt(moment, zone)
    if (!change) return []
    const said = { day: longDay(moment.day), time: clockText(moment.time) }
    if (change === 'twice') return fill(w.twice_time, said)
    return fill(w.skipped_time, { ...said, becomes: clockText(change.time) })
  })
  return (
    texts.length > 0 && (
      <p class="past" role="status">
        {[...new Set(texts)].join(' ')}
      </p>
    )
  )
}

/** The days of an event that starts on another one, and lasts as long. */
function startingOn({ start_day, end_day }: EventForm, day: string): Partial<EventForm> {
  const isWhole = isDay(start_day) && isDay(end_day) && isDay(day)
  return { start_day: day, ...(isWhole && { end_day: addDays(day, daysBetween(start_day, end_day)) }) }
}

/** The same weekday of the next weeks, for a copy. */
const Weeks = ({ form, change, proposed }: EventEditing & { proposed: string }) => (
  <div class="weeks" role="group" aria-label={w.same_weekday}>
    <span class="hint" aria-hidden="true">
      {w.same_weekday}
    </span>
    {PROPOSED.map((days) => addDays(proposed, days)).map((day) => (
      <button
        key={day}
        type="button"
        class="plain"
        aria-pressed={day === form.start_day}
        onClick={() => change(startingOn(form, day))}
      >
        {dayOfYear(day, 'short')}
      </button>
    ))}
  </div>
)

/** Whether an event lasts whole days, and the zone of its clock. */
function Clock({ form, change, errors }: EventEditing) {
  const { all_day, start_day, start_time, timezone } = form
  const zones = useId()
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const told = [
    timezone !== SITE.zone && fill(w.other_zone, { zone: SITE.zone }),
    differOn(start_day, timezone, own) && fill(w.device_zone, { zone: timezone, own }),
  ].filter((text) => text !== false)
  const wholeDays = (all_day: boolean) =>
    change(all_day || start_time !== '' ? { all_day } : { all_day, start_time: '20:00', end_time: '22:00' })
  return (
    <div class="row">
      <CheckField label={w.all_day} checked={all_day} onValue={wholeDays} />
      <TextField
        label={w.timezone}
        hint={told.join(' ') || undefined}
        list={zones}
        value={timezone}
        error={errors.timezone}
        onValue={(timezone) => change({ timezone })}
      />
      <datalist id={zones}>
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </div>
  )
}

/**
 * When an event takes place, and whether it does: each part of it changes the same form. These are the dates of one event, and the pattern of a series; a
 * rule by which they repeat is one more part, after the clock by which it counts.
 */
export const Dates = ({ proposed, ...part }: EventEditing & { proposed?: string | undefined }) => (
  <fieldset class="group dates">
    <legend>{w.when}</legend>
    {proposed && <Weeks {...part} proposed={proposed} />}
    <Moments {...part} />
    <Clock {...part} />
    <State {...part} />
  </fieldset>
)
