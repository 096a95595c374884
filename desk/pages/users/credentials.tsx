import { useState } from 'preact/hooks'
import { type Failure, listAll, send } from '../../api/client.ts'
import { useLoaded } from '../../api/use.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { Failed, failureText, tellFailure } from '../../parts/notice.tsx'
import { fill, w } from '../../words/words.ts'
import { Endable, type Ending, type Times, timesOf } from './endable.tsx'

type Password = { id: number; name: string } & Times
type Token = Password & { scopes: string[]; user: number; application_password?: number }

/** How passwords and tokens are revoked. */
const revoking = (row: { name: string }, text: string): Ending => ({
  label: fill(w.revoke_one, row),
  title: fill(w.revoke_title, row),
  text,
  yes: w.revoke,
  done: w.revoked,
})

/** A secret that is shown once. */
export function Secret({ login, password, close }: { login: string; password: string; close: () => void }) {
  const [copied, setCopied] = useState(false)
  return (
    <Dialog title={w.password_made} onClose={close}>
      <p>{w.shown_once}</p>
      <dl class="secret">
        <dt>{w.login}</dt>
        <dd>{login}</dd>
        <dt>{w.password}</dt>
        <dd>
          <code>{password}</code>
        </dd>
      </dl>
      <div class="buttons">
        {/* a browser offers the clipboard only to pages that nobody on the way can change */}
        {navigator.clipboard && (
          <button
            type="button"
            class="plain"
            onClick={() => navigator.clipboard.writeText(password).then(() => setCopied(true), tellFailure)}
          >
            {copied ? w.copied : w.copy}
          </button>
        )}
        <button type="button" onClick={close}>
          {w.noted}
        </button>
      </div>
    </Dialog>
  )
}

type PasswordsProps = { user: number; login: string; onRevoked: () => void }
/** The application passwords of a user: made with a name, shown once, revoked. */
export function Passwords({ user, login, onRevoked }: PasswordsProps) {
  const path = `/users/${user}/application-passwords`
  const { value, failure, again } = useLoaded(path, () => listAll<Password>(path, 'application_passwords'))
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const [made, setMade] = useState<string>()
  const make = async (event: Event) => {
    event.preventDefault()
    try {
      const { body } = await send<{ password: string }>('POST', path, { body: { name } })
      setName('')
      setProblem(undefined)
      setMade(body.password)
      again()
    } catch (error) {
      setProblem((error as Failure).params.name ?? failureText(error))
    }
  }
  return (
    <section class="card" aria-label={w.passwords}>
      <h2>{w.passwords}</h2>
      {failure && <Failed failure={failure} again={again} />}
      {value && (
        <Endable
          title={w.passwords}
          rows={value}
          facts={timesOf}
          ending={(row) => revoking(row, w.revoke_password_text)}
          end={async ({ id }) => {
            await send('DELETE', `${path}/${id}`)
            again()
            onRevoked()
          }}
        />
      )}
      <form class="inline" onSubmit={make}>
        <TextField
          label={w.new_password_for}
          hint={w.new_password_hint}
          value={name}
          error={problem}
          required
          onValue={setName}
        />
        <button type="submit" class="plain">
          {w.make_password}
        </button>
      </form>
      {made && <Secret login={login} password={made} close={() => setMade(undefined)} />}
    </section>
  )
}

/** The tokens of a user, which programs use. Sessions are tokens as well, and have a list of their own. */
export function Tokens({ user }: { user: number }) {
  const { value, failure, again } = useLoaded(`tokens ${user}`, async () =>
    (await listAll<Token>('/tokens', 'tokens')).filter(
      (token) => token.user === user && token.application_password === undefined,
    ),
  )
  return (
    <section class="card" aria-label={w.tokens}>
      <h2>{w.tokens}</h2>
      <p class="hint">{w.tokens_hint}</p>
      {failure && <Failed failure={failure} again={again} />}
      {value && (
        <Endable
          title={w.tokens}
          rows={value}
          facts={(row) => [row.scopes.join(', '), ...timesOf(row)]}
          ending={(row) => revoking(row, w.revoke_text)}
          end={async ({ id }) => {
            await send('DELETE', `/tokens/${id}`)
            again()
          }}
        />
      )}
    </section>
  )
}
