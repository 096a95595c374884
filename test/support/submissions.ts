import type { Test } from 'tap'
import { must } from './answers.ts'
import { type Answer, type Api, build } from './app.ts'
import { hiddenIn, partsOf, solve } from './submit-form.ts'

/** Who submits, as nothing but the answers to editors may show it. */
export const NAME = 'Zzanna Zzpuig'
export const EMAIL = 'zzanna@people.example'
export const NOTE = 'zznote for the editors'

export const PROPOSED = {
  title: 'Lantern walk',
  start_date: '2026-12-05 18:00:00',
  end_date: '2026-12-05 20:00:00',
  description: 'Bring a lantern & <b>warm</b> shoes.\n\nAll are welcome.',
  venue: 'Old mill',
  address: 'River street 3',
  city: 'Vic',
  organizer: 'Friends of the mill',
  cost: '5',
  website: 'https://mill.example/walk',
  name: NAME,
  email: EMAIL,
  note: NOTE,
}

/** A calendar for which visitors may propose events. */
export const buildSubmitting = (t: Test, env: Record<string, string> = {}) =>
  build(t, { fresh: true, env: { SUBMISSIONS: 'on', ...env } })

/** A challenge with its solution. */
export async function proof({ anonymous }: Pick<Api, 'anonymous'>) {
  const { challenge, bits } = await must(anonymous.get('/submissions/challenge'))
  return { challenge, nonce: solve(challenge, bits) }
}

/** Proposes an event, with the credentials of a subscriber, which takes no proof. Returns the key of its page. */
export async function propose({ subscriber }: Pick<Api, 'subscriber'>, more: object = {}): Promise<string> {
  const { url } = await must(subscriber.post('/submissions', { ...PROPOSED, ...more }))
  return url.split('/').at(-2)
}

/** The submissions as editors see them, the latest first. */
export const submissionsOf = async ({ editor }: Pick<Api, 'editor'>, query = '') =>
  (await must(editor.get(`/submissions?per_page=50${query}`))).submissions

/** The form as a visitor fills it in. */
export const TYPED = {
  ...{
    title: 'Lantern <walk>',
    description: 'Bring a lantern.\n\nAll & all.',
    venue: 'Old mill',
    city: 'Vic',
  },
  ...{ start_day: '2026-12-05', start_time: '18:00', end_day: '', end_time: '20:00' },
  ...{
    organizer: 'Friends',
    cost: '5',
    website: 'https://mill.example/',
    name: NAME,
    email: EMAIL,
    note: NOTE,
  },
}
/** Where the form is, for clients of tests. */
export const PAGE = '//events/submit/'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Opens the form, takes one's time, and sends it as a browser without script. */
export async function send(api: Api, typed: Record<string, string>, page = PAGE): Promise<Answer> {
  const challenge = hiddenIn((await api.anonymous.get(page)).text, 'challenge')
  api.clock.now += 5_000
  return post(api, { challenge, nonce: '', reason: '', ...typed }, page)
}
/** Sends the form as it is given. */
export const post = ({ anonymous }: Api, typed: Record<string, string>, page = PAGE) =>
  anonymous.post(page, new URLSearchParams(typed).toString(), { headers: FORM })
/** Sends the form with a picture. */
export function withPicture({ anonymous }: Api, typed: Record<string, string>, picture: Buffer, page = PAGE) {
  const { body, headers } = partsOf(typed, picture)
  return anonymous.post(page, body, { headers })
}
/** The path of the page to which a form leads that was taken. */
export const pathOf = ({ headers }: Answer) => `/${headers.location!.replace('?new', '')}`
