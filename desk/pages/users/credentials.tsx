import { useState } from 'preact/hooks'
import { type Failure, listAll, send } from '../../api/client.ts'
import { useLoaded } from '../../api/use.ts'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { Failed, failureText, tell, tellFailure } from '../../parts/notice.tsx'
import { momentText } from '../../words/dates.ts'
import { fill, w } from '../../words/words.ts'

type Credential = {
  id: number
  name: string
  created_utc: string
  last_used_utc?: string
  expires_utc?: string
  scopes?: string[]
  user?: number
}

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

/** A table of passwords or tokens, each of which can be revoked. */
function Credentials({
  title,
  rows,
  revoke,
}: {
  title: string
  rows: Credential[]
  revoke: (id: number) => Promise<void>
}) {
  const [asks, setAsks] = useState<Credential>()
  return (
    <>
      <ul class="credentials" aria-label={title}>
        {rows.map((row) => (
          <li key={row.id}>
            <div>
              <strong>{row.name}</strong>
              <p class="hint">
                {[
                  row.scopes?.join(', '),
                  fill(w.made_at, { time: momentText(row.created_utc) }),
                  row.last_used_utc && fill(w.used_at, { time: momentText(row.last_used_utc) }),
                  row.expires_utc && fill(w.expires_at, { time: momentText(row.expires_utc) }),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
            </div>
            <button
              type="button"
              class="danger"
              aria-label={fill(w.revoke_one, { name: row.name })}
              onClick={() => setAsks(row)}
            >
              {w.revoke}
            </button>
          </li>
        ))}
      </ul>
      {rows.length === 0 && <p class="hint">{w.none_of_them}</p>}
      {asks && (
        <Confirm
          title={fill(w.revoke_title, { name: asks.name })}
          text={w.revoke_text}
          yes={w.revoke}
          onYes={() => {
            setAsks(undefined)
            revoke(asks.id).then(() => tell({ text: w.revoked }), tellFailure)
          }}
          onNo={() => setAsks(undefined)}
        />
      )}
    </>
  )
}

/** The application passwords of a user: made with a name, shown once, revoked. */
export function Passwords({ user, login }: { user: number; login: string }) {
  const path = `/users/${user}/application-passwords`
  const { value, failure, again } = useLoaded(path, () => listAll<Credential>(path, 'application_passwords'))
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
        <Credentials
          title={w.passwords}
          rows={value}
          revoke={async (id) => {
            await send('DELETE', `${path}/${id}`)
            again()
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

/** The tokens of a user, which programs use. */
export function Tokens({ user }: { user: number }) {
  const { value, failure, again } = useLoaded(`tokens ${user}`, async () =>
    (await listAll<Credential>('/tokens', 'tokens')).filter((token) => token.user === user),
  )
  return (
    <section class="card" aria-label={w.tokens}>
      <h2>{w.tokens}</h2>
      <p class="hint">{w.tokens_hint}</p>
      {failure && <Failed failure={failure} again={again} />}
      {value && (
        <Credentials
          title={w.tokens}
          rows={value}
          revoke={async (id) => {
            await send('DELETE', `/tokens/${id}`)
            again()
          }}
        />
      )}
    </section>
  )
}
