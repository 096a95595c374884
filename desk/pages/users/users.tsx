import { useState } from 'preact/hooks'
import { ROLES, type Role } from '../../../src/kernel/access/rights.ts'
import { type Failure, list, send } from '../../api/client.ts'
import { useUnsaved } from '../../api/leaving.ts'
import { SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { Pager, TableHead } from '../../parts/listing.tsx'
import { Failed, failureText } from '../../parts/notice.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { initialsOf, loginOf } from '../../rules/users.ts'
import { dayText } from '../../words/dates.ts'
import { fill, listText, number, w } from '../../words/words.ts'
import { Secret } from './credentials.tsx'
import { LimitsFields, limitsOrNone, NO_LIMITS, readLimits } from './limits.tsx'
import { type Invitation, InvitationLink, tellMailed, type User } from './person.tsx'
import { roleOptions } from './user.tsx'

/** Invites somebody: who they are, what they may do, and with which events. */
type Made = User & { password?: string; invitation?: Invitation }
function NewUser({ close, made }: { close: () => void; made: (user: Made) => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [typed, setTyped] = useState<string>()
  const [way, setWay] = useState('invitation')
  const [role, setRole] = useState<Role>('author')
  const [limits, setLimits] = useState(NO_LIMITS)
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [busy, setBusy] = useState(false)
  const login = typed ?? loginOf(email)
  const isLimitable = role !== 'administrator'
  useUnsaved(login !== '')
  const add = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      const body = {
        ...{ login, name, email, role, invite: way === 'invitation' },
        ...(isLimitable && { limits: limitsOrNone(limits) }),
      }
      made((await send<Made>('POST', '/users', { body })).body)
    } catch (failure) {
      const { params = {} } = failure as Failure
      setProblems(Object.keys(params).length > 0 ? params : { login: failureText(failure) })
    }
    setBusy(false)
  }
  return (
    <Dialog title={w.new_user} onClose={close} wide>
      <form onSubmit={add} noValidate>
        <div class="row">
          <TextField
            label={w.email}
            type="email"
            autocomplete="off"
            value={email}
            error={problems.email}
            onValue={setEmail}
          />
          <TextField label={w.name} autocomplete="off" value={name} error={problems.name} onValue={setName} />
          <TextField
            label={w.login}
            hint={w.login_hint}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            value={login}
            error={problems.login}
            required
            onValue={setTyped}
          />
        </div>
        <div class="row">
          <SelectField
            label={w.role}
            hint={w[`may_${role}`]}
            value={role}
            options={roleOptions()}
            onValue={(chosen) => setRole(chosen as Role)}
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
        </div>
        {isLimitable && (
          <fieldset class="group limits">
            <legend>{w.limits}</legend>
            <p class="hint">{w.limits_hint}</p>
            <div class="row">
              <LimitsFields value={limits} error={problems.limits} onValue={setLimits} />
            </div>
          </fieldset>
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={busy}>
            {way === 'secret' ? w.create : SITE.mails && email !== '' ? w.invite_by_mail : w.invite_by_link}
          </button>
          <button type="button" class="plain" onClick={close}>
            {w.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** What each role may do. */
const Roles = () => (
  <section class="roles" aria-label={w.roles_about}>
    <h2>{w.roles_about}</h2>
    <dl>
      {ROLES.map((role) => (
        <div key={role}>
          <dt>{w[`role_${role}`]}</dt>
          <dd>{w[`may_${role}`]}</dd>
        </div>
      ))}
    </dl>
  </section>
)

/** All users, for administrators. */
export function UsersPage({ place }: { place: Place }) {
  const page = place.query.page ?? 1
  const { value, failure, again } = useLoaded(`users ${page}`, () =>
    list<User>('/users', 'users', { page, per_page: 30 }),
  )
  const { value: limits } = useLoaded(`limits of ${value?.rows.map(({ id }) => id)}`, async () =>
    readLimits(value?.rows ?? []),
  )
  const limitsText = ({ id }: User) => {
    const named = limits?.get(id)
    return named
      ? listText([...new Set([...named.categories, ...named.venues].map(({ name }) => name))])
      : '…'
  }
  const [adds, setAdds] = useState(false)
  const [secret, setSecret] = useState<Made>()
  return (
    <>
      <div class="head">
        <h1>
          {w.users} {value && <span class="count">{number(value.total)}</span>}
        </h1>
        <button type="button" class="primary" onClick={() => setAdds(true)}>
          {w.new_user}
        </button>
      </div>
      {failure && <Failed failure={failure} again={again} />}
      {value && (
        <table class="records people">
          <TableHead of={w.users} names={[w.user, w.email, w.role, w.since]} />
          <tbody>
            {value.rows.map((user) => (
              <tr key={user.id}>
                <th scope="row">
                  <div class="named">
                    <span class="initials" aria-hidden="true">
                      {initialsOf(user.name ?? user.login)}
                    </span>
                    <div>
                      <a href={hashOf(['users', user.id])}>{user.name ?? user.login}</a>{' '}
                      {user.disabled && <span class="badge cancelled">{w.disabled}</span>}
                      {user.name && <small>{user.login}</small>}
                    </div>
                  </div>
                </th>
                <td class="soft">{user.email}</td>
                <td>
                  <span class="role">{w[`role_${user.role}`]}</span>
                  {user.limits && <small>{fill(w.limits_only, { names: limitsText(user) })}</small>}
                </td>
                <td class="soft">{user.created_utc && dayText(user.created_utc.slice(0, 10))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {value && <Pager place={place} pages={value.pages} total={value.total} />}
      <Roles />
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
