import { send } from '../../api/client.ts'
import { useLoaded } from '../../api/use.ts'
import { Pager } from '../../parts/listing.tsx'
import { Failed, tell, tellFailure } from '../../parts/notice.tsx'
import { beginningOf, differenceOf, endOf } from '../../rules/compare.ts'
import { hashOf, type Place } from '../../rules/places.ts'
import { instantText } from '../../words/dates.ts'
import { calledText, fill, w } from '../../words/words.ts'
import { type Changes, historyOf, memberText, type Names, type Revision, valueText } from './data.ts'

function whoOf({ login, name, user }: Revision): string {
  if (login !== undefined) return calledText(login, name)
  return user === undefined ? w.the_service : fill(w.user_number, { id: user })
}

/** Both values of a member: of long texts what differs. */
function Values({ before, after }: { before: string; after: string }) {
  const { start, before: was, after: is, end } = differenceOf(before, after)
  return (
    <>
      {endOf(start)}
      {was && (
        <del>
          <span class="unseen">{w.value_before}: </span>
          {was}
        </del>
      )}{' '}
      {is && (
        <ins>
          <span class="unseen">{w.value_after}: </span>
          {is}
        </ins>
      )}
      {beginningOf(end)}
    </>
  )
}

type RowProps = { revision: Revision; names: Names; back: (revision: Revision) => void }

function Row({ revision, names, back }: RowProps) {
  const time = instantText(revision.at_utc)
  return (
    <li>
      <p class="made">
        <strong>{whoOf(revision)}</strong>{' '}
        <time class="soft" dateTime={`${revision.at_utc.replace(' ', 'T')}Z`}>
          {time}
        </time>
      </p>
      <dl>
        {Object.keys(revision.before).map((name) => (
          <div key={name}>
            <dt>{memberText(name)}</dt>
            <dd>
              <Values
                before={valueText(name, revision.before[name], names)}
                after={valueText(name, revision.after[name], names)}
              />
            </dd>
          </div>
        ))}
      </dl>
      <button
        type="button"
        class="plain"
        aria-label={fill(w.bring_back_of, { time })}
        onClick={() => back(revision)}
      >
        {w.bring_back}
      </button>
    </li>
  )
}

type ListProps = { changes: Changes; names: Names; again: () => void }

/** The changes of a record, each with the way back. */
function ChangeList({ changes: { rows, path, etag }, names, again }: ListProps) {
  const back = async ({ id }: Revision) => {
    try {
      const { ignored } = await send('POST', `${path}/revisions/${id}/restore`, { match: etag })
      const members = [...new Set(ignored.map((name) => memberText(name.replace(/\[.*/, ''))))]
      tell({
        text: members.length > 0 ? fill(w.partly_back, { members: members.join(', ') }) : w.brought_back,
      })
    } catch (failure) {
      tellFailure(failure)
    }
    again()
  }
  if (rows.length === 0) return <p>{w.no_changes_yet}</p>
  return (
    <ol class="history">
      {rows.map((revision) => (
        <Row key={revision.id} revision={revision} names={names} back={back} />
      ))}
    </ol>
  )
}

/** Who changed what in an event, the latest first, and the way back. */
export function HistoryPage({ place }: { place: Place }) {
  const page = place.query.page ?? '1'
  const { value, failure, again, loading } = useLoaded(page, () => historyOf(place))
  if (failure) return <Failed failure={failure} again={again} />
  if (!value) return <p class="loading">{w.loading}</p>
  const { event, own, ofSeries, names } = value
  return (
    <div class="changes" aria-busy={loading}>
      <div class="head">
        <h1>{fill(w.history_of, { title: event.title })}</h1>
        <a class="button plain" href={hashOf(['events', String(event.id)])}>
          {w.event_itself}
        </a>
      </div>
      <p class="hint">{w.history_hint}</p>
      <ChangeList changes={own} names={names} again={again} />
      <Pager place={place} pages={own.pages} total={own.total} />
      {ofSeries && (
        <section aria-label={w.history_of_series}>
          <h2>{w.history_of_series}</h2>
          <ChangeList changes={ofSeries} names={names} again={again} />
        </section>
      )}
    </div>
  )
}
