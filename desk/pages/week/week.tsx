import { SITE } from '../../api/site.ts'
import { useMatches } from '../../api/use.ts'
import { Failed } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { layOut, type Segment } from '../../rules/month.ts'
import { hashOf, type Place } from '../../rules/places.ts'
import { addDays, isDay, today } from '../../rules/wall.ts'
import { isTimed, weekOf } from '../../rules/week.ts'
import { daysText, firstOfWeek, longDay, weekdayText } from '../../words/dates.ts'
import { fill, w } from '../../words/words.ts'
import type { Entry } from '../month/data.ts'
import { useEntries } from '../month/dragging.ts'
import { entryText, hued } from '../month/grid.tsx'
import { isOf, Legend } from '../month/legend.tsx'
import { HeadChoices } from '../month/month.tsx'
import { Nothing } from '../month/nothing.tsx'
import { Hours, MINUTES } from './hours.tsx'

/** A window with no room for seven columns, as in `week.css`. */
const NARROW = '(max-width: 45rem)'

/** An event that lasts whole days: one band over all of those that the week shows of it. */
const Band = ({ segment: { event: entry, days, begins } }: { segment: Segment<Entry> }) => (
  <a
    class={`whole hued ${entry.status} ${entry.event_status} ${begins ? 'begins' : ''}`}
    style={{ '--days': days, ...hued(entry) }}
    href={`#/events/${entry.id}`}
    lang={entry.language}
    dir="auto"
    title={entryText(entry)}
  >
    {entry.title}
  </a>
)

/** The heads of the days, each with the events of whole days that begin there, or go on there from the week before. */
function Heads({ days, now, entries }: { days: string[]; now: string; entries: Entry[] }) {
  const { segments } = layOut(days, entries, Number.POSITIVE_INFINITY)
  /** The rows of a day: each with the band that starts there, or without one. */
  const rowsAt = (at: number) => {
    const here = segments.filter(({ column, days }) => column <= at && column + days > at)
    const count = Math.max(0, ...here.map(({ lane }) => lane + 1))
    return Array.from({ length: count }, (_, row) =>
      here.find(({ lane, column }) => lane === row && column === at),
    )
  }
  return (
    <div class={`day-heads n${days.length}`}>
      <span />
      {days.map((day, at) => (
        <section key={day} aria-label={longDay(day)} class={day === now ? 'today' : ''}>
          <h2>
            {weekdayText(day, 'short')}{' '}
            {may('create records') ? (
              <a href={`#/events/new?day=${day}`} aria-label={fill(w.new_on, { day: longDay(day) })}>
                {Number(day.slice(8))}
              </a>
            ) : (
              <span>{Number(day.slice(8))}</span>
            )}
          </h2>
          <ul>
            {rowsAt(at).map((segment, row) => (
              <li key={segment?.event.id ?? `row ${row}`} aria-hidden={!segment}>
                {segment && <Band segment={segment} />}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

/** A week with its hours, in which events are moved and stretched by quarters of an hour. On a phone it is a day. */
export function WeekPage({ place: { path, query } }: { place: Place }) {
  const now = today(Date.now(), SITE.zone)
  const day = isDay(path[1] ?? '') ? path[1]! : now
  const isNarrow = useMatches(NARROW)
  const days = isNarrow ? [day] : weekOf(day, firstOfWeek())
  const [first, last] = [days[0]!, days.at(-1)!]
  const { value, failure, again, loading, entries, dragging } = useEntries(
    [first, last],
    query.language,
    MINUTES,
  )
  const shown = entries.filter((entry) => isOf(entry, query.category))
  const to = (other: string) => hashOf(['week', other], query)
  const step = (by: number) => addDays(day, by * days.length)
  const turn = (by: number, rel: string, arrow: string) => (
    <a class="button plain" href={to(step(by))} rel={rel}>
      <span aria-hidden="true">{arrow}</span>
      <span class="unseen">{isNarrow ? longDay(step(by)) : w[by < 0 ? 'week_before' : 'week_after']}</span>
    </a>
  )
  return (
    <>
      <div class="head month-head">
        <h1 class="capital">{daysText(first, last)}</h1>
        <nav class="turn" aria-label={w.week}>
          {turn(-1, 'prev', '←')}
          <a class="button plain" href={to(now)} aria-current={days.includes(now) ? 'page' : undefined}>
            {isNarrow ? w.today : w.this_week}
          </a>
          {turn(1, 'next', '→')}
        </nav>
        <HeadChoices language={query.language} path={['week', day]} />
      </div>
      {failure && <Failed failure={failure} again={again} />}
      <Legend entries={entries} place={{ path: ['week', day], query }} />
      {value && entries.length === 0 && <Nothing after={last} text={w.no_events_in_week} part="week" />}
      <div class={loading && !value ? 'week-view results loading' : 'week-view'} aria-busy={loading}>
        <Hours
          {...{ days, today: now, entries: shown, dragging }}
          head={<Heads days={days} now={now} entries={shown.filter((entry) => !isTimed(entry))} />}
        />
      </div>
      <p class="hint wide-only" id="week-hint">
        {w.week_hint}
      </p>
    </>
  )
}
