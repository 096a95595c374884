import { useState } from 'preact/hooks'
import { post } from '../../api/session.ts'
import { SITE } from '../../api/site.ts'
import { Door, useFirstField } from '../../parts/door.tsx'
import { TextField } from '../../parts/field.tsx'
import { refusal } from '../../parts/signin.tsx'
import { w } from '../../words/words.ts'

/** The page of who has forgotten the password. */
export function ForgotPage() {
  const [login, setLogin] = useState('')
  const [error, setError] = useState<string>()
  const [sent, setSent] = useState(false)
  const form = useFirstField()
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      const answer = await post('/password-resets', { login })
      if (answer.ok) setSent(true)
      else setError(await refusal(answer))
    } catch {
      setError(w.offline)
    }
  }
  return (
    <Door title={w.forgot}>
      {sent && <p role="status">{w.forgot_sent}</p>}
      {!SITE.mails && <p>{w.forgot_no_mail}</p>}
      {SITE.mails && !sent && (
        <form ref={form} onSubmit={submit}>
          <p>{w.forgot_text}</p>
          <TextField
            label={w.login_or_email}
            name="username"
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            required
            value={login}
            error={error}
            onValue={setLogin}
          />
          <button type="submit">{w.forgot_send}</button>
        </form>
      )}
      <p>
        <a href="#/">{w.to_sign_in}</a>
      </p>
    </Door>
  )
}
