import { useState } from 'preact/hooks'
import { knowsPasskeys, signInByPasskey } from '../api/passkeys.ts'
import { codeOf, enter, post } from '../api/session.ts'
import { errorText, fill, w } from '../words/words.ts'
import { useFirstField } from './door.tsx'
import { TextField } from './field.tsx'

/** What a refused step of signing in means. */
export async function stepText(answer: Response): Promise<string> {
  const wait = answer.headers.get('retry-after')
  if (answer.status === 429) return fill(w.too_many, { seconds: wait ?? 60 })
  const { code, message } = await answer.json()
  return errorText(code, message)
}

type CodeProps = { ticket: string; again: (why?: string) => void }
/** Asks for the code that follows a right password. */
export function CodeStep({ ticket, again }: CodeProps) {
  const [code, setCode] = useState('')
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const form = useFirstField()
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      const refused = await enter(await post('/session/factor', { ticket, code }))
      if (refused) {
        const isOver = (await codeOf(refused)) === 'sign_in_ended'
        const why = await stepText(refused)
        if (isOver) return again(why)
        setError(why)
      }
    } catch {
      setError(w.offline)
    }
    setBusy(false)
  }
  return (
    <form ref={form} onSubmit={submit} aria-label={w.code_title}>
      <TextField
        label={w.code_label}
        hint={w.code_hint}
        name="code"
        autocomplete="one-time-code"
        autocapitalize="none"
        spellcheck={false}
        required
        value={code}
        onValue={setCode}
      />
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <div class="buttons">
        <button type="submit" disabled={busy}>
          {w.code_confirm}
        </button>
        <button type="button" class="plain" onClick={() => again()}>
          {w.code_back}
        </button>
      </div>
    </form>
  )
}

/** Signs in with a passkey, where the browser knows them. `tell` gets what was wrong. */
export function PasskeyButton({ tell }: { tell: (why: string | undefined) => void }) {
  const [busy, setBusy] = useState(false)
  if (!knowsPasskeys()) return null
  const go = async () => {
    setBusy(true)
    tell(undefined)
    try {
      const refused = await signInByPasskey()
      if (refused) tell(await stepText(refused))
    } catch (error) {
      tell(error instanceof DOMException ? w.passkey_stopped : w.offline)
    }
    setBusy(false)
  }
  return (
    <button type="button" class="plain" disabled={busy} onClick={go}>
      {w.passkey_sign_in}
    </button>
  )
}
