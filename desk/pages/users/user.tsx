import { useState } from 'preact/hooks'
import { ROLES } from '../../../src/kernel/access/rights.ts'
import { type Failure, listAll, read, send } from '../../api/client.ts'
import { session } from '../../api/session.ts'
import { useLoaded } from '../../api/use.ts'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/field.tsx'
import { Failed, failureText, Notice, tell } from '../../parts/notice.tsx'
import { initialsOf } from '../../rules/users.ts'
import { instantText } from '../../words/dates.ts'
import { calledText, fill, w } from '../../words/words.ts'
import { SecondFactor } from '../account/factors.tsx'
import { Access } from './account.tsx'
import { UserLimits } from './limits.tsx'
import { InviteAgain, Person, type User } from './person.tsx'
import { ProviderLinks } from './provider-links.tsx'

/** The roles as options of a choice. */
export const roleOptions = () => ROLES.map((role) => [role, w[`role_${role}`]] as const)

/** Asks who takes over the records of a user, and deletes the user. */
function Removal({ user, close }: { user: User; close: () => void }) {
  const { value: users = [] } = useLoaded('heirs', () => listAll<User>('/users', 'users'))
  const [heir, setHeir] = useState(String(session.get()!.user))
  const [problem, setProblem] = useState<string>()
  const others = users.filter(({ id }) => id !== user.id)
  const remove = async () => {
    try {
      await send('DELETE', `/users/${user.id}`, { query: { reassign: heir } })
      tell({ text: fill(w.user_deleted, { login: user.login }) })
      location.hash = '#/users'
    } catch (failure) {
      setProblem(Object.values((failure as Failure).params ?? {})[0] ?? failureText(failure))
    }
  }
  return (
    <Dialog title={fill(w.delete_user_title, { login: user.login })} onClose={close}>
      <p>{w.delete_user_text}</p>
      <SelectField
        label={w.heir}
        value={heir}
        error={problem}
        options={others.map(({ id, login }) => [String(id), login])}
        onValue={setHeir}
      />
      <div class="buttons">
        <button type="button" class="danger" onClick={remove}>
          {w.delete}
        </button>
        <button type="button" class="plain" onClick={close}>
          {w.cancel}
        </button>
      </div>
    </Dialog>
  )
}

function Editor({ user: first }: { user: User }) {
  const [user, setUser] = useState(first)
  const [problem, setProblem] = useState<string>()
  const [asks, setAsks] = useState<'disable' | 'delete'>()
  const isSelf = user.id === session.get()!.user
  const change = async (body: { role?: string; disabled?: boolean }) => {
    setAsks(undefined)
    setProblem(undefined)
    try {
      setUser((await send<User>('PATCH', `/users/${user.id}`, { body })).body)
      tell({ text: w.saved })
    } catch (failure) {
      setProblem(Object.values((failure as Failure).params ?? {})[0] ?? failureText(failure))
    }
  }
  return (
    <>
      <div class="head near">
        <span class="initials" aria-hidden="true">
          {initialsOf(user.name ?? user.login)}
        </span>
        <h1>{calledText(user.login, user.name)}</h1>
        {user.disabled && <span class="badge cancelled">{w.disabled}</span>}
      </div>
      <div class="stack cards">
        {isSelf && <Notice>{w.this_is_you}</Notice>}
        {problem && (
          <Notice bad>
            <p>{problem}</p>
          </Notice>
        )}
        <section class="card" aria-label={w.role}>
          <SelectField
            label={w.role}
            hint={w[`may_${user.role}`]}
            value={user.role}
            options={roleOptions()}
            onValue={(role) => change({ role })}
          />
          {user.created_utc && <p class="hint">{fill(w.made_at, { time: instantText(user.created_utc) })}</p>}
        </section>
        {user.role !== 'administrator' && <UserLimits user={user} done={setUser} />}
        <Person user={user} changed={setUser} />
        {!user.disabled && <InviteAgain user={user} />}
        <Access user={user.id} login={user.login} disabled={user.disabled} />
        {!isSelf && <SecondFactor user={user.id} isOther />}
        <ProviderLinks user={user.id} isOther />
        <section class="card" aria-label={w.user_end}>
          <h2>{w.user_end}</h2>
          <p class="hint">{w.user_end_hint}</p>
          <div class="buttons">
            {user.disabled ? (
              <button type="button" class="plain" onClick={() => change({ disabled: false })}>
                {w.enable}
              </button>
            ) : (
              <button type="button" class="danger" onClick={() => setAsks('disable')}>
                {w.disable}
              </button>
            )}
            {!isSelf && (
              <button type="button" class="danger" onClick={() => setAsks('delete')}>
                {w.delete_user}
              </button>
            )}
          </div>
        </section>
      </div>
      {asks === 'disable' && (
        <Confirm
          title={fill(w.disable_title, { login: user.login })}
          text={w.disable_text}
          yes={w.disable}
          onYes={() => change({ disabled: true })}
          onNo={() => setAsks(undefined)}
        />
      )}
      {asks === 'delete' && <Removal user={user} close={() => setAsks(undefined)} />}
    </>
  )
}

/** One user, with role and credentials. */
export function UserPage({ id }: { id: string }) {
  const { value, failure, again } = useLoaded(`user ${id}`, () => read<User>(`/users/${Number(id)}`))
  if (failure) return <Failed failure={failure} again={again} />
  if (!value) return <p class="loading">{w.loading}</p>
  return <Editor user={value} />
}
