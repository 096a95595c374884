import { useState } from 'preact/hooks'
import type { LimitSet, Role } from '../../../src/kernel/access/rights.ts'
import { type Failure, send } from '../../api/client.ts'
import { TextField } from '../../parts/field.tsx'
import { failureText, tell, tellFailure } from '../../parts/notice.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { fill, w } from '../../words/words.ts'

/** A user who can sign in. */
export type User = {
  id: number
  login: string
  name?: string
  email?: string
  role: Role
  disabled: boolean
  created_utc: string
  limits?: LimitSet
}

type PersonProps = { user: User; changed: (user: User) => void }

/** What a user is called, and where mail reaches them. */
export function Person({ user, changed }: PersonProps) {
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

/** A link with which a user chooses a password: it was mailed, or is to be given to them. */
export type Invitation = { mailed: boolean; url?: string; expires_utc: string }

/** Tells that an invitation was mailed; gives whether it was. */
export function tellMailed({ email }: Pick<User, 'email'>, { mailed }: Invitation): boolean {
  if (mailed) tell({ text: fill(w.invited_mailed, { email: email! }) })
  return mailed
}

/** The link of an invitation, shown once. */
export const InvitationLink = ({ login, url, close }: { login: string; url: string; close: () => void }) => (
  <ShownOnce title={w.invited} hint={fill(w.invited_hint, { login })} facts={[[w.link, url]]} close={close} />
)

/** Makes another link for a user. */
export function InviteAgain({ user }: { user: User }) {
  const [url, setUrl] = useState<string>()
  const invite = async () => {
    try {
      const { body } = await send<Invitation>('POST', `/users/${user.id}/invitation`)
      if (!tellMailed(user, body)) setUrl(body.url)
    } catch (failure) {
      tellFailure(failure)
    }
  }
  return (
    <section class="card" aria-label={w.invited}>
      <h2>{w.invited}</h2>
      <p class="hint">{w.invite_again_hint}</p>
      <div class="buttons">
        <button type="button" class="plain" onClick={invite}>
          {w.invite_again}
        </button>
      </div>
      {url && <InvitationLink login={user.login} url={url} close={() => setUrl(undefined)} />}
    </section>
  )
}
