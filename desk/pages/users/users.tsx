import { useState } from 'preact/hooks'
import { type Failure, list, send } from '../../api/client.ts'
import { useUnsaved } from '../../api/leaving.ts'
import { useLoaded } from '../../api/use.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { Pager, TableHead } from '../../parts/listing.tsx'
import { Failed, failureText } from '../../parts/notice.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { dayText } from '../../words/dates.ts'
import { number, type Words, w } from '../../words/words.ts'
import { Secret } from './credentials.tsx'
import { type Invitation, InvitationLink, tellMailed, type User } from './person.tsx'
import { roleOptions } from './user.tsx'

/** Adds a user. */
type Made = User & { password?: string; invitation?: Invitation }
function NewUser({ close, made }: { close: () => void; made: (user: Made) => void }) {
  const [login, setLogin] = useState('')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [way, setWay] = useState('invitation')
  const [role, setRole] = useState('author')
  const [problems, setProblems] = useState<Record<string, string>>({})
  useUnsaved(login !== '')
  const add = async (event: Event) => {
    event.preventDefault()
    try {
      const given = { login, name, email, role, invite: way === 'invitation' }
      made((await send<Made>('POST', '/users', { body: given })).body)
    } catch (failure) {
      const { params = {} } = failure as Failure
      setProblems(Object.keys(params).length > 0 ? params : { login: failureText(failure) })
    }
  }
  return (
    <Dialog title={w.new_user} onClose={close}>
      <form onSubmit={add} noValidate>
        <TextField
          label={w.login}
          hint={w.login_hint}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          value={login}
          error={problems.login}
          required
          onValue={setLogin}
        />
        <TextField label={w.name} autocomplete="off" value={name} error={problems.name} onValue={setName} />
        <TextField
          label={w.email}
          type="email"
          autocomplete="off"
          value={email}
          error={problems.email}
          onValue={setEmail}
        />
        <SelectField
          label={w.how_in}
          value={way}
          options={[
            ['invitation', w.by_invitation],
            ['secret', w.by_secret],
          ]}
          onValue={setWay}
        />
        <SelectField
          label={w.role}
          hint={w[`may_${role}` as keyof Words]}
          value={role}
          options={roleOptions()}
          onValue={setRole}
        />
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

/** All users, for administrators. */
export function UsersPage({ place }: { place: Place }) {
  const page = place.query.page ?? 1
  const { value, failure, again } = useLoaded(`users ${page}`, () =>
    list<User>('/users', 'users', { page, per_page: 30 }),
  )
  const [adds, setAdds] = useState(false)
  const [secret, setSecret] = useState<Made>()
  return (
    <>
      <div class="head">
        <h1>
          {w.users} {value && <span class="count">{number(value.total)}</span>}
        </h1>
        <button type="button" onClick={() => setAdds(true)}>
          {w.new_user}
        </button>
      </div>
      {failure && <Failed failure={failure} again={again} />}
      {value && (
        <table class="records">
          <TableHead of={w.users} names={[w.login, w.name, w.email, w.role, w.since]} />
          <tbody>
            {value.rows.map((user) => (
              <tr key={user.id}>
                <th scope="row">
                  <a href={hashOf(['users', user.id])}>{user.login}</a>{' '}
                  {user.disabled && <span class="badge cancelled">{w.disabled}</span>}
                </th>
                <td>{user.name}</td>
                <td class="soft">{user.email}</td>
                <td>
                  {w[`role_${user.role}`]} {user.limits && <span class="badge">{w.limits}</span>}
                </td>
                <td class="soft">{user.created_utc && dayText(user.created_utc.slice(0, 10))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {value && <Pager place={place} pages={value.pages} total={value.total} />}
      {adds && (
        <NewUser
          close={() => setAdds(false)}
          made={(user) => {
            setAdds(false)
            if (!user.invitation || !tellMailed(user, user.invitation)) setSecret(user)
            again()
          }}
        />
      )}
      {secret?.password && (
        <Secret login={secret.login} password={secret.password} close={() => setSecret(undefined)} />
      )}
      {secret?.invitation?.url && (
        <InvitationLink login={secret.login} url={secret.invitation.url} close={() => setSecret(undefined)} />
      )}
    </>
  )
}
