import { Fragment } from 'preact'
import { list, listAll } from '../../api/client.ts'
import { SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Pager, TableHead } from '../../parts/listing.tsx'
import { Failed } from '../../parts/notice.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { secondText } from '../../words/dates.ts'
import { fill, number, w } from '../../words/words.ts'
import { detailsOf, type Entry, type Known, queryOf, subjectText, whoText } from './data.ts'
import { Filters } from './filters.tsx'

type RowProps = { entry: Entry; place: Place; users: Known[] }

const Row = ({ entry, place: { path, query }, users }: RowProps) => (
  <tr>
    <td class="soft time">
      <time dateTime={`${entry.at_utc.replace(' ', 'T')}Z`} title={`${entry.at_utc} UTC`}>
        {secondText(entry.at_utc)}
      </time>
    </td>
    <td class="by">
      {entry.user === undefined ? (
        <span class="soft">{whoText(entry, users)}</span>
      ) : (
        <a href={hashOf(path, { ...query, user: entry.user, page: undefined })}>{whoText(entry, users)}</a>
      )}
    </td>
    <th scope="row" class="done">
      {w[`code_${entry.code}`]}{' '}
      {entry.count > 1 && <span class="badge">{fill(w.so_many_times, { count: number(entry.count) })}</span>}
    </th>
    <td class="subject">{entry.subject && subjectText(entry.subject, users)}</td>
    <td class="soft from">{entry.address}</td>
    <td class="soft details">
      <ul>
        {detailsOf(entry).map(([name, text]) => (
          <Fragment key={name}>
            <li>
              {name}: {text}
            </li>{' '}
          </Fragment>
        ))}
      </ul>
    </td>
  </tr>
)

type TableProps = { rows: Entry[]; place: Place; users: Known[] }

const Table = ({ rows, place, users }: TableProps) => (
  <table class="records audit">
    <TableHead of={w.audit} names={[w.time, w.who, w.what, w.subject, w.from_where, w.details]} />
    <tbody>
      {rows.map((entry) => (
        <Row key={entry.id} entry={entry} place={place} users={users} />
      ))}
    </tbody>
  </table>
)

/** Who did what that matters for security, the latest first, for administrators. */
export function AuditPage({ place }: { place: Place }) {
  const query = queryOf(place)
  const { value, failure, again, loading } = useLoaded(JSON.stringify(query), () =>
    list<Entry>('/audit', 'entries', query),
  )
  const { value: users = [] } = useLoaded('audited users', () => listAll<Known>('/users', 'users'))
  return (
    <>
      <div class="head">
        <h1>
          {w.audit} {value && <span class="count">{number(value.total)}</span>}
        </h1>
      </div>
      <Filters place={place} users={users} />
      <div class={loading ? 'results loading' : 'results'} aria-busy={loading}>
        {failure && <Failed failure={failure} again={again} />}
        {value?.rows.length === 0 && (
          <div class="empty">
            <p>{w.no_entries}</p>
            <a href={hashOf(place.path)}>{w.clear_filters}</a>
          </div>
        )}
        {value && value.rows.length > 0 && (
          <>
            <Table rows={value.rows} place={place} users={users} />
            <Pager place={place} pages={value.pages} total={value.total} />
          </>
        )}
      </div>
      <p class="hint">{fill(w.audit_hint, { zone: SITE.zone })}</p>
    </>
  )
}
