import { useState } from 'preact/hooks'
import { may } from '../../parts/shell.tsx'
import { Passwords, Tokens } from './credentials.tsx'
import { Sessions } from './sessions.tsx'

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
