import { useState } from 'preact/hooks'
import { list } from '../../api/client.ts'
import { SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { AreaField, SelectField } from '../../parts/field.tsx'
import { Pager } from '../../parts/listing.tsx'
import { Failed, failureText, Notice, tell } from '../../parts/notice.tsx'
import { countWaiting } from '../../parts/waiting.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { instantText, momentText, whenText } from '../../words/dates.ts'
import { fill, number, w } from '../../words/words.ts'
import { PageOf } from '../event/preview.tsx'
import {
  type Decision,
  decide,
  decisionsOn,
  eventOf,
  isOpen,
  organizersText,
  type Proposed,
  placeText,
  STATES,
  type State,
  type Submission,
  stateText,
} from './data.ts'

type Asked = { submission: Submission; what: Decision }

/** Asks for the message to the submitter before something is decided. */
function Deciding({
  asked: { submission, what },
  done,
  close,
}: {
  asked: Asked
  done: () => void
  close: () => void
}) {
  const [reply, setReply] = useState('')
  const [problem, setProblem] = useState<string>()
  const [works, setWorks] = useState(false)
  const run = async () => {
    setWorks(true)
    try {
      const { title, state } = await decide(submission, what, reply)
      tell({ text: fill(w.submission_done, { title, state: stateText(state) }) })
      done()
    } catch (error) {
      setProblem(failureText(error))
      setWorks(false)
    }
  }
  const { title } = submission
  return (
    <Dialog title={fill(w[`submission_${what}_of`], { title })} onClose={close}>
      <p>{w[`submission_${what}_hint`]}</p>
      <AreaField label={w.submission_words} value={reply} onValue={setReply} rows={5} />
      {problem !== undefined && <Notice bad>{problem}</Notice>}
      <div class="buttons">
        <button
          type="button"
          class={what === 'refuse' ? 'danger' : ''}
          disabled={works || (what === 'ask' && reply.trim() === '')}
          onClick={run}
        >
          {w[`submission_${what}`]}
        </button>
        <button type="button" class="plain" onClick={close}>
          {w.cancel}
        </button>
      </div>
    </Dialog>
  )
}

/** A pair of a name and what is known of it; nothing if that is nothing. */
const Fact = ({ name, text }: { name: string; text: string }) =>
  text === '' ? null : (
    <>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </>
  )

type OneProps = { submission: Submission; ask: (what: Decision) => void; look: (event: Proposed) => void }

/** What was proposed, by whom, what it may be a second time, and what can be done about it. */
function One({ submission, ask, look }: OneProps) {
  const { id, title, state, name, email, note, reply, created_utc, modified_utc, alike, event } = submission
  const { value } = useLoaded(`submission ${id} ${state} ${modified_utc}`, async () =>
    isOpen(submission) ? eventOf(submission) : undefined,
  )
  return (
    <li aria-labelledby={`submission-${id}`}>
      <h2 id={`submission-${id}`}>
        {title} <span class="badge">{stateText(state)}</span>
      </h2>
      <p>{whenText(submission)}</p>
      <dl>
        {value && <Fact name={w.submission_place} text={placeText(value)} />}
        {value && <Fact name={w.organizers} text={organizersText(value)} />}
        <dt>{w.submission_from}</dt>
        <dd>
          {email === '' ? (
            <span class="soft">{w.submission_forgotten}</span>
          ) : (
            <>
              {name}, <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>
            </>
          )}
        </dd>
        <Fact name={w.submission_came} text={instantText(created_utc)} />
        <Fact name={w.submission_note} text={note} />
        <Fact name={w.submission_reply} text={reply} />
      </dl>
      {alike.length > 0 && (
        <div class="notice">
          <p>{w.submission_alike}</p>
          <ul>
            {alike.map((one) => (
              <li key={one.id}>
                <a href={`#/events/${one.id}`}>{one.title}</a>, {momentText(one.start_date)}
                {one.venue && `, ${one.venue}`}
              </li>
            ))}
          </ul>
        </div>
      )}
      {isOpen(submission) && (
        <div class="buttons">
          {decisionsOn(submission).map((what) => (
            <button
              key={what}
              type="button"
              class={what === 'accept' ? '' : what === 'refuse' ? 'danger' : 'plain'}
              aria-label={fill(w[`submission_${what}_of`], { title })}
              onClick={() => ask(what)}
            >
              {w[`submission_${what}`]}
            </button>
          ))}
          {value && SITE.home !== '' && (
            <button
              type="button"
              class="plain"
              aria-label={fill(w.submission_look_of, { title })}
              onClick={() => look(value)}
            >
              {w.submission_look}
            </button>
          )}
          <a class="button plain" href={`#/events/${event}`}>
            {w.submission_edit}
          </a>
        </div>
      )}
    </li>
  )
}

/** What visitors proposed, and the decisions of editors. */
export function SubmissionsPage({ place }: { place: Place }) {
  const { state = 'waiting', page = '1' } = place.query as { state?: State | 'all'; page?: string }
  const { value, failure, again, loading } = useLoaded(`submissions ${state} ${page}`, () =>
    list<Submission>('/submissions', 'submissions', {
      ...{ page, per_page: 10, state: state === 'all' ? undefined : state },
    }),
  )
  const [asked, setAsked] = useState<Asked>()
  const [looked, setLooked] = useState<Proposed>()
  /** Shows how things stand: it was decided, or perhaps not because the event is another by now. */
  const decided = () => {
    setAsked(undefined)
    countWaiting()
    again()
  }
  return (
    <>
      <div class="head">
        <h1>
          {w.submissions} {value && <span class="count">{number(value.total)}</span>}
        </h1>
      </div>
      <SelectField
        label={w.submission_show}
        value={state}
        options={[...STATES.map((one) => [one, stateText(one)] as const), ['all', w.submission_all]]}
        onValue={(next) => {
          location.hash = hashOf(place.path, { state: next })
        }}
      />
      <div class={loading ? 'results loading' : 'results'} aria-busy={loading}>
        {failure && <Failed failure={failure} again={again} />}
        {value?.rows.length === 0 && <p class="hint">{w.submissions_none}</p>}
        {value && value.rows.length > 0 && (
          <>
            <ul class="submissions">
              {value.rows.map((one) => (
                <One
                  key={one.id}
                  submission={one}
                  ask={(what) => setAsked({ submission: one, what })}
                  look={setLooked}
                />
              ))}
            </ul>
            <Pager place={place} pages={value.pages} total={value.total} />
          </>
        )}
      </div>
      {asked && <Deciding asked={asked} done={decided} close={decided} />}
      {looked && (
        <Dialog title={w.preview} onClose={() => setLooked(undefined)} wide>
          <PageOf record={looked} />
        </Dialog>
      )}
    </>
  )
}
