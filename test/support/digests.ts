import type { Test } from 'tap'
import { type Answer, type Api, build } from './app.ts'
import { MAIL } from './people.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
export const ANNA = 'zzanna@people.example'
const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** A calendar that sends events by mail, on a Saturday. */
export const buildDigest = (t: Test, env: Record<string, string> = {}) =>
  build(t, { fresh: true, env: { DIGEST: 'on', ...MAIL, SITE_NAME: 'Town', ...env } })

type Fields = Record<string, string | string[]>
/** Sends a form as a browser without script. */
export const post = (
  { anonymous }: Pick<Api, 'anonymous'>,
  path: string,
  fields: Fields = {},
): Promise<Answer> => {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(name, one)
  return anonymous.post(path, body.toString(), { headers: FORM })
}
/** The mails that wait, the oldest first. */
export const mailsOf = ({ app }: Pick<Api, 'app'>) => app.store.mails.due(100)
/** The path of the link of a text below /events/digest/, for clients of tests. */
export const linkIn = (text: string) =>
  `/${/http:\/\/calendar\.test(\/\S*events\/digest\/\S+)/.exec(text)![1]}`

/** Subscribes as a person does: the form, the link of the mail, the button. Gives the path of the own page. */
export async function subscribe(api: Api, fields: Fields = {}, root = '//events/digest/'): Promise<string> {
  await post(api, root, { email: ANNA, every: 'week', ...fields })
  const mail = (await mailsOf(api)).at(-1)!
  await api.app.store.mails.finish(mail, true)
  const { headers } = await post(api, linkIn(mail.text))
  return `/${headers.location!.replace('?new', '')}`
}
