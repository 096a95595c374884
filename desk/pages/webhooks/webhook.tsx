import { useState } from 'preact/hooks'
import { type Failure, read, send } from '../../api/client.ts'
import { useUnsaved } from '../../api/leaving.ts'
import { useLoaded } from '../../api/use.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { Failed, failureText, Notice, tell, tellFailure } from '../../parts/notice.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import type { Place } from '../../rules/places.ts'
import { instantText } from '../../words/dates.ts'
import { fill, undeliveredText, w } from '../../words/words.ts'
import { Deliveries } from './deliveries.tsx'
import { HookFields, toBody, toForm, type Webhook } from './fields.tsx'
import { exampleOf, factsOf } from './webhooks.tsx'

/** One webhook: what it is told, how it does, and the messages that it got. */
export function WebhookPage({ place }: { place: Place }) {
  const id = Number(place.path[1])
  const [turn, setTurn] = useState(0)
  const { value, failure, again } = useLoaded(`webhook ${id} ${turn}`, () => read<Webhook>(`/webhooks/${id}`))
  const look = () => setTurn(turn + 1)
  if (failure) return <Failed failure={failure} again={again} />
  if (!value) return <p class="loading">{w.loading}</p>
  return (
    <>
      <div class="head near">
        <h1 class="address">{value.url}</h1>
        <div class="badges">
          <span class={value.enabled ? 'badge' : 'badge cancelled'}>
            {value.enabled ? w.hook_runs : w.hook_paused}
          </span>
        </div>
      </div>
      <div class="stack">
        <State hook={value} look={look} />
        <Editor hook={value} look={look} />
        <Deliveries id={id} place={place} turn={turn} look={look} />
      </div>
    </>
  )
}

type Props = { hook: Webhook; look: () => void }

/** How a webhook does, and what can be done with it. */
function State({ hook, look }: Props) {
  const { id, url, enabled, state } = hook
  const path = `/webhooks/${id}`
  const [, ...facts] = factsOf(hook) // whether it runs stands beside the title
  const [asks, setAsks] = useState<'delete' | 'secret'>()
  const [secret, setSecret] = useState<string>()
  const [since, setSince] = useState('')
  const [problem, setProblem] = useState<string>()
  /** Does something, tells that it is done, and looks again. */
  const act = (work: Promise<unknown>, text: string) =>
    work.then(() => {
      tell({ text })
      look()
    }, tellFailure)
  const replay = (event: Event) => {
    event.preventDefault()
    setProblem(undefined)
    const at = new Date(since)
    const body = { since: Number.isNaN(at.getTime()) ? since : at.toISOString() }
    send('POST', `${path}/replay`, { body }).then(
      () => {
        tell({ text: w.replay_done })
        look()
      },
      (failure: Failure) => setProblem(failure.params.since ?? failureText(failure)),
    )
  }
  return (
    <section class="card" aria-label={w.webhook}>
      {facts.length > 0 && <p>{facts.join(' · ')}</p>}
      {state.disabled_reason && (
        <Notice bad>
          <p>{fill(w.hook_stopped_because, { reason: undeliveredText(state.disabled_reason) })}</p>
        </Notice>
      )}
      {state.gap_utc && <Notice bad>{fill(w.hook_gap, { time: instantText(state.gap_utc) })}</Notice>}
      <div class="buttons">
        <button
          type="button"
          class="plain"
          onClick={() => act(send('PATCH', path, { body: { enabled: !enabled } }), w.saved)}
        >
          {enabled ? w.pause : w.resume}
        </button>
        <button type="button" class="plain" onClick={() => act(send('POST', `${path}/test`), w.test_sent)}>
          {w.send_test}
        </button>
        <button type="button" class="plain" onClick={() => setAsks('secret')}>
          {w.new_secret}
        </button>
        <button type="button" class="danger" onClick={() => setAsks('delete')}>
          {w.delete}
        </button>
      </div>
      <form class="inline" onSubmit={replay} noValidate>
        <TextField
          label={w.replay_since}
          hint={w.replay_hint}
          type="datetime-local"
          value={since}
          error={problem}
          required
          onValue={setSince}
        />
        <button type="submit" class="plain">
          {w.replay}
        </button>
      </form>
      {asks === 'secret' && (
        <Confirm
          title={w.new_secret_title}
          text={w.new_secret_text}
          yes={w.new_secret}
          onNo={() => setAsks(undefined)}
          onYes={() => {
            setAsks(undefined)
            send<{ secret: string }>('POST', `${path}/secret`).then(
              ({ body }) => setSecret(body.secret),
              tellFailure,
            )
          }}
        />
      )}
      {asks === 'delete' && (
        <Confirm
          title={w.delete_webhook_title}
          text={fill(w.delete_webhook_text, { url })}
          yes={w.delete}
          onNo={() => setAsks(undefined)}
          onYes={() => {
            setAsks(undefined)
            send('DELETE', path).then(() => {
              tell({ text: w.webhook_deleted })
              location.hash = '#/webhooks'
            }, tellFailure)
          }}
        />
      )}
      {secret && (
        <ShownOnce
          title={w.hook_secret_made}
          hint={w.hook_secret_hint}
          facts={[[w.secret, secret]]}
          example={exampleOf(url)}
          close={() => setSecret(undefined)}
        />
      )}
    </section>
  )
}

/** What a webhook is told, and where. */
function Editor({ hook, look }: Props) {
  const [form, setForm] = useState(() => toForm(hook))
  useUnsaved(JSON.stringify(form) !== JSON.stringify(toForm(hook)))
  const [errors, setErrors] = useState<Record<string, string>>({})
  const save = async (event: Event) => {
    event.preventDefault()
    const { body, errors } = toBody(form)
    setErrors(errors)
    if (!body) return
    try {
      const answer = await send<Webhook>('PATCH', `/webhooks/${hook.id}`, { body })
      setForm(toForm(answer.body))
      tell({ text: w.saved })
      look()
    } catch (failure) {
      setErrors((failure as Failure).params)
      tellFailure(failure)
    }
  }
  return (
    <section class="card" aria-label={w.hook_operations}>
      <form class="stack" onSubmit={save} noValidate>
        <HookFields form={form} errors={errors} change={(values) => setForm({ ...form, ...values })} />
        <div class="buttons">
          <button type="submit" class="primary">
            {w.save}
          </button>
        </div>
      </form>
    </section>
  )
}
