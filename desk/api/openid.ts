import { readPlace } from '../rules/places.ts'
import { here } from './leaving.ts'
import { enterAs, type Reason } from './session.ts'
import { signal } from './signal.ts'
import { SITE } from './site.ts'

/** Where somebody was before they went to the provider, and that another window waits for them. */
const PLACE = 'desk.place'
const WINDOW = 'desk.window'

/** The address at which a browser goes to the provider. */
export const THERE = `${SITE.api}/session/openid`

/** Why somebody comes back without a session: the code of the error, and what it says more. */
export type Refused = { code: string; detail: string }
export const refused = signal<Refused | undefined>(undefined)

/** Remembers where somebody is who leaves for the provider. */
export const keepPlace = () => sessionStorage.setItem(PLACE, location.hash)

/** Goes to the provider in another window, and leaves this one as it is. It hears of the new session when there is one. */
export function goBeside(reason: Reason) {
  localStorage.setItem(WINDOW, 'yes')
  window.open(reason === 'proof' ? `${THERE}?fresh=true` : THERE)
}

const taken = (storage: Storage, key: string) => {
  const value = storage.getItem(key)
  storage.removeItem(key)
  return value
}

/**
 * Goes on where somebody comes back from the provider: with the session of the user whom the address names, or with what it says of a
 * refusal. Tells whether another window waits.
 */
export async function comeBack(): Promise<boolean> {
  const [part, what = '', detail = ''] = readPlace(location.hash).path
  if (part !== 'openid') return false
  history.replaceState(null, '', taken(sessionStorage, PLACE) || '#/events')
  here.set(location.hash)
  const isBeside = taken(localStorage, WINDOW) !== null
  if (!/^\d+$/.test(what)) {
    refused.set({ code: what, detail })
    return false
  }
  const answer = await enterAs(Number(what)).catch(() => undefined)
  if (answer) refused.set({ code: 'invalid_token', detail: '' })
  return isBeside && answer === undefined
}
