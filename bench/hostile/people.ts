import type { Asks, Attack } from './attack.ts'

/** What a page of the service sends: without it, signing in is refused before anything is looked at. */
const OWN = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
/** One of 250 public addresses, each behind the trusted proxy. */
const fromMany = (at: number) => ({ 'x-forwarded-for': `198.51.100.${1 + (at % 250)}` })

const post = (name: string, path: string, body: (at: number) => object): Asks => ({
  name,
  connections: 16,
  request: (at) => ({
    ...{ method: 'POST', path, headers: { ...OWN, ...fromMany(at) } },
    body: JSON.stringify(body(at)),
  }),
})

const DAYS = { start_date: '2030-05-01 19:00:00', end_date: '2030-05-01 21:00:00' }
const PERSON = { name: 'Anna', email: 'anna@people.example' }

/** What somebody does without an account, from many addresses: guesses of credentials, mails to others, events that nobody wants. */
export const PEOPLE: Attack[] = [
  post('guesses of own passwords, from 250 addresses', '/session/cookie', (at) => ({
    login: `user-${at % 40}`,
    password: `a guess, number ${at}`,
  })),
  post('challenges of passkeys, from 250 addresses', '/session/passkey/options', () => ({})),
  post('invitations that nobody made, from 250 addresses', '/invitations/accept', (at) => ({
    ...{ ticket: String(at).padStart(43, 'x'), password: 'a long password' },
  })),
  post('new passwords for others, from 250 addresses', '/password-resets', (at) => ({
    login: `user-${at % 40}`,
  })),
  post('submissions, from 250 addresses', '/submissions', (at) => ({
    ...{ title: `Proposal ${at}`, ...DAYS, ...PERSON },
    ...{ description: 'Buy this. '.repeat(1_900), venue: `Hall ${at}`, organizer: `Club ${at}` },
  })),
]
