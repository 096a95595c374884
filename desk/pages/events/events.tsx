import { useLayoutEffect, useState } from 'preact/hooks'
import { list } from '../../api/client.ts'
import { useLoaded } from '../../api/use.ts'
import { Pager } from '../../parts/listing.tsx'
import { Failed } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import type { Place } from '../../rules/places.ts'
import { fill, number, w } from '../../words/words.ts'
import { Bulk } from './bulk.tsx'
import { Chosen, chosenIn, NothingFound, NothingYet } from './chosen.tsx'
import { useDates } from './dates.ts'
import { Filters, Tabs } from './filters.tsx'
import { queryOf, type Row } from './query.ts'
import { Table } from './table.tsx'

/** What is said in place of a table without rows. */
const Nothing = ({ query }: { query: Place['query'] }) =>
  chosenIn(query).length > 0 ? <NothingFound query={query} /> : <NothingYet />

/** The table of events, with its filters and what can be done to several at once. */
export function EventsPage({ place }: { place: Place }) {
  const query = queryOf(place)
  const { value, failure, again, loading } = useLoaded(JSON.stringify(query), () =>
    list<Row>('/events', 'events', query),
  )
  const [chosen, setChosen] = useState<number[]>([])
  const rows = value?.rows ?? []
  const { dates, unfold, fold, reading } = useDates(place, value)
  // what is chosen is of the rows that are shown, and those of another list are on their way while they are read
  useLayoutEffect(() => setChosen([]), [value, loading])
  const all = [...rows, ...Object.values(dates).flat()]
  const known = new Map(all.map((row) => [row.id, row]))
  return (
    <>
      <div class="head">
        <h1>
          {w.events} {value && <span class="count">{number(value.total)}</span>}
        </h1>
        <div class="buttons">
          {may('import events') && (
            <a class="button plain" href="#/import">
              {w.import}
            </a>
          )}
          {may('create records') && (
            <a class="button" href="#/events/new">
              {w.new_event}
            </a>
          )}
        </div>
      </div>
      <Tabs place={place} />
      <Filters place={place} />
      <Chosen query={place.query} />
      <div class={loading ? 'results loading' : 'results'} aria-busy={loading || reading}>
        {failure && <Failed failure={failure} again={again} />}
        {value && value.taken.length > 0 && (
          <p class="taken" role="status">
            {value.taken.map(([typed, as]) => fill(w.taken_as, { typed, as })).join(' ')}
          </p>
        )}
        {value && rows.length === 0 && !loading && (
          <Nothing key={JSON.stringify(query)} query={place.query} />
        )}
        {rows.length > 0 && (
          <>
            <Bulk
              rows={loading ? [] : chosen.flatMap((id) => known.get(id) ?? [])}
              status={place.query.status ?? 'any'}
              done={again}
            />
            <Table
              {...{ place, rows, dates, unfold, fold, chosen, done: again }}
              choose={loading || reading ? undefined : setChosen}
            />
            <Pager place={place} pages={value!.pages} total={value!.total} />
          </>
        )}
      </div>
    </>
  )
}
