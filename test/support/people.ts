import { mails } from '../../drizzle/tables.ts'
import type { App } from '../../src/app.ts'
import type { Api } from './app.ts'
import { must } from './events.ts'
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
