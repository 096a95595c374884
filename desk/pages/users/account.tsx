import { useState } from 'preact/hooks'
import { read } from '../../api/client.ts'
import { session } from '../../api/session.ts'
import { useLoaded } from '../../api/use.ts'
import { Failed } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { fill, w } from '../../words/words.ts'
import { Factors } from '../account/factors.tsx'
import { Passwords, Tokens } from './credentials.tsx'
import { OwnPassword } from './own-password.tsx'
import { Person, type User } from './person.tsx'
import { ProviderLinks } from './provider-links.tsx'
import { Sessions } from './sessions.tsx'

/** The account of whoever has signed in: what they are called, how they sign in, and what gives access as them. */
export function AccountPage() {
  const { user, login, role } = session.get()!
  const { value, failure, again } = useLoaded(`account ${user}`, () => read<User>(`/users/${user}`))
  const [turn, setTurn] = useState(0)
  return (
    <>
      <div class="head">
        <h1>{w.account}</h1>
      </div>
      <p class="about">{fill(w.signed_in_as, { login, role: w[`role_${role}`] })}</p>
      <div class="stack cards">
        {failure && <Failed failure={failure} again={again} />}
        {value && <Person user={value} changed={again} />}
        {/* how one signs in, and then what gives access */}
        <OwnPassword user={user} onSet={() => setTurn(turn + 1)} />
        <Factors user={user} />
        <ProviderLinks user={user} />
        <Access user={user} login={login} turn={turn} />
      </div>
    </>
  )
}

type Props = { user: number; login: string; disabled?: boolean; turn?: number }
/** Everything that gives access as a user. A session ends with its password and when its user is disabled, so they are read again then, and when `turn` changes. */
export function Access({ user, login, disabled = false, turn = 0 }: Props) {
  const [revoked, setRevoked] = useState(0)
  return (
    <>
      <Passwords user={user} login={login} onRevoked={() => setRevoked(revoked + 1)} />
      <Sessions user={user} turn={`${disabled} ${revoked} ${turn}`} />
      {may('manage users and tokens') && <Tokens user={user} />}
    </>
  )
}
