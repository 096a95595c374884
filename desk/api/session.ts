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

const KEPT = 'desk.session'

function kept(): Session | undefined {
  const text = sessionStorage.getItem(KEPT)
  return text === null ? undefined : JSON.parse(text)
}

/** The session; undefined before signing in. */
export const session = signal<Session | undefined>(kept())
/** Whether a session has ended and its user is asked to sign in again, over what they were doing. */
export const ended = signal(false)

let waiting: (() => void)[] = []

/** Waits until somebody has signed in again. */
export const renewed = (): Promise<void> => {
  ended.set(true)
  return new Promise((resolve) => waiting.push(resolve))
}

const encode = (text: string) => btoa(String.fromCodePoint(...new TextEncoder().encode(text)))

/** Signs in with a login and an application password, which is sent once and kept nowhere. Returns the refusal, if there is one. */
export async function signIn(login: string, password: string): Promise<Response | undefined> {
  const answer = await fetch(`${SITE.api}/session`, {
    method: 'POST',
    headers: { authorization: `Basic ${encode(`${login.trim()}:${password}`)}` },
    credentials: 'omit',
  })
  if (!answer.ok) return answer
  const made: Session = await answer.json()
  // what one user was about to do is not done in the name of another
  if (session.get()?.user !== made.user) waiting = []
  sessionStorage.setItem(KEPT, JSON.stringify(made))
  session.set(made)
  ended.set(false)
  for (const go of waiting.splice(0)) go()
  return undefined
}

/** Signs out: the token is revoked, and nothing of the session stays in the browser. */
export async function signOut() {
  const { token } = session.get()!
  const forget = () => {
    sessionStorage.clear()
    waiting = []
    ended.set(false)
    session.set(undefined)
  }
  await fetch(`${SITE.api}/session`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
    credentials: 'omit',
  }).then(forget, forget)
}
