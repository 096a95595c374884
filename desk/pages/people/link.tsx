import { useState } from 'preact/hooks'
import { codeOf, enter, post } from '../../api/session.ts'
import { Door, useFirstField } from '../../parts/door.tsx'
import { TextField } from '../../parts/field.tsx'
import { refusal } from '../../parts/signin.tsx'
import { fill, problemText, w } from '../../words/words.ts'

/** What the page of a link is for: the account of somebody who was invited, or of who has forgotten the password. */
export type Purpose = 'invitation' | 'reset'

const PATHS = { invitation: '/invitations/accept', reset: '/password-resets/confirm' }

/** What is wrong with the password, or with the link. */
async function problemOf(answer: Response): Promise<string> {
  const { data } = await answer.clone().json()
  const problem: string | undefined = data?.params?.password
  return problem === undefined ? refusal(answer) : problemText(problem)
}

/** The page that a link leads to: one chooses a password there. */
export function LinkPage({ purpose, ticket }: { purpose: Purpose; ticket: string }) {
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [done, setDone] = useState<string>()
  const form = useFirstField()
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      const answer = await post(PATHS[purpose], { ticket, password })
      // the password is set: one signs in with it, and with a code
      if (!answer.ok && (await codeOf(answer)) === 'second_factor_required') location.replace('#/')
      else if (!answer.ok) setError(await problemOf(answer))
      else if (purpose === 'reset') setDone((await answer.json()).login)
      else {
        // the link is not left behind in the history of the browser
        location.replace('#/account')
        await enter(answer)
      }
    } catch {
      setError(w.offline)
    }
    setBusy(false)
  }
  return (
    <Door title={purpose === 'reset' ? w.new_password : w.invitation}>
      {done !== undefined ? (
        <p role="status">{fill(w.password_chosen, { login: done })}</p>
      ) : (
        <form ref={form} onSubmit={submit}>
          <p>{purpose === 'reset' ? w.new_password_text : w.invitation_text}</p>
          <TextField
            label={w.own_new}
            hint={w.own_rules}
            type="password"
            name="new-password"
            autocomplete="new-password"
            required
            value={password}
            onValue={setPassword}
          />
          {error && (
            <p class="error" role="alert">
              {error}
            </p>
          )}
          <button type="submit" disabled={busy}>
            {w.own_set}
          </button>
        </form>
      )}
      <p>
        <a href="#/">{w.to_sign_in}</a>
      </p>
    </Door>
  )
}
