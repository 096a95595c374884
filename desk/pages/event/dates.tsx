import { useId } from 'preact/hooks'
import { SITE } from '../../api/site.ts'
import { CheckField, TextField } from '../../parts/field.tsx'
import { addDays, addMinutes, daysBetween, isDay, minutesBetween } from '../../rules/wall.ts'
import { longDay } from '../../words/dates.ts'
import { fill, w } from '../../words/words.ts'
import type { Part } from './editor.tsx'

const ZONES = Intl.supportedValuesOf('timeZone')

/** When an event takes place. A new start moves the end with it. */
export function Dates({ form, change, errors }: Part) {
  const { start_day, start_time, end_day, end_time, all_day, timezone } = form
  const zones = useId()
  const isWhole = isDay(start_day) && isDay(end_day)
  const startOn = (day: string) => {
    const moved = isDay(day) && isWhole ? { end_day: addDays(day, daysBetween(start_day, end_day)) } : {}
    change({ start_day: day, ...moved })
  }
  const startAt = (time: string) => {
    if (!isWhole || time === '' || start_time === '' || end_time === '') return change({ start_time: time })
    const lasts = minutesBetween({ day: start_day, time: start_time }, { day: end_day, time: end_time })
    const end = addMinutes({ day: start_day, time }, lasts)
    change({ start_time: time, end_day: end.day, end_time: end.time })
  }
  const wholeDays = (all_day: boolean) =>
    change(all_day || start_time !== '' ? { all_day } : { all_day, start_time: '20:00', end_time: '22:00' })
  return (
    <fieldset class="group dates">
      <legend>{w.when}</legend>
      <div class="row">
        <TextField
          label={w.start_day}
          type="date"
          value={start_day}
          error={errors.start_day}
          required
          onValue={startOn}
        />
        {!all_day && (
          <TextField label={w.start_time} type="time" value={start_time} required onValue={startAt} />
        )}
        <TextField
          label={w.end_day}
          type="date"
          value={end_day}
          error={errors.end_day}
          required
          onValue={(end_day) => change({ end_day })}
        />
        {!all_day && (
          <TextField
            label={w.end_time}
            type="time"
            value={end_time}
            required
            onValue={(end_time) => change({ end_time })}
          />
        )}
      </div>
      <p class="hint">
        {isWhole &&
          (start_day === end_day ? longDay(start_day) : `${longDay(start_day)} – ${longDay(end_day)}`)}
      </p>
      <div class="row">
        <CheckField label={w.all_day} checked={all_day} onValue={wholeDays} />
        <TextField
          label={w.timezone}
          hint={timezone === SITE.zone ? undefined : fill(w.other_zone, { zone: SITE.zone })}
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
    </fieldset>
  )
}
