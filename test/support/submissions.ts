import type { Test } from 'tap'
import { type Api, build } from './app.ts'
import { must } from './events.ts'
import { EMAIL, NAME, NOTE, solve } from './submit-form.ts'

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
