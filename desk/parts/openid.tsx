import { goBeside, keepPlace, type Refused, refused, THERE } from '../api/openid.ts'
import type { Reason } from '../api/session.ts'
import { SITE } from '../api/site.ts'
import { errorText, fill, type Words, w } from '../words/words.ts'

/** Why an account that the provider knows does not come in. */
const REASONS: Record<string, keyof Words> = {
  unknown: 'openid_unknown',
  disabled: 'openid_disabled',
  taken: 'openid_taken',
  no_role: 'openid_no_role',
  last_administrator: 'openid_last_administrator',
}

/** Why somebody comes back from the provider without a session, in the language of the desk. The address says only codes, which anybody can write. */
export function refusedText({ code, detail }: Refused): string {
  const reason = Object.hasOwn(REASONS, detail) ? REASONS[detail] : undefined
  if (code === 'openid_no_account' && reason) return fill(w[reason], { name: SITE.openid! })
  const text = (/^[a-z]+(_[a-z]+)+$/.test(code) && errorText(code, '')) || errorText('openid_failed', '')
  return /^[\w.:-]{1,100}$/.test(detail) ? `${text} (${detail})` : text
}

/** What went wrong at the provider. */
export function Refusal() {
  const told = refused.use()
  return told ? (
    <p class="error" role="alert">
      {refusedText(told)}
    </p>
  ) : null
}

/** The way to the provider, if there is one. */
export const WithProvider = () =>
  SITE.openid === undefined ? null : (
    <>
      <Refusal />
      <a class="button" href={THERE} onClick={keepPlace}>
        {fill(w.openid_sign_in, { name: SITE.openid })}
      </a>
      {SITE.local && <p class="or">{w.openid_or}</p>}
    </>
  )

/** The same from a window over what somebody is doing, which stays. */
export const AgainWithProvider = ({ reason }: { reason: Reason }) =>
  SITE.openid === undefined ? null : (
    <>
      <p class="hint">{w.openid_window}</p>
      <p>
        <button type="button" onClick={() => goBeside(reason)}>
          {fill(reason === 'proof' ? w.openid_confirm : w.openid_sign_in, { name: SITE.openid })}
        </button>
      </p>
      {SITE.local && <p class="or">{w.openid_or}</p>}
    </>
  )
