import { useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { may, mayEdit } from '../../parts/shell.tsx'
import { hueOf } from '../../rules/hues.ts'
import { lastDay, layOut, type Segment } from '../../rules/month.ts'
import { longDay, shortTime, weekdayText, whenText, zoneText } from '../../words/dates.ts'
import { fill, number, type Words, w } from '../../words/words.ts'
import type { Entry } from './data.ts'
import type { Dragging } from './dragging.ts'

/** Rows of events in a week. */
const LANES = 4

type Props = { weeks: string[][]; month: string; today: string; entries: Entry[]; dragging: Dragging }

/** All of an event in words, for where there is no room for them: what is seen as a colour as well. */
export const entryText = (entry: Entry): string =>
  [
    entry.title,
    [whenText(entry), zoneText(entry, 'long')].filter(Boolean).join(' '),
    entry.categories.map(({ name }) => name).join(', '),
    entry.series !== undefined && w.repeats_badge,
    entry.status !== 'publish' && w[`status_${entry.status}` as keyof Words],
    entry.event_status !== 'scheduled' && w[`event_status_${entry.event_status}` as keyof Words],
  ]
    .filter(Boolean)
    .join(', ')

/** When an event begins, as short as it can be said. */
const startText = (entry: Entry) =>
  [shortTime(entry.start_date), zoneText(entry, 'short')].filter(Boolean).join(' ')

/** The hue of an event: that of its first category. */
export const hued = ({ categories: [category] }: Entry) => category && { '--hue': String(hueOf(category)) }

/** A part of an event in a week. */
function Bar({ segment, dragging }: { segment: Segment<Entry>; dragging: Dragging }) {
  const { event: entry, column, days, lane, begins, ends } = segment
  const isMovable = mayEdit(entry)
  const isDragged = dragging.drag?.entry.id === entry.id
  const isLong = entry.all_day || days > 1 || !begins || !ends
  const classes = [
    ...['bar-event', 'hued', entry.status, entry.event_status, isLong ? 'long' : 'short'],
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
      title={entryText(entry)}
      style={hued(entry)}
      onPointerDown={(event) => {
        if (isMovable) dragging.grab(entry, (event.target as HTMLElement).classList.contains('handle'), event)
      }}
      onKeyDown={(event) => isMovable && dragging.press(entry, event)}
      onClick={(event) => dragging.dragged.current && event.preventDefault()}
    >
      <span class="what">
        {entry.series !== undefined && <span class="again" aria-hidden="true" />}
        {!isLong && <span class="time">{startText(entry)} </span>}
        {entry.title}
      </span>
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
      <li key={entry.id} class={`hued ${entry.status} ${entry.event_status}`} style={hued(entry)}>
        <span class="time">{entry.all_day ? w.all_day : shortTime(entry.start_date)}</span>
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
          <small>
            {[zoneText(entry, 'long'), ...entry.categories.map(({ name }) => name)]
              .filter(Boolean)
              .join(' · ')}
          </small>
        </span>
      </li>
    ))}
  </ul>
)
