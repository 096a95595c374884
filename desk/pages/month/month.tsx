import { SITE } from '../../api/site.ts'
import { useLoaded, useMatches } from '../../api/use.ts'
import { SelectField } from '../../parts/field.tsx'
import { Failed, Notice } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { movedBy } from '../../rules/month.ts'
import { hashOf, type Place } from '../../rules/places.ts'
import { rowsOf } from '../../rules/sets.ts'
import { addMonths, today, weeksOf } from '../../rules/wall.ts'
import { firstOfWeek, monthText } from '../../words/dates.ts'
import { fill, languageName, number, w } from '../../words/words.ts'
import { Agenda } from './agenda.tsx'
import { type Entry, MOST, readMonth } from './data.ts'
import { useDragging } from './dragging.ts'
import { useDropped } from './dropped.ts'
import { Grid } from './grid.tsx'

/** A window with no room for seven columns, as in `agenda.css`. */
const NARROW = '(max-width: 45rem)'

/** A month, in which events are moved and stretched. On a phone it is a list of days. */
export function MonthPage({ place: { path, query } }: { place: Place }) {
  const now = today(Date.now(), SITE.zone)
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(path[1] ?? '') ? path[1]! : now.slice(0, 7)
  const weeks = weeksOf(month, firstOfWeek())
  const [first, last] = [weeks[0]![0]!, weeks.at(-1)!.at(-1)!]
  const { value, failure, again, loading } = useLoaded(`${first} ${query.language}`, () =>
    readMonth(first, last, query.language),
  )
  const { dropped, drop } = useDropped(again)
  const dragging = useDragging(drop)
  const { drag } = dragging
  const isNarrow = useMatches(NARROW)
  const sets = rowsOf(value ?? [], SITE.languages, ({ start_date, end_date }) => `${start_date} ${end_date}`)
  const entries: Entry[] = sets.map((entry) => ({
    ...entry,
    ...dropped[entry.id],
    ...(drag?.entry.id === entry.id && movedBy(entry, drag.days, drag.stretched)),
  }))
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
              location.hash = hashOf(['month', month], { language })
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
      {value && value.length >= MOST && (
        <Notice>
          <p>{fill(w.month_full, { count: number(MOST) })}</p>
        </Notice>
      )}
      <div class={loading && !value ? 'results loading' : ''} aria-busy={loading}>
        {isNarrow ? (
          <Agenda weeks={weeks} month={month} today={now} entries={entries} />
        ) : (
          <Grid weeks={weeks} month={month} today={now} entries={entries} dragging={dragging} />
        )}
      </div>
      <p class="hint wide-only" id="month-hint">
        {w.month_hint}
      </p>
    </>
  )
}
