import { useState } from 'preact/hooks'
import { type Failure, send } from '../../api/client.ts'
import { TextField } from '../../parts/field.tsx'
import { failureText, tell } from '../../parts/notice.tsx'
import { w } from '../../words/words.ts'

/** The own password of whoever has signed in. */
export function OwnPassword({ user, onSet }: { user: number; onSet: () => void }) {
  const [password, setPassword] = useState('')
  const [present, setPresent] = useState('')
  const [problems, setProblems] = useState<Record<string, string>>({})
  const save = async (event: Event) => {
    event.preventDefault()
    try {
      const body = { password, ...(present !== '' && { present }) }
      await send('PUT', `/users/${user}/password`, { body })
      setPassword('')
      setPresent('')
      setProblems({})
      tell({ text: w.own_was_set })
      onSet()
    } catch (failure) {
      const { params = {} } = failure as Failure
      setProblems(Object.keys(params).length > 0 ? params : { password: failureText(failure) })
    }
  }
  return (
    <section class="card" aria-label={w.own_password}>
      <h2>{w.own_password}</h2>
      <p class="hint">{w.own_password_text}</p>
      <form class="inline" onSubmit={save} noValidate>
        <TextField
          label={w.own_present}
          hint={w.own_present_hint}
          type="password"
          autocomplete="current-password"
          value={present}
          error={problems.present}
          onValue={setPresent}
        />
        <TextField
          label={w.own_new}
          hint={w.own_rules}
          type="password"
          autocomplete="new-password"
          required
          value={password}
          error={problems.password}
          onValue={setPassword}
        />
        <div class="buttons">
          <button type="submit" class="plain">
            {w.own_set}
          </button>
        </div>
      </form>
    </section>
  )
}
