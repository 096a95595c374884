import { readEvent } from '../../api/events.ts'
import { pathOf, SITE } from '../../api/site.ts'
import { Chips } from '../../parts/alike.tsx'
import { followSeries, membersText } from '../../parts/differs.tsx'
import { TableHead } from '../../parts/listing.tsx'
import { tellFailure } from '../../parts/notice.tsx'
import { mayEdit } from '../../parts/shell.tsx'
import { hashOf } from '../../rules/places.ts'
import { rowsOf } from '../../rules/sets.ts'
import { dayText, whenText } from '../../words/dates.ts'
import { fill, number, type Words, w } from '../../words/words.ts'
import { type Row, SPEAKS_SEVERAL } from './query.ts'

/** The small picture of an event. */
const Thumb = ({ image }: Pick<Row, 'image'>) =>
  image ? (
    <img
      src={pathOf(image.sizes?.thumbnail?.url ?? image.url)}
      alt=""
      loading="lazy"
      width="48"
      height="48"
    />
  ) : (
    <span class="no-thumb" />
  )

/** What is particular about an event, besides being published as planned. */
function Badges({ row }: { row: Row }) {
  const words = [
    row.status !== 'publish' && (['status', row.status] as const),
    row.event_status !== 'scheduled' && (['event_status', row.event_status] as const),
  ]
  return (
    <>
      {words.map(
        (one) =>
          one && (
            <span key={one[0]} class={`badge ${one[1]}`}>
              {w[one.join('_') as keyof Words]}
            </span>
          ),
      )}
      {row.series !== undefined && (
        <a
          class="badge"
          href={hashOf(['events'], { series: String(row.series), when: 'all' })}
          aria-label={`${w.repeats_badge}: ${w.all_dates_of_series}, ${row.title}`}
        >
          {row.occurrences === undefined
            ? w.repeats_badge
            : fill(w.stands_for, { count: number(row.occurrences) })}
        </a>
      )}
      {row.featured && <span class="badge">{w.featured}</span>}
      {row.hide_from_listings && <span class="badge">{w.hidden}</span>}
      {row.protected && <span class="badge">{w.protected}</span>}
    </>
  )
}

/** In what a date differs from its series, with the way back. */
function Differing({ row, done }: { row: Row; done: () => void }) {
  const { overrides = [] } = row
  if (overrides.length === 0) return null
  const back = async () => {
    const { etag } = await readEvent<Row>(row.id)
    await followSeries(row.id, etag, done)
  }
  return (
    <p class="differs">
      <span>{fill(w.differs_in, { members: membersText(overrides) })}</span>{' '}
      {mayEdit(row) && row.status !== 'trash' && (
        <button
          type="button"
          class="link"
          aria-label={fill(w.back_to_series_of, {
            title: row.title,
            day: dayText(row.start_date.slice(0, 10)),
          })}
          onClick={() => void back().catch(tellFailure)}
        >
          {w.back_to_series}
        </button>
      )}
    </p>
  )
}

type Props = {
  done: () => void
  rows: Row[]
  chosen: number[]
  /** Absent while the rows are read: those that are shown may be of another list. */
  choose: ((ids: number[]) => void) | undefined
}

/** The events of a page of the list. On a phone each is a card. */
export function Table({ rows, chosen, choose, done }: Props) {
  const all = rows.every(({ id }) => chosen.includes(id))
  return (
    <table class="events">
      <TableHead of={w.events} names={[w.title, w.when, w.venue, SPEAKS_SEVERAL && w.language]}>
        <th scope="col" class="pick">
          <label>
            <input
              type="checkbox"
              checked={all}
              disabled={!choose}
              onChange={() => choose?.(all ? [] : rows.map(({ id }) => id))}
            />
            <span class="unseen">{w.choose_all}</span>
          </label>
        </th>
      </TableHead>
      <tbody>
        {rowsOf(rows, SITE.languages, whenText).map((row) => (
          <tr key={row.id} class={chosen.includes(row.id) ? 'chosen' : ''}>
            <td class="pick">
              <label>
                <input
                  type="checkbox"
                  checked={chosen.includes(row.id)}
                  disabled={!choose}
                  onChange={({ currentTarget: { checked } }) => {
                    // what is done to it holds for its translations
                    const ids = row.all.map(({ id }) => id)
                    const others = chosen.filter((id) => !ids.includes(id))
                    choose?.(checked ? [...others, ...ids] : others)
                  }}
                />
                <span class="unseen">{fill(w.choose_one, { title: row.title })}</span>
              </label>
            </td>
            <th scope="row" class="title">
              <div>
                <Thumb image={row.image} />
                <div>
                  <a href={hashOf(['events', row.id])} lang={row.language} dir="auto">
                    {row.title}
                  </a>
                  <div class="badges">
                    <Badges row={row} />
                  </div>
                  <Differing row={row} done={done} />
                </div>
              </div>
            </th>
            <td class="when">{whenText(row)}</td>
            <td class="venue">
              {[row.venue]
                .flat()
                .map(({ venue }) => venue)
                .join(', ')}
            </td>
            {SPEAKS_SEVERAL && (
              <td class="language">
                <Chips row={row} plural="events" title={row.title} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
