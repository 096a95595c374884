import type { LimitSet, Role } from '../../src/kernel/access/rights.ts'
import { signal } from './signal.ts'
import { SITE } from './site.ts'

/** Who has signed in. All tabs share it. Its token is a cookie that no script can read. */
export type Session = {
  user: number
  login: string
  name?: string
  role: Role
  scopes: string[]
  /** What the rights are limited to, if they are. */
  limits?: readonly LimitSet[]
  expires_utc: string
}
/** Why the password is asked for again: the session has ended, or what is to be done needs a password that was proven just now. */
export type Reason = 'ended' | 'proof'

const KEPT = 'desk.session'
/** The user of a session that could not be ended yet, for lack of a network. */
const LEFT = 'desk.left'

function kept(): Session | undefined {
  const text = localStorage.getItem(KEPT)
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

/** Waits until somebody has signed in again, here or in another tab. Gives false if they would rather not. */
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

/** Goes on with a session, or with none. */
function adopt(next: Session | undefined) {
  // what one user was about to do is not done in the name of another
  if (session.get()?.user !== next?.user) waiting = []
  session.set(next)
  asking.set(undefined)
  for (const { go } of waiting.splice(0)) go()
}

/** The session as the tabs know it by now: another one may have renewed or ended it, which this tab has not been told yet. */
export function latest(): Session | undefined {
  const now = kept()
  if (now?.user !== session.get()?.user || now?.expires_utc !== session.get()?.expires_utc) adopt(now)
  return session.get()
}
addEventListener('storage', ({ key }) => (key === KEPT || key === null) && latest())

/** The header with which a request means the cookie, as the user whom this tab shows. */
export const credential = (user = session.get()?.user) => `Session ${user}`

const encode = (text: string) => btoa(String.fromCodePoint(...new TextEncoder().encode(text)))

/** Ends the session of a user in this browser, as soon as there is a network. */
async function end(user: string) {
  localStorage.setItem(LEFT, user)
  await fetch(`${SITE.api}/session`, {
    method: 'DELETE',
    headers: { authorization: credential(Number(user)) },
    credentials: 'same-origin',
  }).then(
    () => localStorage.removeItem(LEFT),
    () => {},
  )
}
function endLater() {
  const user = localStorage.getItem(LEFT)
  if (user !== null) void end(user)
}
addEventListener('online', endLater)
endLater()

/** Sends something to the API without the session of this tab. */
export const post = (path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(SITE.api + path, {
    method: 'POST',
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    credentials: 'same-origin', // to be given the cookie
  })

/** Goes on with the session of an answer, in all tabs. Returns the answer if it is a refusal. */
export async function enter(answer: Response): Promise<Response | undefined> {
  if (!answer.ok) return answer
  const made: Session = await answer.json()
  localStorage.removeItem(LEFT) // the service has ended the session before
  localStorage.setItem(KEPT, JSON.stringify(made))
  adopt(made)
  return undefined
}

/** Goes on with the session of a user that the service has opened in this browser. Returns the refusal, if there is one. */
export const enterAs = async (user: number): Promise<Response | undefined> =>
  enter(
    await fetch(`${SITE.api}/session`, {
      headers: { authorization: credential(user) },
      credentials: 'same-origin',
    }),
  )

/** The code of a refusal, whose body can be read again. */
export const codeOf = async (answer: Response): Promise<string> => (await answer.clone().json()).code

/** Whether a password has the form of those that the service makes. People may choose such a one as well. */
const isMade = (password: string) => /^(\w{4} ?){6}$/.test(password.trim())

/**
 * Signs in with a login or an address and an own password, or with a login and an application password. It is sent once and kept nowhere.
 * Returns the refusal, if there is one.
 */
export async function signIn(login: string, password: string): Promise<Response | undefined> {
  const authorization = `Basic ${encode(`${login.trim()}:${password}`)}`
  let answer = isMade(password) ? await post('/session/cookie', undefined, { authorization }) : undefined
  if (answer === undefined || answer.status === 401)
    answer = await post('/session/cookie', { login: login.trim(), password })
  return enter(answer)
}

/** Signs out, in all tabs: the token is revoked, and nothing of the session stays in the browser. */
export async function signOut() {
  await end(String(session.get()!.user))
  localStorage.removeItem(KEPT)
  waiting = []
  adopt(undefined)
}
