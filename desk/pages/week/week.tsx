import { SITE } from '../../api/site.ts'
import { useLoaded, useMatches } from '../../api/use.ts'
import { SelectField } from '../../parts/field.tsx'
import { Failed } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { lastDay } from '../../rules/month.ts'
import { hashOf, type Place } from '../../rules/places.ts'
import { rowsOf } from '../../rules/sets.ts'
import { addDays, isDay, today } from '../../rules/wall.ts'
import { isTimed, shiftedBy, weekOf } from '../../rules/week.ts'
import { daysText, firstOfWeek, longDay, weekdayText } from '../../words/dates.ts'
import { fill, languageName, w } from '../../words/words.ts'
import { type Entry, readMonth } from '../month/data.ts'
import { useDropped } from '../month/dropped.ts'
import { useHours } from './dragging.ts'
import { Hours } from './hours.tsx'

/** A window with no room for seven columns, as in `week.css`. */
const NARROW = '(max-width: 45rem)'

/** The heads of the days, each with the events that last whole days. */
function Heads({ days, now, entries }: { days: string[]; now: string; entries: Entry[] }) {
  return (
    <div class={`day-heads n${days.length}`}>
      <span />
      {days.map((day) => (
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
            {entries
              .filter((entry) => entry.start_date.slice(0, 10) <= day && lastDay(entry) >= day)
              .map((entry) => (
                <li key={entry.id}>
                  <a
                    class={`whole ${entry.status} ${entry.event_status}`}
                    href={`#/events/${entry.id}`}
                    lang={entry.language}
                  >
                    {entry.title}
                  </a>
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
  const { value, failure, again, loading } = useLoaded(`${first} ${last} ${query.language}`, () =>
    readMonth(first, last, query.language),
  )
  const { dropped, drop } = useDropped(again)
  const dragging = useHours(drop)
  const { drag } = dragging
  const sets = rowsOf(value ?? [], SITE.languages, ({ start_date, end_date }) => `${start_date} ${end_date}`)
  const entries: Entry[] = sets.map((entry) => ({
    ...entry,
    ...dropped[entry.id],
    ...(drag?.entry.id === entry.id && shiftedBy(entry, drag.minutes, drag.stretched)),
  }))
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
        {SITE.languages.length > 1 && (
          <SelectField
            quiet
            label={w.language}
            value={query.language ?? ''}
            options={[
              ['', w.every_language],
              ...SITE.languages.map((code) => [code, languageName(code)] as const),
            ]}
            onValue={(language) => {
              location.hash = hashOf(['week', day], { language })
            }}
          />
        )}
        {may('create records') && (
          <a class="button" href="#/events/new">
            {w.new_event}
          </a>
        )}
      </div>
      {failure && <Failed failure={failure} again={again} />}
      <div class={loading && !value ? 'week-view results loading' : 'week-view'} aria-busy={loading}>
        <Hours
          {...{ days, today: now, entries, dragging }}
          head={<Heads days={days} now={now} entries={entries.filter((entry) => !isTimed(entry))} />}
        />
      </div>
      <p class="hint wide-only" id="week-hint">
        {w.week_hint}
      </p>
    </>
  )
}
