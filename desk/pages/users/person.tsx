import { useState } from 'preact/hooks'
import { type Failure, send } from '../../api/client.ts'
import { TextField } from '../../parts/field.tsx'
import { failureText, tell } from '../../parts/notice.tsx'
import { w } from '../../words/words.ts'
import type { User } from './data.ts'

type Props = { user: User; changed: (user: User) => void }

/** What a user is called, and where mail reaches them. */
export function Person({ user, changed }: Props) {
  const [name, setName] = useState(user.name ?? '')
  const [email, setEmail] = useState(user.email ?? '')
  const [problems, setProblems] = useState<Record<string, string>>({})
  const save = async (event: Event) => {
    event.preventDefault()
    try {
      const { body } = await send<User>('PATCH', `/users/${user.id}`, { body: { name, email } })
      setProblems({})
      changed(body)
      tell({ text: w.saved })
    } catch (failure) {
      const { params = {} } = failure as Failure
      setProblems(Object.keys(params).length > 0 ? params : { name: failureText(failure) })
    }
  }
  return (
    <section class="card" aria-label={w.person}>
      <h2>{w.person}</h2>
      <form class="inline" onSubmit={save} noValidate>
        <TextField label={w.name} hint={w.person_hint} value={name} error={problems.name} onValue={setName} />
        <TextField
          label={w.email}
          hint={w.email_hint}
          type="email"
          value={email}
          error={problems.email}
          onValue={setEmail}
        />
        <div class="buttons">
          <button type="submit" class="plain">
            {w.save}
          </button>
        </div>
      </form>
    </section>
  )
}
