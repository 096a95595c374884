import { useState } from 'preact/hooks'
import { type Failure, listAll, send } from '../../api/client.ts'
import { useUnsaved } from '../../api/leaving.ts'
import { useLoaded } from '../../api/use.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed, failureText, Notice } from '../../parts/notice.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { hashOf } from '../../rules/places.ts'
import { curlLine } from '../../rules/users.ts'
import { instantText } from '../../words/dates.ts'
import { fill, number, w } from '../../words/words.ts'
import { EMPTY, HookFields, toBody, type Webhook } from './fields.tsx'

/** How a webhook does, in words. */
export const factsOf = ({ enabled, state }: Webhook): string[] =>
  [
    enabled ? w.hook_runs : w.hook_paused,
    state.failing_since_utc && fill(w.hook_failing, { time: instantText(state.failing_since_utc) }),
    state.last_success_utc && fill(w.hook_last_success, { time: instantText(state.last_success_utc) }),
    state.pending > 0 && fill(w.hook_pending, { count: number(state.pending) }),
  ].filter((text): text is string => typeof text === 'string')

/** A line that sends the receiver of a webhook what it will get, as far as it matters to see whether it listens. */
export const exampleOf = (url: string) => ({
  text: w.example_webhook,
  line: curlLine({ url, body: { type: 'ping', timestamp: new Date().toISOString() } }),
})

/** Adds a webhook. */
function NewWebhook({ close, made }: { close: () => void; made: (url: string, secret: string) => void }) {
  const [form, setForm] = useState(EMPTY)
  useUnsaved(form.url !== '')
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [problem, setProblem] = useState<string>()
  const add = async (event: Event) => {
    event.preventDefault()
    const { body, errors } = toBody(form)
    setErrors(errors)
    setProblem(undefined)
    if (!body) return
    try {
      const answer = await send<Webhook & { secret: string }>('POST', '/webhooks', { body })
      made(answer.body.url, answer.body.secret)
    } catch (failure) {
      setErrors((failure as Failure).params)
      setProblem(failureText(failure))
    }
  }
  return (
    <Dialog title={w.new_webhook} onClose={close} wide>
      <form onSubmit={add} noValidate>
        <HookFields form={form} errors={errors} change={(values) => setForm({ ...form, ...values })} />
        {problem && Object.keys(errors).length === 0 && (
          <Notice bad>
            <p>{problem}</p>
          </Notice>
        )}
        <div class="buttons">
          <button type="submit">{w.create}</button>
          <button type="button" class="plain" onClick={close}>
            {w.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** All webhooks, for administrators. */
export function WebhooksPage() {
  const { value, failure, again } = useLoaded('webhooks', () => listAll<Webhook>('/webhooks', 'webhooks'))
  const [adds, setAdds] = useState(false)
  const [secret, setSecret] = useState<{ url: string; secret: string }>()
  return (
    <>
      <div class="head">
        <h1>{w.webhooks}</h1>
        <button type="button" onClick={() => setAdds(true)}>
          {w.new_webhook}
        </button>
      </div>
      <p class="about">{w.webhooks_hint}</p>
      {failure && <Failed failure={failure} again={again} />}
      {value && (
        <ul class="credentials" aria-label={w.webhooks}>
          {value.map((hook) => (
            <li key={hook.id}>
              <div>
                <a class="address" href={hashOf(['webhooks', hook.id])}>
                  {hook.url}
                </a>
                {hook.description && <p>{hook.description}</p>}
                <p class="hint">{factsOf(hook).join(' · ')}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
      {value?.length === 0 && (
        <div class="empty">
          <p>{w.webhooks_none}</p>
          <p>
            <button type="button" class="primary" onClick={() => setAdds(true)}>
              {w.webhooks_first}
            </button>
          </p>
        </div>
      )}
      {adds && (
        <NewWebhook
          close={() => setAdds(false)}
          made={(url, secret) => {
            setAdds(false)
            setSecret({ url, secret })
            again()
          }}
        />
      )}
      {secret && (
        <ShownOnce
          title={w.hook_secret_made}
          hint={w.hook_secret_hint}
          facts={[
            [w.hook_url, secret.url],
            [w.secret, secret.secret],
          ]}
          example={exampleOf(secret.url)}
          close={() => setSecret(undefined)}
        />
      )}
    </>
  )
}
