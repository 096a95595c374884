import { useLayoutEffect, useState } from 'preact/hooks'
import { list } from '../../api/client.ts'
import { useLoaded } from '../../api/use.ts'
import { Pager } from '../../parts/listing.tsx'
import { Failed } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { fill, number, w } from '../../words/words.ts'
import { Bulk } from './bulk.tsx'
import { Filters, Tabs } from './filters.tsx'
import { queryOf, type Row } from './query.ts'
import { Table } from './table.tsx'

/** The table of events, with its filters and what can be done to several at once. */
export function EventsPage({ place }: { place: Place }) {
  const query = queryOf(place)
  const { value, failure, again, loading } = useLoaded(JSON.stringify(query), () =>
    list<Row>('/events', 'events', query),
  )
  const [chosen, setChosen] = useState<number[]>([])
  // what is chosen is of the rows that are shown, and those of another list are on their way while they are read
  useLayoutEffect(() => setChosen([]), [value, loading])
  const rows = value?.rows ?? []
  const isFiltered = Object.keys(place.query).length > 0
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
      <div class={loading ? 'results loading' : 'results'} aria-busy={loading}>
        {failure && <Failed failure={failure} again={again} />}
        {value && value.taken.length > 0 && (
          <p class="taken" role="status">
            {value.taken.map(([typed, as]) => fill(w.taken_as, { typed, as })).join(' ')}
          </p>
        )}
        {value && rows.length === 0 && (
          <div class="empty">
            <p>{isFiltered ? w.no_match : w.no_events}</p>
            {isFiltered ? (
              <a href={hashOf(['events'])}>{w.clear_filters}</a>
            ) : (
              may('create records') && <a href="#/events/new">{w.first_event}</a>
            )}
          </div>
        )}
        {rows.length > 0 && (
          <>
            <Bulk
              rows={loading ? [] : rows.filter(({ id }) => chosen.includes(id))}
              status={place.query.status ?? 'any'}
              done={again}
            />
            <Table rows={rows} chosen={chosen} choose={loading ? undefined : setChosen} done={again} />
            <Pager place={place} pages={value!.pages} total={value!.total} />
          </>
        )}
      </div>
    </>
  )
}
