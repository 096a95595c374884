import type { Test } from 'tap'
import type { DigestChoice } from '../../drizzle/tables.ts'
import type { Service } from '../../src/calendar/resource/service.ts'
import { openSending } from '../../src/features/digest/sending.ts'
import type { ServiceFeature } from '../../src/features/host.ts'
import { FEATURES } from '../../src/features.ts'
import { must } from './answers.ts'
import { type Answer, type Api, build, EVENT } from './app.ts'
import { MAIL } from './people.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
export const ANNA = 'zzanna@people.example'
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const PAGE = '//events/digest/'

/** A calendar that sends events by mail, and what writes the mails: a look writes one at most. It begins on a Saturday at 9:00 UTC. */
export async function buildDigest(t: Test, env: Record<string, string> = {}) {
  let service: Service
  const probe: ServiceFeature = {
    name: 'probe',
    async plugin(_app, host) {
      service = host.service
    },
  }
  const api = await build(t, {
    fresh: true,
    env: { DIGEST: 'on', ...MAIL, SITE_NAME: 'Town', TIMEZONE: 'Europe/Madrid', ...env },
    features: [...FEATURES, probe],
  })
  const write = openSending(service!, api.app.pages!)
  /** Takes the mails that are written until now, as a server of mail would. */
  async function look() {
    const taken: Awaited<ReturnType<typeof mailsOf>> = []
    for (;;) {
      await write()
      const mails = await mailsOf(api)
      if (mails.length === 0) return taken
      for (const mail of mails) await api.app.store.mails.finish(mail, true)
      taken.push(...mails)
    }
  }
  return { ...api, service: service!, write, look }
}
export type DigestApi = Awaited<ReturnType<typeof buildDigest>>

type Fields = Record<string, string | string[]>
/** Sends a form as a browser without script. */
export function post(
  { anonymous }: Pick<Api, 'anonymous'>,
  path: string,
  fields: Fields = {},
): Promise<Answer> {
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
export async function subscribe(
  api: Pick<Api, 'anonymous' | 'app' | 'clock'>,
  fields: Fields = {},
  page = PAGE,
): Promise<string> {
  await post(api, page, { email: ANNA, every: 'week', ...fields })
  const mail = (await mailsOf(api)).at(-1)!
  await api.app.store.mails.finish(mail, true)
  const { headers } = await post(api, linkIn(mail.text))
  api.clock.now += 1_000 // what is published in this second was there before
  return `/${headers.location!.replace('?new', '')}`
}

/** Publishes an event. */
export const publish = async ({ editor }: Api, title: string, start_date: string, more: object = {}) =>
  must(
    editor.post('/events', {
      ...EVENT,
      ...{ title, start_date, end_date: start_date.replace(/\d\d:00$/, '59:00'), ...more },
    }),
  )

/** Enters an address for events by mail, as its owner would, and gives it as administrators see it. */
export async function addDigest({
  app,
  administrator,
}: Pick<Api, 'app' | 'administrator'>): Promise<{ id: number }> {
  const choice: DigestChoice = { every: 'week', language: 'en', filters: { categories: [1], town: 'Vic' } }
  const mail = { recipient: 'anna@people.example', subject: 'Please confirm', text: 'Here.' }
  await app.store.digests.propose(mail.recipient, choice, [], async () => mail)
  return (await must(administrator.get('/digests'))).digests[0]
}
