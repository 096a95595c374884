import { useState } from 'preact/hooks'
import { type Failure, listAll, send } from '../../api/client.ts'
import { addPasskey, knowsPasskeys } from '../../api/passkeys.ts'
import { useLoaded } from '../../api/use.ts'
import { TextField } from '../../parts/field.tsx'
import { Failed, failureText, tell } from '../../parts/notice.tsx'
import { fill, w } from '../../words/words.ts'
import { Endable, type Ending, type Times, timesOf } from '../users/endable.tsx'

type Passkey = { id: number; name: string; synced: boolean } & Times

const removing = ({ name }: Passkey): Ending => ({
  label: fill(w.passkey_remove_one, { name }),
  title: fill(w.passkey_remove_title, { name }),
  text: w.passkey_remove_text,
  yes: w.passkey_remove,
  done: w.passkey_removed,
})

/** Why no passkey was added: what the service says, or what its user did. */
function problemOf(error: unknown): string {
  if (error instanceof DOMException)
    return error.name === 'InvalidStateError' ? w.passkey_known : w.passkey_stopped
  return Object.values((error as Failure).params ?? {})[0] ?? failureText(error)
}

/** The passkeys of whoever has signed in: added with a name, listed, removed. */
export function Passkeys({ user }: { user: number }) {
  const path = `/users/${user}/passkeys`
  const { value, failure, again } = useLoaded(path, () => listAll<Passkey>(path, 'passkeys'))
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const add = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      await addPasskey(user, name)
      setName('')
      tell({ text: w.passkey_added })
      again()
    } catch (error) {
      setProblem(problemOf(error))
    }
    setBusy(false)
  }
  return (
    <section class="card" aria-label={w.passkeys}>
      <h2>{w.passkeys}</h2>
      <p class="hint">{w.passkeys_about}</p>
      {failure && <Failed failure={failure} again={again} />}
      {value && (
        <Endable
          title={w.passkeys}
          rows={value}
          facts={(row) => [...timesOf(row), ...(row.synced ? [w.passkey_synced] : [])]}
          ending={removing}
          end={async ({ id }) => {
            await send('DELETE', `${path}/${id}`)
            again()
          }}
        />
      )}
      {knowsPasskeys() ? (
        <form class="inline" onSubmit={add}>
          <TextField
            label={w.passkey_new}
            hint={w.passkey_new_hint}
            value={name}
            error={problem}
            required
            onValue={setName}
          />
          <button type="submit" class="plain" disabled={busy}>
            {w.passkey_add}
          </button>
        </form>
      ) : (
        <p class="hint">{w.passkeys_elsewhere}</p>
      )}
    </section>
  )
}
