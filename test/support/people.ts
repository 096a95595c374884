import { Secret, TOTP } from 'otpauth'
import { mails } from '../../drizzle/tables.ts'
import type { App } from '../../src/app.ts'
import type { Role } from '../../src/kernel/access/rights.ts'
import { must } from './answers.ts'
import type { Api } from './app.ts'
import { until } from './until.ts'

/** What a browser says of a request of a page of this service. */
export const OWN = { origin: 'http://calendar.test', 'sec-fetch-site': 'same-origin' }
export const MAIL = { SMTP_URL: 'smtp://mail.test', MAIL_FROM: 'Calendar <calendar@town.test>' }
export const GOOD = 'three cups of green tea'
export const OTHER = 'a garden full of bees'

/** Adds a user with an invitation, and gives its ticket. */
export async function invite(api: Api, login: string, more: object = {}) {
  const body = { login, role: 'editor', invite: true, ...more }
  const { id, invitation } = await must(api.administrator.post('/users', body))
  return { id, login, invitation, ticket: String(invitation.url).split('/').at(-1)! }
}

/** Adds a person with an own password. */
export async function addPerson(
  { app }: { app: Pick<App, 'store'> },
  login: string,
  more: object = {},
  password = GOOD,
) {
  const { people } = app.store
  const { user, ticket } = (await people.add({ login, role: 'editor', ...more }))!
  const hash = await people.hashed(password, user)
  const { signIn } = (await people.accept('invitation', ticket, hash, { origin: 'service', address: '' }))!
  return { ...user, signIn: signIn.id }
}

/** Signs in like a page of the desk. */
export const signIn = ({ anonymous }: Api, login: string, password: string, headers: object = OWN) =>
  anonymous.post('/session/cookie', { login, password }, { headers: headers as Record<string, string> })

/** The headers of a page of the desk whose browser has just been given a session. */
export function pageOf({ headers, body }: Awaited<ReturnType<typeof signIn>>) {
  const [cookie] = String(headers['set-cookie']).split(';')
  return { headers: { ...OWN, cookie: cookie!, authorization: `Session ${body.user}` } }
}

/** Waits until so many mails wait, and gives them: also those that could not be sent yet. */
export const mailsOf = ({ app }: Api, count: number) =>
  until(async () => {
    const all = await app.store.db.read.select().from(mails).orderBy(mails.id)
    return all.length >= count && all
  })
/** The ticket in the link of a mail. */
export const ticketIn = ({ text }: { text: string }) => /\/desk\/#\/\w+\/([\w-]+)\n/.exec(text)![1]!

/** The code that a program shows for a secret in base32, at a time in Unix milliseconds. */
export const codeOf = (secret: string, now: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now })

/** A code of six digits that is none of this secret around a time. */
export function wrongCode(secret: string, now: number): string {
  const right = [-1, 0, 1].map((step) => codeOf(secret, now + step * 30_000))
  return ['111111', '222222', '333333', '444444'].find((code) => !right.includes(code))!
}

/** A person: what they prove with each request, and the row of their own password. */
export async function person(api: Api, login: string, role: Role = 'editor') {
  const { users, signIns, db } = api.app.store
  const { id, password } = (await users.add(login, role))!
  const own = await db.write((tx) => signIns.add(tx, { user_id: id, kind: 'password', secret: 'x' }))
  const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
  return { id, own, as: { headers: { authorization } }, user: await users.find(id) }
}
type Person = Awaited<ReturnType<typeof person>>

/** Gives a person a second factor, whose code of now is used up. */
export async function secure({ anonymous, clock }: Api, { id, as }: Person) {
  const { secret, ticket } = await must(anonymous.post(`/users/${id}/totp`, undefined, as))
  const code = codeOf(secret, clock.now)
  const { codes } = await must(anonymous.post(`/users/${id}/totp/confirm`, { ticket, code }, as))
  return { secret, codes } as { secret: string; codes: string[] }
}
