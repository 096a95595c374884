import { useState } from 'preact/hooks'
import { codeOf, decline, type Reason, session, signIn } from '../api/session.ts'
import { SITE } from '../api/site.ts'
import { errorText, fill, w } from '../words/words.ts'
import { Dialog } from './dialog.tsx'
import { Door, useFirstField } from './door.tsx'
import { TextField } from './field.tsx'
import { AgainWithProvider, WithProvider } from './openid.tsx'
import { CodeStep, PasskeyButton } from './signing.tsx'

/** Why somebody was not let in, in words. */
export async function refusal(answer: Response): Promise<string> {
  const wait = answer.headers.get('retry-after')
  if (answer.status === 429) return fill(w.too_many, { seconds: wait ?? 60 })
  if (answer.status === 401) return w.wrong_password
  const { code, message } = await answer.json()
  return errorText(code, message)
}

/** The form to sign in. Whoever confirms a session has a login already, and may `cancel`. */
function Form({ login: known, cancel }: { login?: string; cancel?: (() => void) | undefined }) {
  const [login, setLogin] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [ticket, setTicket] = useState<string>()
  const form = useFirstField()
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      const refused = await signIn(login, password)
      if (refused && (await codeOf(refused)) === 'second_factor_required') {
        setError(undefined)
        setTicket((await refused.json()).data.ticket)
      } else if (refused) setError(await refusal(refused))
    } catch {
      setError(w.offline)
    }
    setBusy(false)
  }
  if (ticket !== undefined)
    return (
      <CodeStep
        ticket={ticket}
        again={(why) => {
          setPassword('')
          setError(why)
          setTicket(undefined)
        }}
      />
    )
  return (
    <form ref={form} onSubmit={submit}>
      {cancel ? (
        // for the program that keeps passwords
        <input hidden name="username" autocomplete="username" readOnly value={login} />
      ) : (
        <TextField
          label={w.login_or_email}
          name="username"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          value={login}
          onValue={setLogin}
        />
      )}
      <TextField
        label={w.any_password}
        hint={SITE.asks ? w.any_password_hint : undefined}
        name="password"
        type="password"
        autocomplete="current-password"
        required
        value={password}
        onValue={setPassword}
      />
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {cancel ? (
        <div class="buttons">
          <button type="submit" disabled={busy}>
            {w.confirm}
          </button>
          <button type="button" class="plain" onClick={cancel}>
            {w.cancel}
          </button>
        </div>
      ) : (
        <button type="submit" disabled={busy}>
          {w.sign_in}
        </button>
      )}
      <PasskeyButton tell={setError} />
      {known === undefined && (
        <p>
          <a href="#/forgot">{w.forgot}</a>
        </p>
      )}
    </form>
  )
}

/** The first page of the desk. */
export const SignIn = () => (
  <Door title={w.sign_in}>
    <WithProvider />
    {SITE.local && <Form />}
  </Door>
)

/** Asks for the password again when a session has ended, or when it is too old to make credentials. What was being done stays where it is. */
export function SignInAgain({ reason }: { reason: Reason }) {
  const { login } = session.get()!
  const cancel = reason === 'proof' ? decline : undefined
  return (
    <Dialog title={cancel ? w.confirm_title : w.session_ended} {...(cancel && { onClose: cancel })}>
      {(!cancel || SITE.local) && <p>{cancel ? fill(w.confirm_who, { login }) : w.session_ended_long}</p>}
      <AgainWithProvider reason={reason} />
      {SITE.local && <Form login={login} cancel={cancel} />}
    </Dialog>
  )
}
