import { Fragment } from 'preact'
import { readEvent } from '../../api/events.ts'
import { pathOf, SITE } from '../../api/site.ts'
import { Chips } from '../../parts/alike.tsx'
import { followSeries, membersText } from '../../parts/differs.tsx'
import { Icon } from '../../parts/icon.tsx'
import { TableHead } from '../../parts/listing.tsx'
import { tellFailure } from '../../parts/notice.tsx'
import { may, mayEdit } from '../../parts/shell.tsx'
import { lastDay } from '../../rules/month.ts'
import { hashOf, type Place } from '../../rules/places.ts'
import { rowsOf } from '../../rules/sets.ts'
import { today } from '../../rules/wall.ts'
import { daysOfYear, dayText, hoursText, timeHere, whenText, zoneText } from '../../words/dates.ts'
import { fill, number, type Words, w } from '../../words/words.ts'
import type { Shown } from './dates.ts'
import { isFolded, type Row, SPEAKS_SEVERAL } from './query.ts'

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
    <span class="no-thumb">
      <Icon name="month" />
    </span>
  )

/** What is particular about an event, besides being published as planned; `repeats` says whether it is told that it does. */
function Badges({ row, repeats }: { row: Row; repeats: boolean }) {
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
      {row.series !== undefined && repeats && (
        <a
          class="badge"
          href={hashOf(['events'], { series: String(row.series), when: 'all' })}
          aria-label={`${w.repeats_badge}: ${w.all_dates_of_series}, ${row.title}`}
        >
          {w.repeats_badge}
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

/** When an event takes place: its days, and its hours with their zone if it is another one than that of the calendar. */
function When({ row }: { row: Row }) {
  const { start_date, end_date, all_day, utc_start_date } = row
  const zone = zoneText(row, 'short')
  return (
    <>
      <span class="day">
        {daysOfYear(start_date.slice(0, 10), lastDay(row), today(Date.now(), SITE.zone).slice(0, 4))}
      </span>{' '}
      <span class="time">{all_day ? w.all_day : hoursText(start_date, end_date)}</span>
      {zone && (
        <>
          {' '}
          <abbr title={zoneText(row, 'long')}>{zone}</abbr>
          <small>{fill(w.here_at, { time: timeHere(row, utc_start_date) })}</small>
        </>
      )}
    </>
  )
}

/** The names of the venues of an event. */
const venuesText = ({ venue }: Row): string =>
  [venue]
    .flat()
    .map((one) => one.venue)
    .join(', ')

/** Copies an event, for who may write events. */
const Duplicate = ({ row: { id, title } }: { row: Row }) =>
  may('create records') ? (
    <button
      type="button"
      class="quiet icon"
      aria-label={fill(w.duplicate_one, { title })}
      title={w.duplicate}
      onClick={() => {
        location.hash = hashOf(['events', 'new'], { from: id })
      }}
    >
      <Icon name="copy" />
    </button>
  ) : null

/** The box by which something is chosen; it says so if only a part of it is. */
const Pick = ({
  label,
  isOn,
  isPart,
  disabled,
  onPick,
}: {
  label: string
  isOn: boolean
  isPart: boolean
  disabled: boolean
  onPick: () => void
}) => (
  <label>
    <input
      type="checkbox"
      ref={(box) => {
        if (box) box.indeterminate = isPart
      }}
      checked={isOn}
      disabled={disabled}
      onChange={onPick}
    />
    <span class="unseen">{label}</span>
  </label>
)

/** Whether an event is in the language of the site alone, which a phone does not say of each. */
const isPlain = ({ language, translations }: Row): boolean =>
  language === SITE.languages[0] && Object.keys(translations).length === 0

/** Dates of a series that are shown below it; a list of its own has all of them. */
const MOST_DATES = 24

type Props = {
  place: Place
  rows: Row[]
  /** The dates of series that are unfolded. */
  dates: Record<number, Row[]>
  unfold: (row: Shown) => Promise<Row[]>
  fold: (row: Row) => void
  chosen: number[]
  /** Absent while the rows are read: those that are shown may be of another list. */
  choose: ((ids: number[]) => void) | undefined
  done: () => void
}

/** The events of a page of the list, of which a series is one. On a phone each is a card. */
export function Table({ place, rows, dates, unfold, fold, chosen, choose, done }: Props) {
  const shown = rowsOf(rows, SITE.languages, whenText)
  /** What a row stands for: itself and its translations, or all dates of its series. */
  const partsOf = (row: Shown): Row[] => (isFolded(row) && dates[row.series!]) || row.all
  const statesOf = (parts: Row[]) => {
    const count = parts.filter(({ id }) => chosen.includes(id)).length
    return { isOn: count > 0 && count === parts.length, isPart: count > 0 && count < parts.length }
  }
  const pick = (parts: Row[], isOn: boolean) => {
    const ids = parts.map(({ id }) => id)
    const others = chosen.filter((id) => !ids.includes(id))
    choose?.(isOn ? [...others, ...ids] : others)
  }
  /** Chooses rows with the dates that they stand for, which are shown then. */
  const pickRows = async (picked: Shown[], isOn: boolean) => {
    const parts: Row[] = []
    for (const row of picked) parts.push(...(isFolded(row) && isOn ? await unfold(row) : partsOf(row)))
    pick(parts, isOn)
  }
  const whole = statesOf(shown.flatMap(partsOf))
  const language = (row: Shown) =>
    SPEAKS_SEVERAL && (
      <td class={isPlain(row) ? 'language plain' : 'language'}>
        <Chips row={row} plural="events" title={row.title} />
      </td>
    )
  return (
    <table class="events">
      <TableHead of={w.events} names={[w.title, w.when, w.venue, SPEAKS_SEVERAL && w.language]}>
        <th scope="col" class="pick">
          <Pick
            label={w.choose_all}
            {...whole}
            disabled={!choose}
            onPick={() => void pickRows(shown, !whole.isOn)}
          />
        </th>
      </TableHead>
      <tbody>
        {shown.map((row) => {
          const state = statesOf(partsOf(row))
          const own = isFolded(row) ? dates[row.series!] : undefined
          const all = rowsOf(own ?? [], SITE.languages, whenText)
          return (
            <Fragment key={row.id}>
              <tr class={state.isOn ? 'chosen' : ''}>
                <td class="pick">
                  <Pick
                    label={fill(w.choose_one, { title: row.title })}
                    {...state}
                    disabled={!choose}
                    onPick={() => void pickRows([row], !state.isOn)}
                  />
                </td>
                <th scope="row" class="title">
                  <div>
                    <Thumb image={row.image} />
                    <div>
                      <a href={hashOf(['events', row.id])} lang={row.language} dir="auto">
                        {row.title}
                      </a>
                      <div class="badges">
                        {isFolded(row) && (
                          <button
                            type="button"
                            class="badge fold"
                            aria-expanded={own !== undefined}
                            onClick={() => (own ? fold(row) : void unfold(row))}
                          >
                            <Icon name="fold" />
                            {fill(w.stands_for, { count: number(row.occurrences!) })}
                            <span class="unseen"> {fill(w.of_title, { title: row.title })}</span>
                          </button>
                        )}
                        <Badges row={row} repeats={!isFolded(row)} />
                      </div>
                      {!own && <Differing row={row} done={done} />}
                    </div>
                    <Duplicate row={row} />
                  </div>
                </th>
                <td class="when">
                  <When row={row} />
                </td>
                <td class="venue">{venuesText(row)}</td>
                {language(row)}
              </tr>
              {all.slice(0, MOST_DATES).map((date) => {
                const ownState = statesOf(date.all)
                return (
                  <tr key={date.id} class={ownState.isOn ? 'date chosen' : 'date'}>
                    <td class="pick">
                      <Pick
                        label={fill(w.choose_one, { title: `${date.title}, ${whenText(date)}` })}
                        {...ownState}
                        disabled={!choose}
                        onPick={() => pick(date.all, !ownState.isOn)}
                      />
                    </td>
                    <th scope="row" class="title">
                      <div>
                        <a href={hashOf(['events', date.id])}>
                          <When row={date} />
                        </a>
                        {date.title !== row.title && (
                          <p lang={date.language} dir="auto">
                            {date.title}
                          </p>
                        )}
                        <div class="badges">
                          <Badges row={date} repeats={false} />
                        </div>
                      </div>
                    </th>
                    <td class="when">
                      <Differing row={date} done={done} />
                    </td>
                    <td class="venue">{venuesText(date) !== venuesText(row) && venuesText(date)}</td>
                    {isPlain(date) && SPEAKS_SEVERAL ? <td /> : language(date)}
                  </tr>
                )
              })}
              {all.length > MOST_DATES && (
                <tr class="date">
                  <td class="pick" />
                  <td class="title" colSpan={SPEAKS_SEVERAL ? 4 : 3}>
                    <a href={hashOf(['events'], { ...place.query, page: undefined, series: row.series })}>
                      {w.all_dates_of_series} ({number(all.length)})
                    </a>
                  </td>
                </tr>
              )}
            </Fragment>
          )
        })}
      </tbody>
    </table>
  )
}
