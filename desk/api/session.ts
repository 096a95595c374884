import type { Role } from '../../src/rules/roles.ts'
import { signal } from './signal.ts'
import { SITE } from './site.ts'

/** Who has signed in, and with which token. It is kept for the tab, and never in an address. */
export type Session = {
  user: number
  login: string
  role: Role
  scopes: string[]
  expires_utc: string
  token: string
}
/** Why the password is asked for again: the session has ended, or what is to be done needs a password that was proven just now. */
export type Reason = 'ended' | 'proof'

const KEPT = 'desk.session'

function kept(): Session | undefined {
  const text = sessionStorage.getItem(KEPT)
  return text === null ? undefined : JSON.parse(text)
}

/** The session; undefined before signing in. */
export const session = signal<Session | undefined>(kept())
/** Why its user is asked for the password, over what they were doing; undefined if they are not. */
export const asking = signal<Reason | undefined>(undefined)

type Waiting = { reason: Reason; go: () => void; giveUp: () => void }
let waiting: Waiting[] = []
const ask = () =>
  asking.set(waiting.some(({ reason }) => reason === 'ended') ? 'ended' : waiting[0] && 'proof')

/** Waits until somebody has signed in again. Gives false if they would rather not. */
export const renewed = (reason: Reason): Promise<boolean> =>
  new Promise((resolve) => {
    waiting.push({ reason, go: () => resolve(true), giveUp: () => resolve(false) })
    ask()
  })

/** Gives up what needs the password. What waits for a session goes on waiting. */
export function decline() {
  const given = waiting.filter(({ reason }) => reason === 'proof')
  waiting = waiting.filter(({ reason }) => reason !== 'proof')
  ask()
  for (const { giveUp } of given) giveUp()
}

const encode = (text: string) => btoa(String.fromCodePoint(...new TextEncoder().encode(text)))

/** A name that tells nothing of the token, under which the tabs of a browser note that they use a session. */
const nameOf = ({ user, expires_utc }: Session) => `${KEPT} ${user} ${expires_utc}`
let letGo = () => {}
/** Notes that this tab uses a session. Browsers have such locks only on pages that nobody on the way can change. */
function hold(used: Session | undefined) {
  letGo()
  if (used)
    navigator.locks?.request(nameOf(used), { mode: 'shared' }, () => new Promise<void>((go) => (letGo = go)))
}
hold(session.get())

/** Whether another tab uses a session as well: a tab that is a copy has that of the original. */
async function isShared(used: Session): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query()) ?? {}
  return held.filter(({ name }) => name === nameOf(used)).length > 1
}

const end = ({ token }: Session) =>
  fetch(`${SITE.api}/session`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
    credentials: 'omit',
  })

/** Signs in with a login and an application password, which is sent once and kept nowhere. Returns the refusal, if there is one. */
export async function signIn(login: string, password: string): Promise<Response | undefined> {
  const answer = await fetch(`${SITE.api}/session`, {
    method: 'POST',
    headers: { authorization: `Basic ${encode(`${login.trim()}:${password}`)}` },
    credentials: 'omit',
  })
  if (!answer.ok) return answer
  const made: Session = await answer.json()
  const before = session.get()
  sessionStorage.setItem(KEPT, JSON.stringify(made))
  // a session that has not ended would be left behind; if the network fails now, it ends by itself
  if (before && asking.get() === 'proof' && !(await isShared(before))) await end(before).catch(() => {})
  // what one user was about to do is not done in the name of another
  if (before?.user !== made.user) waiting = []
  hold(made)
  session.set(made)
  asking.set(undefined)
  for (const { go } of waiting.splice(0)) go()
  return undefined
}

/** Signs out: the token is revoked, and nothing of the session stays in the browser. */
export async function signOut() {
  const forget = () => {
    sessionStorage.clear()
    waiting = []
    hold(undefined)
    asking.set(undefined)
    session.set(undefined)
  }
  await end(session.get()!).then(forget, forget)
}
