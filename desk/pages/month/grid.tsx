import { useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { may, mayEdit } from '../../parts/shell.tsx'
import { lastDay, layOut, type Segment } from '../../rules/month.ts'
import { longDay, timeText, weekdayText, whenText } from '../../words/dates.ts'
import { fill, number, type Words, w } from '../../words/words.ts'
import type { Entry } from './data.ts'
import type { Dragging } from './dragging.ts'

/** Rows of events in a week. */
const LANES = 4

type Props = { weeks: string[][]; month: string; today: string; entries: Entry[]; dragging: Dragging }

/** A part of an event in a week. */
function Bar({ segment, dragging }: { segment: Segment<Entry>; dragging: Dragging }) {
  const { event: entry, column, days, lane, begins, ends } = segment
  const isMovable = mayEdit(entry)
  const isDragged = dragging.drag?.entry.id === entry.id
  const isLong = entry.all_day || days > 1 || !begins || !ends
  const classes = [
    ...['bar-event', entry.status, entry.event_status, isLong ? 'long' : 'short'],
    ...[begins && 'begins', ends && 'ends', isDragged && 'dragged', isMovable && 'movable'],
    ...[`c${column + 1}`, `d${days}`, `l${lane + 1}`],
  ]
  return (
    <a
      class={classes.filter(Boolean).join(' ')}
      href={`#/events/${entry.id}`}
      lang={entry.language}
      dir="auto"
      draggable={false}
      aria-describedby={isMovable ? 'month-hint' : undefined}
      title={[entry.title, whenText(entry), entry.series !== undefined && w.repeats_badge]
        .filter(Boolean)
        .join(', ')}
      onPointerDown={(event) => {
        if (isMovable) dragging.grab(entry, (event.target as HTMLElement).classList.contains('handle'), event)
      }}
      onKeyDown={(event) => isMovable && dragging.press(entry, event)}
      onClick={(event) => dragging.dragged.current && event.preventDefault()}
    >
      {entry.series !== undefined && <span class="again" aria-hidden="true" />}
      {!isLong && <span class="time">{timeText(entry.start_date)} </span>}
      {entry.title}
      {ends && isMovable && <span class="handle" />}
    </a>
  )
}

/** The month as weeks, with events as bars over their days. */
export function Grid({ weeks, month, today, entries, dragging }: Props) {
  const [shown, setShown] = useState<string>()
  const isNew = may('create records')
  return (
    <div class={dragging.drag ? 'month dragging' : 'month'}>
      <div class="weekdays" aria-hidden="true">
        {weeks[0]!.map((day) => (
          <span key={day}>{weekdayText(day, 'short')}</span>
        ))}
      </div>
      <ol>
        {weeks.map((days) => {
          const week = layOut(days, entries, LANES)
          return (
            <li class="week" key={days[0]}>
              {days.map((day, at) => (
                <div
                  key={day}
                  data-day={day}
                  class={`cell c${at + 1} ${day.startsWith(month) ? '' : 'other'} ${day === today ? 'today' : ''}`}
                >
                  {isNew ? (
                    <a href={`#/events/new?day=${day}`} aria-label={fill(w.new_on, { day: longDay(day) })}>
                      {Number(day.slice(8))}
                    </a>
                  ) : (
                    <span>{Number(day.slice(8))}</span>
                  )}
                  {week.hidden[at]! > 0 && (
                    <button
                      type="button"
                      class="link rest"
                      onClick={() => setShown(day)}
                      aria-label={fill(w.more_on, { count: number(week.hidden[at]!), day: longDay(day) })}
                    >
                      {fill(w.plus, { count: number(week.hidden[at]!) })}
                    </button>
                  )}
                </div>
              ))}
              {week.segments.map((segment) => (
                <Bar key={`${segment.event.id}`} segment={segment} dragging={dragging} />
              ))}
            </li>
          )
        })}
      </ol>
      {shown && (
        <Dialog title={longDay(shown)} onClose={() => setShown(undefined)}>
          <DayList
            entries={entries.filter(
              (entry) => entry.start_date.slice(0, 10) <= shown && lastDay(entry) >= shown,
            )}
          />
        </Dialog>
      )}
    </div>
  )
}

/** The events of a day, as links. */
export const DayList = ({ entries }: { entries: Entry[] }) => (
  <ul class="day-list">
    {entries.map((entry) => (
      <li key={entry.id} class={`${entry.status} ${entry.event_status}`}>
        <span class="time">{entry.all_day ? w.all_day : timeText(entry.start_date)}</span>
        <span>
          <a href={`#/events/${entry.id}`} lang={entry.language} dir="auto">
            {entry.title}
          </a>
          {entry.status !== 'publish' && (
            <>
              {' '}
              <span class={`badge ${entry.status}`}>{w[`status_${entry.status}` as keyof Words]}</span>
            </>
          )}
          {lastDay(entry) > entry.start_date.slice(0, 10) && <small>{whenText(entry)}</small>}
        </span>
      </li>
    ))}
  </ul>
)
