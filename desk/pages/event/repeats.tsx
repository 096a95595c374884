import { useId, useRef, useState } from 'preact/hooks'
import type { Frequency } from '../../../src/calendar/recurrence/rule.ts'
import { FREQUENCIES } from '../../../src/calendar/recurrence/rule.ts'
import type { EventEditing } from '../../api/editing.ts'
import { SelectField, TextField } from '../../parts/field.tsx'
import type { EventRecord } from '../../rules/event.ts'
import {
  firstRule,
  meaningOf,
  printSimple,
  type Repetition,
  readSimple,
  type Simple,
} from '../../rules/repeat.ts'
import { seriesPattern } from '../../rules/series.ts'
import { isDay } from '../../rules/wall.ts'
import { dayText } from '../../words/dates.ts'
import { fill, language, type Words, w } from '../../words/words.ts'
import { ClockChanges } from './dates.tsx'
import { DayOfMonth, End, Weekdays } from './rule-fields.tsx'

const MOST_INTERVAL = 999

/** Days that are added to a rule or left out of it, each with a way back. */
const Days = ({ label, days, remove }: { label: string; days: string[]; remove: (day: string) => void }) =>
  days.length > 0 && (
    <div class="field">
      <span class="label">{label}</span>
      <ul class="chips" aria-label={label}>
        {days.map((day) => (
          <li key={day}>
            <span>{dayText(day.slice(0, 10))}</span>
            <button
              type="button"
              class="quiet icon"
              aria-label={fill(w.take_back, { day: dayText(day.slice(0, 10)) })}
              onClick={() => remove(day)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </div>
  )

/** A day that the rule does not give. */
function AddDay({ add }: { add: (day: string) => void }) {
  const [day, setDay] = useState('')
  return (
    <div class="add-day">
      <TextField label={w.add_day} type="date" value={day} onValue={setDay} />
      <button
        type="button"
        class="plain"
        disabled={!isDay(day)}
        onClick={() => {
          add(day)
          setDay('')
        }}
      >
        {w.add}
      </button>
    </div>
  )
}

type MeaningProps = {
  repetition: Repetition
  meaning: ReturnType<typeof meaningOf>
  zone: string
  set: (values: Partial<Repetition>) => void
}

/** What the repetition means: in words, and the next dates, each of which may be left out. */
function Meaning({ repetition: { rdate, exdate }, meaning, zone, set }: MeaningProps) {
  const list = useRef<HTMLOListElement>(null)
  const name = useId()
  const leaveOut = (date: string, at: number) => {
    if (rdate.includes(date)) set({ rdate: rdate.filter((one) => one !== date) })
    else set({ exdate: [...exdate, date].sort() })
    // the focus goes on to the date that takes its place
    requestAnimationFrame(() => list.current?.querySelectorAll('button')[at]?.focus())
  }
  return (
    <div class="meaning">
      <p role="status" class={meaning.problem === undefined ? 'said' : 'error'}>
        {meaning.text ?? meaning.problem}
      </p>
      {meaning.problem === undefined && (
        <>
          <p class="label" id={name}>
            {w.next_dates}
          </p>
          <ol ref={list} aria-labelledby={name}>
            {meaning.dates.map((date, at) => (
              <li key={date}>
                <span>{dayText(date.slice(0, 10))}</span>
                <button
                  type="button"
                  class="quiet icon"
                  aria-label={fill(w.leave_out, { day: dayText(date.slice(0, 10)) })}
                  onClick={() => leaveOut(date, at)}
                >
                  ×
                </button>
              </li>
            ))}
          </ol>
          {meaning.isMore && <p class="hint">{w.more_follow}</p>}
          <ClockChanges moments={meaning.changes} zone={zone} />
        </>
      )}
    </div>
  )
}

/** How an event repeats, as people say it, or as a rule. */
export function Repeats({
  form,
  change,
  errors,
  base,
  record,
}: EventEditing & { record: EventRecord | undefined }) {
  const [custom, setCustom] = useState(false)
  const { recurrence } = form
  const pattern = seriesPattern(form, base, record)
  const day = pattern.start.slice(0, 10)
  const simple = recurrence ? readSimple(recurrence.rrule, day) : undefined
  const isCustom = recurrence !== null && (custom || !simple)
  const set = (values: Partial<Repetition>) =>
    change({ recurrence: { rrule: '', rdate: [], exdate: [], ...recurrence, ...values } })
  const choose = (kind: string) => {
    setCustom(kind === 'custom')
    if (kind === 'never') return change({ recurrence: null })
    if (kind === 'custom') return set({ rrule: recurrence?.rrule ?? printSimple(firstRule('WEEKLY', day)) })
    const begun = firstRule(kind as Frequency, day)
    const { interval, end, until, count } = simple ?? begun
    set({ rrule: printSimple({ ...begun, interval, end, until, count }) })
  }
  const edit = (values: Partial<Simple>) => set({ rrule: printSimple({ ...simple!, ...values }) })
  const fields = simple && { simple, day, change: edit }
  const isReady = isDay(day) && (form.all_day || form.start_time !== '')
  const meaning =
    recurrence && isReady
      ? meaningOf(recurrence, pattern, {
          language: language.get(),
          ...(record?.recurrence_id && { from: record.recurrence_id }),
        })
      : undefined
  const without = (dates: string[], date: string) => dates.filter((one) => one !== date)
  return (
    <fieldset class="group repeats">
      <legend>{w.repetition}</legend>
      {record?.of && <p class="hint">{w.part_of_series}</p>}
      <div class="row">
        <SelectField
          label={w.recurrence}
          value={recurrence === null ? 'never' : isCustom ? 'custom' : simple!.freq}
          error={errors.recurrence}
          options={['never', ...FREQUENCIES.toReversed(), 'custom'].map((kind) => [
            kind,
            w[`repeats_${kind}` as keyof Words],
          ])}
          onValue={choose}
        />
        {fields && !isCustom && (
          <TextField
            label={w[`interval_${fields.simple.freq}`]}
            type="number"
            min={1}
            max={MOST_INTERVAL}
            value={String(fields.simple.interval)}
            onValue={(text) => Number(text) >= 1 && edit({ interval: Math.floor(Number(text)) })}
          />
        )}
        {fields && !isCustom && fields.simple.freq === 'MONTHLY' && <DayOfMonth {...fields} />}
      </div>
      {fields && !isCustom && fields.simple.freq === 'WEEKLY' && <Weekdays {...fields} />}
      {fields && !isCustom && (
        <div class="row">
          <End {...fields} />
        </div>
      )}
      {isCustom && (
        <TextField
          label={w.rrule}
          hint={w.rrule_hint}
          value={recurrence.rrule}
          spellcheck={false}
          onValue={(rrule) => set({ rrule })}
        />
      )}
      {recurrence && meaning && (
        <>
          <Meaning repetition={recurrence} meaning={meaning} zone={form.timezone} set={set} />
          <Days
            label={w.left_out}
            days={recurrence.exdate}
            remove={(date) => set({ exdate: without(recurrence.exdate, date) })}
          />
          <Days
            label={w.added}
            days={recurrence.rdate}
            remove={(date) => set({ rdate: without(recurrence.rdate, date) })}
          />
          <AddDay
            add={(day) =>
              set({
                rdate: [
                  ...new Set([...recurrence.rdate, pattern.allDay ? day : day + pattern.start.slice(10)]),
                ].sort(),
              })
            }
          />
        </>
      )}
    </fieldset>
  )
}
