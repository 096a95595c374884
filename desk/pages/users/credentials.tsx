import { useState } from 'preact/hooks'
import { type Failure, listAll, send } from '../../api/client.ts'
import { useUnsaved } from '../../api/leaving.ts'
import { apiUrl, SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { Failed, failureText } from '../../parts/notice.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { curlLine } from '../../rules/users.ts'
import { today } from '../../rules/wall.ts'
import { fill, type Words, w } from '../../words/words.ts'
import { Choices } from '../webhooks/fields.tsx'
import { Endable, type Ending, type Times, timesOf } from './endable.tsx'
import { LimitsFields, limitsBody, type NamedLimits, NO_LIMITS } from './limits.tsx'

type Password = { id: number; name: string } & Times
type Token = Password & {
  scopes: string[]
  user: number
  application_password?: number
  sign_in?: number
  limits?: object
}

/** A token that was made, which is shown once. */
type Made = { token: string; scopes: string[] }

/** How passwords and tokens are revoked. */
const revoking = (row: { name: string }, text: string): Ending => ({
  label: fill(w.revoke_one, row),
  title: fill(w.revoke_title, row),
  text,
  yes: w.revoke,
  done: w.revoked,
})

/** A password that is shown once. */
export const Secret = (shown: { login: string; password: string; close: () => void }) => (
  <ShownOnce
    title={w.password_made}
    facts={[
      [w.login, shown.login],
      [w.password, shown.password],
    ]}
    example={{
      text: w.example_password,
      line: curlLine({ url: apiUrl('/session'), user: `${shown.login}:${shown.password}` }),
    }}
    close={shown.close}
  />
)

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

/** The scopes of tokens, and the words for them. */
const SCOPES: Record<string, keyof Words> = { read: 'scope_read', write: 'scope_write', admin: 'scope_admin' }

/** What each scope allows, in a sentence. */
const SCOPES_ABOUT: Record<string, keyof Words> = {
  ...{ read: 'scope_read_about', write: 'scope_write_about', admin: 'scope_admin_about' },
}

/** A line that uses a token: it makes a draft if the token may write, and reads otherwise. */
const exampleOf = (token: string, scopes: readonly string[], day = today(Date.now(), SITE.zone)) =>
  scopes.includes('write')
    ? {
        text: w.example_write,
        line: curlLine({
          ...{ url: apiUrl('/events'), token },
          body: {
            ...{ title: w.looks_event, status: 'draft' },
            ...{ start_date: `${day} 19:30`, end_date: `${day} 21:00` },
          },
        }),
      }
    : { text: w.example_read, line: curlLine({ url: apiUrl('/events?per_page=3'), token }) }

/** Makes a token, with what it may do and until when. */
function NewToken({ user, made, close }: { user: number; made: (token: Made) => void; close: () => void }) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState(['read'])
  const [expires, setExpires] = useState('')
  const [limits, setLimits] = useState<NamedLimits>()
  const [problems, setProblems] = useState<Record<string, string>>({})
  useUnsaved(name !== '')
  const make = async (event: Event) => {
    event.preventDefault()
    if (scopes.length === 0) return setProblems({ scopes: w.no_scope })
    setProblems({})
    try {
      const body = {
        ...{ user, name, scopes, ...(expires !== '' && { expires }) },
        ...(limits && { limits: limitsBody(limits) }),
      }
      made({ token: (await send<{ token: string }>('POST', '/tokens', { body })).body.token, scopes })
    } catch (error) {
      const { params } = error as Failure
      setProblems(Object.keys(params).length > 0 ? params : { name: failureText(error) })
    }
  }
  return (
    <Dialog title={w.make_token} onClose={close}>
      <form onSubmit={make} noValidate>
        <TextField
          label={w.new_token_for}
          hint={w.new_token_hint}
          value={name}
          error={problems.name}
          required
          onValue={setName}
        />
        <Choices
          legend={w.token_scopes}
          words={SCOPES_ABOUT}
          value={scopes}
          error={problems.scopes}
          onValue={setScopes}
        />
        <TextField
          label={w.token_expires}
          hint={w.token_expires_hint}
          type="date"
          value={expires}
          error={problems.expires}
          onValue={setExpires}
        />
        {limits && (
          <>
            <p class="hint">{w.limits_token_hint}</p>
            <LimitsFields value={limits} error={problems.limits} onValue={setLimits} />
          </>
        )}
        <button
          type="button"
          class="link"
          aria-expanded={limits !== undefined}
          onClick={() => setLimits(limits ? undefined : NO_LIMITS)}
        >
          {limits ? w.limits_end : w.limits_set}
        </button>
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

/** The tokens of a user, which programs use. Sessions are tokens as well, and have a list of their own. */
export function Tokens({ user }: { user: number }) {
  const [adds, setAdds] = useState(false)
  const [shown, setShown] = useState<Made>()
  const { value, failure, again } = useLoaded(`tokens ${user}`, async () =>
    (await listAll<Token>('/tokens', 'tokens')).filter(
      ({ user: owner, application_password, sign_in }) =>
        owner === user && application_password === undefined && sign_in === undefined,
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
          facts={(row) => [
            row.scopes.map((scope) => w[SCOPES[scope]!]).join(', '),
            ...(row.limits ? [w.limits] : []),
            ...timesOf(row),
          ]}
          ending={(row) => revoking(row, w.revoke_text)}
          end={async ({ id }) => {
            await send('DELETE', `/tokens/${id}`)
            again()
          }}
        />
      )}
      <div class="buttons">
        <button type="button" class="plain" onClick={() => setAdds(true)}>
          {w.make_token}
        </button>
      </div>
      {adds && (
        <NewToken
          user={user}
          close={() => setAdds(false)}
          made={(token) => {
            setAdds(false)
            setShown(token)
            again()
          }}
        />
      )}
      {shown && (
        <ShownOnce
          title={w.token_made}
          facts={[[w.token, shown.token]]}
          example={exampleOf(shown.token, shown.scopes)}
          close={() => setShown(undefined)}
        />
      )}
    </section>
  )
}
