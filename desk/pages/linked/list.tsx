import { list } from '../../api/client.ts'
import { pathOf, SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Chips } from '../../parts/alike.tsx'
import { Pager, Search, StatusTabs, TableHead } from '../../parts/listing.tsx'
import { Failed } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { type LinkedKind, type LinkedRecord, nameOf } from '../../rules/linked.ts'
import { hashOf, type Place } from '../../rules/places.ts'
import { rowsOf } from '../../rules/sets.ts'
import { number, type Words, w } from '../../words/words.ts'
import { SPEAKS_SEVERAL } from '../events/query.ts'

const STATUSES = ['any', 'publish', 'draft', 'pending', 'private', 'trash'] as const
const MEMBERS = {
  venue: ['address', 'city', 'country', 'geo_lat'],
  organizer: ['email', 'phone', 'website'],
} as const

/** What the list is asked for at a place. */
const queryOf = (kind: LinkedKind, { status = 'any', search, page = '1' }: Place['query']) => ({
  ...{ status: may('create records') ? status : undefined, search, page, per_page: SPEAKS_SEVERAL ? 50 : 20 },
  _fields: [
    ...['total', 'total_pages'],
    ...['id', kind, 'status', 'language', 'translations', 'image', ...MEMBERS[kind]].map(
      (name) => `${kind}s.${name}`,
    ),
  ].join(),
})

const detailOf = (kind: LinkedKind, record: LinkedRecord) =>
  (kind === 'venue'
    ? [record.address, record.city, record.country]
    : [record.email, record.phone, !record.email && !record.phone && record.website]
  )
    .filter(Boolean)
    .join(', ')

const Rows = ({ kind, rows }: { kind: LinkedKind; rows: LinkedRecord[] }) => (
  <table class="records">
    <TableHead
      of={w[`${kind}s`]}
      names={[w.name, kind === 'venue' ? w.address_of : w.contact, SPEAKS_SEVERAL && w.language]}
    />
    <tbody>
      {rowsOf(rows, SITE.languages).map((row) => (
        <tr key={row.id}>
          <th scope="row">
            <div class="named">
              {row.image ? (
                <img
                  src={pathOf(row.image.sizes?.thumbnail?.url ?? row.image.url)}
                  alt=""
                  loading="lazy"
                  width="48"
                  height="48"
                />
              ) : (
                <span class="no-thumb" />
              )}
              <div>
                <a href={hashOf([`${kind}s`, row.id])} lang={row.language} dir="auto">
                  {nameOf(kind, row)}
                </a>
                <div class="badges">
                  {row.status !== 'publish' && (
                    <span class={`badge ${row.status}`}>{w[`status_${row.status}` as keyof Words]}</span>
                  )}
                  {kind === 'venue' && row.geo_lat === undefined && (
                    <span class="badge">{w.without_coordinates}</span>
                  )}
                </div>
              </div>
            </div>
          </th>
          <td class="soft">{detailOf(kind, row)}</td>
          {SPEAKS_SEVERAL && (
            <td>
              <Chips row={row} plural={`${kind}s`} title={nameOf(kind, row)} />
            </td>
          )}
        </tr>
      ))}
    </tbody>
  </table>
)

/** The list of venues or organizers. */
export function LinkedList({ kind, place }: { kind: LinkedKind; place: Place }) {
  const query = queryOf(kind, place.query)
  const { value, failure, again, loading } = useLoaded(JSON.stringify(query), () =>
    list<LinkedRecord>(`/${kind}s`, `${kind}s`, query),
  )
  const isFiltered = Object.keys(place.query).length > 0
  return (
    <>
      <div class="head">
        <h1>
          {w[`${kind}s`]} {value && <span class="count">{number(value.total)}</span>}
        </h1>
        {may('create records') && (
          <a class="button" href={`#/${kind}s/new`}>
            {w[`new_${kind}`]}
          </a>
        )}
      </div>
      {may('create records') && <StatusTabs place={place} statuses={STATUSES} />}
      <Search place={place} />
      <div class={loading ? 'results loading' : 'results'} aria-busy={loading}>
        {failure && <Failed failure={failure} again={again} />}
        {value?.rows.length === 0 && (
          <div class="empty">
            <p>{isFiltered ? w.no_match_record : w.nothing_yet}</p>
            {isFiltered && <a href={hashOf(place.path)}>{w.clear_filters}</a>}
          </div>
        )}
        {value && value.rows.length > 0 && (
          <>
            <Rows kind={kind} rows={value.rows} />
            <Pager place={place} pages={value.pages} total={value.total} />
          </>
        )}
      </div>
    </>
  )
}
