import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { hiddenIn, partsOf, solve } from '../../test/support/submissions.ts'
import type { Asks } from './attack.ts'

const DAY = { start_day: '2030-05-01', start_time: '19:00', end_day: '', end_time: '21:00' }
const DATES = { start_date: '2030-05-01 19:00:00', end_date: '2030-05-01 21:00:00' }
const PERSON = { name: 'Anna', email: 'anna@people.example' }
/** Milliseconds after which a form may have been filled in by a person. */
const FILLED = 6_000

const { headers: HEADERS } = partsOf({})
const pageOf = (root: string) => new URL('/events/submit/', root).href

/** A form whose stamp has been used, with a picture of 48 megapixels. */
async function spentForm(root: string): Promise<Buffer> {
  const page = pageOf(root)
  const challenge = hiddenIn(await (await fetch(page)).text(), 'challenge')
  const typed = { challenge, nonce: '', reason: '', title: 'Fair', ...DAY, ...PERSON }
  await pause(FILLED)
  await fetch(page, { method: 'POST', ...partsOf(typed), redirect: 'manual' })
  const picture = { width: 8_000, height: 6_000, channels: 3 as const, background: '#7a4' }
  return partsOf(typed, await sharp({ create: picture }).jpeg().toBuffer()).body
}

/** A challenge with its solution, for one of 65,536 networks of a provider. */
async function proven(root: string, at: number) {
  const from = { 'x-forwarded-for': `2001:db8:0:${(at % 65_536).toString(16)}::1` }
  const answer = await fetch(`${root}/submissions/challenge`, { headers: from })
  const { challenge, bits } = (await answer.json()) as { challenge: string; bits: number }
  return { from, challenge, nonce: solve(challenge, bits) }
}

/** UTF-16 that is no text: halves of characters alone. */
const surrogates = () =>
  Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.alloc(8 * 2 ** 20, '\x00\xd8', 'latin1')])

/** What visitors and editors send as forms and files. */
export const FORMS: Asks[] = [
  {
    name: 'forms whose stamp was used, with a picture of 48 megapixels',
    connections: 8,
    prepare: spentForm,
    request: (_at, _token, _since, form) => ({
      ...{ method: 'POST', path: '//events/submit/', headers: HEADERS, body: form! },
    }),
  },
  {
    name: 'submissions with proofs, from 65,536 networks',
    connections: 8,
    async request(at, _token, _since, _prepared, root) {
      const { from, challenge, nonce } = await proven(root, at)
      const body = {
        title: `Proposal ${at}`,
        ...DATES,
        ...PERSON,
        email: `a+${at}@people.example`,
        challenge,
        nonce,
      }
      return {
        ...{ method: 'POST', path: '/submissions', body: JSON.stringify(body) },
        headers: { ...from, 'content-type': 'application/json' },
      }
    },
  },
  {
    name: 'imports of 8 MB of surrogates as CSV, signed in',
    connections: 2,
    prepare: async () => surrogates(),
    request: (_at, token, _since, file) => ({
      ...{ method: 'POST', path: '/imports?dry_run=true', body: file! },
      headers: { 'content-type': 'text/csv', authorization: `Bearer ${token}` },
    }),
  },
]
