import type { ComponentChild } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { may, mayEdit } from '../../parts/shell.tsx'
import { hashOf } from '../../rules/places.ts'
import { daysBetween } from '../../rules/wall.ts'
import {
  type Block,
  DAY,
  halfHour,
  isTimed,
  layOutHours,
  STEP,
  shiftedBy,
  stepped,
} from '../../rules/week.ts'
import { hourText, longDay, shortTime, zoneText } from '../../words/dates.ts'
import { w } from '../../words/words.ts'
import type { Entry } from '../month/data.ts'
import type { Dragging, Scale } from '../month/dragging.ts'
import { entryText, hued } from '../month/grid.tsx'

/** Height of an hour, in rem, as in `week.css`. */
const HOUR = 2.5
/** Minutes of an event with room for its categories below its title. */
const ROOM = 120
/** The hour that is at the top at first. */
const MORNING = 8

/** The minute of a day that a point of the window is at. */
function minuteAt(column: HTMLElement, y: number): number {
  const { top, height } = column.getBoundingClientRect()
  return ((y - top) / height) * DAY
}

/** Events are moved by quarters of an hour, and from day to day. */
export const MINUTES: Scale<{ day: string; minute: number }> = {
  placeAt(x, y) {
    const column = document.elementsFromPoint(x, y).find((element) => element.matches('.column'))
    if (!(column instanceof HTMLElement)) return undefined
    return { day: column.dataset.day!, minute: minuteAt(column, y) }
  },
  between: (from, to, stretched) =>
    (stretched ? 0 : daysBetween(from.day, to.day)) * DAY + stepped(to.minute - from.minute),
  shifted: shiftedBy,
  keys: { ArrowLeft: -DAY, ArrowRight: DAY, ArrowUp: -STEP, ArrowDown: STEP },
}

const rem = (minutes: number) => `${(minutes / 60) * HOUR}rem`

/** An event in the hours of a day. */
function Timed({ block, dragging }: { block: Block<Entry>; dragging: Dragging }) {
  const { event: entry, from, to, lane, lanes, begins, ends } = block
  const isMovable = mayEdit(entry)
  const endsAtNight = ends && entry.end_date.slice(0, 10) > entry.start_date.slice(0, 10)
  const isDragged = dragging.drag?.entry.id === entry.id
  return (
    <a
      class={[
        'timed',
        'hued',
        entry.status,
        entry.event_status,
        isDragged && 'dragged',
        isMovable && 'movable',
      ]
        .filter(Boolean)
        .join(' ')}
      style={{
        ...hued(entry),
        insetBlockStart: rem(from),
        blockSize: rem(to - from),
        insetInlineStart: `${(lane / lanes) * 100}%`,
        inlineSize: `${100 / lanes}%`,
      }}
      href={`#/events/${entry.id}`}
      lang={entry.language}
      draggable={false}
      aria-describedby={isMovable ? 'week-hint' : undefined}
      title={entryText(entry)}
      onPointerDown={(event) => {
        const isHandle = (event.target as HTMLElement).classList.contains('handle')
        if (isMovable) dragging.grab(entry, isHandle, event)
      }}
      onKeyDown={(event) => isMovable && dragging.press(entry, event)}
      onClick={(event) => dragging.dragged.current && event.preventDefault()}
    >
      {begins && (
        <>
          <span class="time">
            {shortTime(entry.start_date)}
            {endsAtNight && ` – ${shortTime(entry.end_date)}`}
          </span>{' '}
          {zoneText(entry, 'short')}{' '}
        </>
      )}
      {entry.title}
      {to - from >= ROOM && <small>{entry.categories.map(({ name }) => name).join(', ')}</small>}
      {ends && isMovable && <span class="handle" />}
    </a>
  )
}

type Props = {
  days: string[]
  today: string
  entries: Entry[]
  dragging: Dragging
  /** What stands above the hours, and stays there. */
  head: ComponentChild
}

/** The hours of some days. A click on an empty place leads to a new event at that time. */
export function Hours({ days, today, entries, dragging, head }: Props) {
  const area = useRef<HTMLDivElement>(null)
  const isNew = may('create records')
  useEffect(() => {
    const shown = area.current!
    const starts = entries.filter(isTimed).map(({ start_date }) => Number(start_date.slice(11, 13)))
    shown.scrollTop = (shown.querySelector('.day-hours')!.clientHeight / 24) * Math.min(MORNING, ...starts)
    // again when there is something to see
  }, [days[0], entries.length > 0])
  const open = (day: string, column: HTMLElement, y: number) => {
    location.hash = hashOf(['events', 'new'], { day, time: halfHour(minuteAt(column, y)) })
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
    <div class="hours" ref={area} tabIndex={0} role="region" aria-label={w.hours}>
      {head}
      <div class={`day-hours n${days.length} ${dragging.drag ? 'dragging' : ''}`}>
        <ol class="times" aria-hidden="true">
          {Array.from({ length: 24 }, (_, hour) => (
            <li key={`${hour}`}>{hourText(hour)}</li>
          ))}
        </ol>
        {days.map((day) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the same
          <div
            key={day}
            class={`column ${day === today ? 'today' : ''} ${isNew ? 'open' : ''}`}
            data-day={day}
            title={isNew ? w.new_here : undefined}
            onClick={(event) => {
              if (isNew && event.target === event.currentTarget) open(day, event.currentTarget, event.clientY)
            }}
          >
            <h3 class="unseen">{longDay(day)}</h3>
            {layOutHours(day, entries).map((block) => (
              <Timed key={block.event.id} block={block} dragging={dragging} />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
