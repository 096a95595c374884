import { session } from '../../api/session.ts'
import { LinkWithProvider } from '../../parts/openid.tsx'
import { fill, w } from '../../words/words.ts'
import { Access } from './access.tsx'

/** The own credentials of whoever has signed in. */
export function AccountPage() {
  const { user, login, role } = session.get()!
  return (
    <>
      <div class="head">
        <h1>{w.account}</h1>
      </div>
      <div class="stack">
        <p>{fill(w.signed_in_as, { login, role: w[`role_${role}`] })}</p>
        <Access user={user} login={login} />
        <LinkWithProvider />
      </div>
    </>
  )
}
