import { useState } from 'preact/hooks'
import { list } from '../../api/client.ts'
import { pathOf, SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { AreaField, SelectField } from '../../parts/field.tsx'
import { Pager } from '../../parts/listing.tsx'
import { type Media, urlOf } from '../../parts/media.ts'
import { Failed, failureText, Notice, tell, tellFailure } from '../../parts/notice.tsx'
import { Prose } from '../../parts/prose.tsx'
import { countWaiting } from '../../parts/waiting.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { agoText, instantText, momentText, whenText } from '../../words/dates.ts'
import { fill, listText, number, w } from '../../words/words.ts'
import { PageOf } from '../event/preview.tsx'
import { memberText } from '../history/data.ts'
import {
  type Decision,
  decide,
  decisionsOn,
  isOpen,
  organizersText,
  type Proposed,
  placeText,
  readProposed,
  STATES,
  type State,
  type Submission,
  stateText,
} from './data.ts'

/** Tells what was decided. */
const tellDecided = ({ title, state }: Submission) =>
  tell({ text: fill(w.submission_done, { title, state: stateText(state) }) })

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
      tellDecided(await decide(submission, what, reply))
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

/** Characters of a description from which on its beginning is shown. */
const LONG = 600

/** What was proposed of an event: its picture, its text and its facts. */
function Proposal({ event }: { event: Proposed }) {
  const { image, description, categories, cost, website, language } = event
  const [isWhole, setWhole] = useState(description.length <= LONG)
  return (
    <div class="proposal">
      {image && <img src={pathOf(urlOf(image as Media))} alt={w.picture_of_event} />}
      <dl>
        <Fact name={w.organizers} text={organizersText(event)} />
        <Fact name={w.categories} text={listText(categories.map(({ name }) => name))} />
        <Fact name={w.cost} text={cost} />
        {website !== '' && (
          <>
            <dt>{w.website}</dt>
            <dd>
              <a href={website} target="_blank" rel="noopener noreferrer">
                {website.replace(/^https?:\/\/|\/$/g, '')}
              </a>
            </dd>
          </>
        )}
      </dl>
      {description !== '' && (
        <div class={isWhole ? 'text' : 'text begun'} lang={language} dir="auto">
          <Prose html={description} />
          {!isWhole && (
            <button type="button" class="link" onClick={() => setWhole(true)}>
              {w.submission_whole}
            </button>
          )}
        </div>
      )}
    </div>
  )
}

type OneProps = {
  submission: Submission
  accept: () => void
  ask: (what: Decision) => void
  look: (event: Proposed) => void
}

/** What was proposed, by whom, what it may be a second time, and what can be done about it. */
function One({ submission, accept, ask, look }: OneProps) {
  const { id, title, state, name, email, note, reply, created_utc, modified_utc, alike, event } = submission
  const { value, failure, again } = useLoaded(`submission ${id} ${state} ${modified_utc}`, async () =>
    isOpen(submission) ? readProposed(submission) : undefined,
  )
  const corrected = state === 'waiting' ? value?.corrected : undefined
  return (
    <li aria-labelledby={`submission-${id}`}>
      <header>
        <h2 id={`submission-${id}`}>
          {title} {state !== 'waiting' && <span class="badge">{stateText(state)}</span>}
        </h2>
        <p>{[whenText(submission), value && placeText(value.event)].filter(Boolean).join(' · ')}</p>
        {isOpen(submission) && (
          <div class="buttons">
            {value && SITE.home !== '' && (
              <button
                type="button"
                class="link"
                aria-label={fill(w.submission_look_of, { title })}
                onClick={() => look(value.event)}
              >
                {w.submission_look}
              </button>
            )}
            <a href={`#/events/${event}`}>{w.submission_edit}</a>
          </div>
        )}
      </header>
      {failure && <Failed failure={failure} again={again} />}
      {value && <Proposal event={value.event} />}
      <div class="submitter">
        <p>
          {email === '' ? (
            <span class="soft">{w.submission_forgotten}</span>
          ) : (
            <>
              <strong>{name}</strong> · <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>
            </>
          )}{' '}
          <span class="soft">· {instantText(created_utc)}</span>
        </p>
        {note !== '' && <blockquote dir="auto">{note}</blockquote>}
        {reply !== '' && (
          <p>
            <span class="soft">{isOpen(submission) ? w.submission_asked_so : w.submission_reply}</span>{' '}
            <q>{reply}</q>
          </p>
        )}
        {corrected && (
          <p>
            {fill(w.submission_corrected, {
              members: listText(corrected.members.map(memberText)),
              ago: agoText(corrected.at),
            })}{' '}
            <a href={`#/events/${event}/history`}>{w.history}</a>
          </p>
        )}
      </div>
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
          <button
            type="button"
            class="primary"
            aria-label={fill(w.submission_accept_of, { title })}
            title={w.submission_accept_hint}
            onClick={accept}
          >
            {w.submission_accept}
          </button>
          {decisionsOn(submission).map((what) => (
            <button
              key={what}
              type="button"
              class={what === 'refuse' ? 'danger' : 'plain'}
              aria-label={fill(what === 'accept' ? w.submission_accept_with_of : w[`submission_${what}_of`], {
                title,
              })}
              onClick={() => ask(what)}
            >
              {what === 'accept' ? w.submission_accept_with : w[`submission_${what}`]}
            </button>
          ))}
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
  /** Accepts what is shown, without a message. */
  const accept = (submission: Submission) =>
    decide(submission, 'accept', '').then(tellDecided, tellFailure).then(decided)
  return (
    <>
      <div class="head">
        <h1>
          {w.submissions} {value && <span class="count">{number(value.total)}</span>}
        </h1>
        <SelectField
          label={w.submission_show}
          value={state}
          options={[...STATES.map((one) => [one, stateText(one)] as const), ['all', w.submission_all]]}
          onValue={(next) => {
            location.hash = hashOf(place.path, { state: next })
          }}
        />
      </div>
      <div class={loading ? 'results loading' : 'results'} aria-busy={loading}>
        {failure && <Failed failure={failure} again={again} />}
        {value?.rows.length === 0 && (
          <div class="empty">
            <p>{state === 'waiting' ? w.submissions_none_waiting : w.submissions_none}</p>
            {state === 'waiting' && SITE.home !== '' && (
              <p>
                <a href={`${SITE.home}events/submit/`}>{w.submissions_form}</a>
              </p>
            )}
          </div>
        )}
        {value && value.rows.length > 0 && (
          <>
            <ul class="submissions">
              {value.rows.map((one) => (
                <One
                  key={one.id}
                  submission={one}
                  accept={() => accept(one)}
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
