import { useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import { tell, tellFailure } from '../../parts/notice.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { fill, w } from '../../words/words.ts'
import type { User } from './data.ts'

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
