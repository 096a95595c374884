import { SITE } from '../../api/site.ts'
import { useMatches } from '../../api/use.ts'
import { SelectField } from '../../parts/field.tsx'
import { Failed, Notice } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { movedBy } from '../../rules/month.ts'
import { hashOf, type Place, readPlace } from '../../rules/places.ts'
import { addMonths, daysBetween, today, weeksOf } from '../../rules/wall.ts'
import { firstOfWeek, monthText } from '../../words/dates.ts'
import { fill, languageName, number, w } from '../../words/words.ts'
import { Agenda } from './agenda.tsx'
import { MOST } from './data.ts'
import { type Scale, useEntries } from './dragging.ts'
import { Grid } from './grid.tsx'
import { isOf, Legend } from './legend.tsx'
import { Nothing } from './nothing.tsx'

/** A window with no room for seven columns, as in `agenda.css`. */
const NARROW = '(max-width: 45rem)'

/** The day under a point of the window. */
const dayAt = (x: number, y: number): string | undefined =>
  document
    .elementsFromPoint(x, y)
    .map((element) => (element as HTMLElement).dataset.day)
    .find((day) => day !== undefined)

/** Events are moved by days and weeks. */
const DAYS: Scale<string> = {
  placeAt: dayAt,
  between: daysBetween,
  shifted: movedBy,
  keys: { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 },
}

/** The choice of a language for the days at a place of the desk, and the way to a new event. */
export const HeadChoices = ({ language, path }: { language: string | undefined; path: string[] }) => (
  <>
    {SITE.languages.length > 1 && (
      <SelectField
        quiet
        label={w.language}
        value={language ?? ''}
        options={[
          ['', w.every_language],
          ...SITE.languages.map((code) => [code, languageName(code)] as const),
        ]}
        onValue={(language) => {
          location.hash = hashOf(path, { ...readPlace(location.hash).query, language })
        }}
      />
    )}
    {may('create records') && (
      <a class="button" href="#/events/new">
        {w.new_event}
      </a>
    )}
  </>
)

/** A month, in which events are moved and stretched. On a phone it is a list of days. */
export function MonthPage({ place: { path, query } }: { place: Place }) {
  const now = today(Date.now(), SITE.zone)
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(path[1] ?? '') ? path[1]! : now.slice(0, 7)
  const weeks = weeksOf(month, firstOfWeek())
  const [first, last] = [weeks[0]![0]!, weeks.at(-1)!.at(-1)!]
  const { value, failure, again, loading, entries, dragging } = useEntries(
    [first, last],
    query.language,
    DAYS,
  )
  const shown = entries.filter((entry) => isOf(entry, query.category))
  const isNarrow = useMatches(NARROW)
  const to = (other: string) => hashOf(['month', other], query)
  return (
    <>
      <div class="head month-head">
        <h1 class="capital">{monthText(month)}</h1>
        <nav class="turn" aria-label={w.month}>
          <a class="button plain" href={to(addMonths(month, -1))} rel="prev">
            <span aria-hidden="true">←</span>
            <span class="unseen">{monthText(addMonths(month, -1))}</span>
          </a>
          <a
            class="button plain"
            href={to(now.slice(0, 7))}
            aria-current={now.startsWith(month) ? 'page' : undefined}
          >
            {w.this_month}
          </a>
          <a class="button plain" href={to(addMonths(month, 1))} rel="next">
            <span aria-hidden="true">→</span>
            <span class="unseen">{monthText(addMonths(month, 1))}</span>
          </a>
        </nav>
        <HeadChoices language={query.language} path={['month', month]} />
      </div>
      {failure && <Failed failure={failure} again={again} />}
      {value && value.length >= MOST && (
        <Notice>
          <p>{fill(w.month_full, { count: number(MOST) })}</p>
        </Notice>
      )}
      <Legend entries={entries} place={{ path: ['month', month], query }} />
      {value && entries.length === 0 && <Nothing after={last} text={w.no_events_in_month} part="month" />}
      <div class={loading && !value ? 'results loading' : ''} aria-busy={loading}>
        {isNarrow ? (
          <Agenda weeks={weeks} month={month} today={now} entries={shown} />
        ) : (
          <Grid weeks={weeks} month={month} today={now} entries={shown} dragging={dragging} />
        )}
      </div>
      <p class="hint wide-only" id="month-hint">
        {w.month_hint}
      </p>
    </>
  )
}
