import { setTimeout as pause } from 'node:timers/promises'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { hiddenIn, partsOf, solve } from '../../test/support/submit-form.ts'
import { type Asks, type Attack, type Leaves, MOMENTS, type Pours } from './attack.ts'

// What hostile clients send. Each is one row of docs/reliability.md.

const MEGABYTE = 2 ** 20
const JSON_TYPE = { 'content-type': 'application/json' }
const GZIP = { 'accept-encoding': 'gzip' }
/** Behind a trusted proxy: a client of the own machine has no budget. The third is the address of an office, with a normal client in it. */
const READER = { 'x-forwarded-for': '203.0.113.7' }
const PUBLIC = { 'x-forwarded-for': '203.0.113.8' }
const OFFICE = { 'x-forwarded-for': '203.0.113.9' }
/** One of so many public addresses. */
const fromMany = (at: number, many: number) => ({ 'x-forwarded-for': `198.51.100.${1 + (at % many)}` })

type Headers = Record<string, string>
type More = { connections?: number; headers?: Headers; shared?: Headers }
/** Reads of addresses that differ from time to time. */
const get = (
  name: string,
  path: (at: number) => string,
  { connections = 16, headers, shared }: More = {},
): Asks => ({
  ...{ name, connections, ...(shared && { shared }) },
  request: (at) => ({ method: 'GET', path: path(at), headers: { ...headers, ...shared } }),
})
/** The same body over and over. */
const post = (name: string, connections: number, path: string, headers: Headers, body: string): Asks => ({
  ...{ name, connections },
  request: () => ({ method: 'POST', path, headers, body }),
})
const create = (name: string, fields: object, connections = 4): Asks =>
  post(
    ...([name, connections, '/events', JSON_TYPE] as const),
    JSON.stringify({ title: 'x', start_date: 'tomorrow', end_date: 'tomorrow', ...fields }),
  )
const form = (name: string, body: string): Asks =>
  post(name, 16, '/events', { 'content-type': 'application/x-www-form-urlencoded' }, body)
/** A search that no cache has. */
const search = (name: string, words: string) =>
  get(name, (at) => `/events?search=${words.replaceAll(' ', '+')}&at=${at}`, { connections: 4 })

// ---- pictures

/** A picture of one row of black pixels, a bit each: few bytes, until it is decoded. */
function wideImage(width: number): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(1, 4)
  head[8] = 1 // bit a pixel; all other bytes are 0: grey, not interlaced
  const row = deflateSync(Buffer.alloc(1 + Math.ceil(width / 8)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', row), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length, 0)
  around.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)])
}

const image = wideImage(50_000_000)
const upload = Buffer.alloc(10 * MEGABYTE - 1)

// ---- clients that leave, and that do not wait

/** Requests whose client leaves after 20 to 50 ms, each on a connection of its own, as of one that gives up and tries again. */
const abandoned = (name: string, path: string, headers: (at: number) => Headers = () => ({})): Asks => ({
  name: `${name}, abandoned after 20 to 50 ms`,
  connections: 40,
  request: (at) => ({
    method: 'GET',
    path: path.replace('#', String(2_000 + (at % 90))),
    headers: headers(at),
    leaves: 20 + (at % 31),
  }),
})

/** Requests of all operations and pages, given up at one moment; every second one is the second request of its connection. */
const LEAVING: Leaves[] = [false, true].flatMap((signedIn) =>
  MOMENTS.map((moment) => ({
    name: `all operations and pages, abandoned ${moment}, ${signedIn ? 'signed in' : 'anonymous'}`,
    connections: 40,
    ...{ moment, signedIn },
  })),
)

const pipelined = (connections: number, times: number, reads: boolean): Pours => ({
  name: `${times.toLocaleString('en')} pipelined requests, ${reads ? 'read' : 'unread'}, ${connections} connections`,
  connections,
  pour: () => ({ bytes: 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n', times, reads }),
})

// ---- searches that nobody asked for before

/** The letters of generated words, in which these take turns: others occur in no text, and what asks for one is answered at once. */
const CONSONANTS = [...'bcdfglmnprstv']
const VOWELS = [...'aeiou']
const LETTERS = [...CONSONANTS, ...VOWELS]
const PAIRS = CONSONANTS.flatMap((first) => VOWELS.map((vowel) => first + vowel))
/** Parts of words that are longer than what the index has by itself, so that all words are looked through for each. */
const PARTS = PAIRS.flatMap((pair) => CONSONANTS.map((last) => pair + last))

/** So many of these texts, in an order and a choice that nobody asked for before. */
function some(texts: readonly string[], many: number, at: number): string[] {
  const left = [...texts]
  let state = at * 7_919 + 1
  return Array.from({ length: many }, (_, place) => {
    state = (state * 48_271 + place) % 2_147_483_647
    return left.splice(state % left.length, 1)[0]!
  })
}
const parts = (many: number, at: number) => some(PARTS, many, at).join('+')
/** All letters in another order each time. */
const lettersOf = (at: number) => `/events?search=${some(LETTERS, LETTERS.length, at).join('+')}&at=${at}`
/** A phrase: all texts with both halves are read for it, which are nearly all. */
const phraseOf = (at: number) => `/events?search=%22${some(PAIRS, 2, at).join('+')}%22&at=${at}`
const wordsOf = (at: number) => `/events?search=${parts(20, at)}&at=${at}`
const monthOf = (at: number) => `//events/month/${2026 + (at % 3)}-1${at % 3}/?search=${parts(5, at)}`

const CENTURY = 'start_date=2000-01-01&end_date=2100-01-01'

// ---- what people without an account send

/** What a page of the service sends: without it, signing in is refused before anything is looked at. */
const OWN_PAGE = { ...JSON_TYPE, 'sec-fetch-site': 'same-origin' }
const people = (name: string, path: string, body: (at: number) => object): Asks => ({
  name: `${name}, from 250 addresses`,
  connections: 16,
  request: (at) => ({
    ...{ method: 'POST', path, headers: { ...OWN_PAGE, ...fromMany(at, 250) } },
    body: JSON.stringify(body(at)),
  }),
})

const DAY = { start_day: '2030-05-01', start_time: '19:00', end_day: '', end_time: '21:00' }
const DATES = { start_date: '2030-05-01 19:00:00', end_date: '2030-05-01 21:00:00' }
const PERSON = { name: 'Anna', email: 'anna@people.example' }
/** Milliseconds after which a form may have been filled in by a person. */
const FILLED = 6_000

/** A form whose stamp has been used, with a picture of 48 megapixels. */
async function spentForm(root: string): Promise<Buffer> {
  const page = new URL('/events/submit/', root).href
  const challenge = hiddenIn(await (await fetch(page)).text(), 'challenge')
  const typed = { challenge, nonce: '', reason: '', title: 'Fair', ...DAY, ...PERSON }
  await pause(FILLED)
  await fetch(page, { method: 'POST', ...partsOf(typed), redirect: 'manual' })
  const picture = { width: 8_000, height: 6_000, channels: 3 as const, background: '#7a4' }
  return partsOf(typed, await sharp({ create: picture }).jpeg().toBuffer()).body
}

/** A submission with the solution of its challenge, from one of 65,536 networks of a provider. */
async function proven(root: string, at: number) {
  const from = { 'x-forwarded-for': `2001:db8:0:${(at % 65_536).toString(16)}::1` }
  const answer = await fetch(`${root}/submissions/challenge`, { headers: from })
  const { challenge, bits } = (await answer.json()) as { challenge: string; bits: number }
  const body = {
    ...{ title: `Proposal ${at}`, ...DATES, ...PERSON, email: `a+${at}@people.example` },
    ...{ challenge, nonce: solve(challenge, bits) },
  }
  return {
    ...{ method: 'POST', path: '/submissions', body: JSON.stringify(body) },
    headers: { ...from, ...JSON_TYPE },
  }
}

/** UTF-16 that is no text: halves of characters alone. */
const surrogates = () =>
  Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.alloc(8 * MEGABYTE, '\x00\xd8', 'latin1')])

/** What each hostile client does, over and over, on so many connections. */
export const ATTACKS: Attack[] = [
  create('title of 132,000 tags', { title: '<a>'.repeat(132_000) }),
  create('slug of 500,000 combining marks', { slug: '\u0301'.repeat(500_000) }),
  create('100,000 categories', { categories: Array.from({ length: 100_000 }, (_, at) => at + 1) }),
  search('search of 400 letters, one a word', 'i '.repeat(400).trim()),
  search('search of 20 letters, each another word', 'a e i o u s t r n l c d m p b g h f v y'),
  {
    name: 'guesses of a password',
    connections: 8,
    request: (at) => ({
      method: 'GET',
      path: `/events?at=${at}`,
      headers: { authorization: `Basic ${btoa(`bench:guess ${at}`)}` },
    }),
  },
  create('events with a password, without credentials', { password: 'x' }, 8),
  {
    name: 'uploads whose end never comes, 40 connections',
    connections: 40,
    request: () => ({
      method: 'POST',
      path: '/media',
      headers: { 'content-type': 'image/png' },
      body: upload,
      withheld: true,
    }),
  },
  {
    name: 'picture of 50,000,000 x 1 pixels, signed in',
    connections: 2,
    request: (_at, token) => ({
      method: 'POST',
      path: '/media',
      headers: { 'content-type': 'image/png', authorization: `Bearer ${token}` },
      body: image,
    }),
  },
  get('wrong tokens', (at) => `/events?at=${at}`, {
    connections: 32,
    headers: { authorization: 'Bearer x' },
  }),
  get('addresses that lead nowhere', (at) => `/nowhere-${at}`, { connections: 32 }),

  // what costs most is asked for by whoever does not wait for it
  abandoned('beginnings of changes', '/changes?per_page=100'),
  abandoned('streams of changes from 200 addresses', '/changes', (at) => ({
    ...{ ...fromMany(at, 200), accept: 'text/event-stream' },
  })),
  abandoned('searches', '/events?search=concert&at=#'),
  abandoned('lists', '/events?per_page=50&page=#'),
  abandoned('feeds', '/events.ics?at=#'),
  abandoned('pages of months', '//events/month/#-05/'),
  abandoned('single events from 200 addresses', '/events/#', (at) => fromMany(at, 200)),
  abandoned('addresses that lead nowhere', '/nowhere-#'),
  ...LEAVING,

  // many requests on one connection, none of which waits for the answer to the one before
  pipelined(8, 20_000, false),
  pipelined(80, 30_000, false),
  pipelined(8, 20_000, true),
  {
    name: 'lists of 50 events, unread, 400 connections',
    connections: 400,
    pour: (root) => ({
      bytes: `GET ${root}/events?per_page=50&page=2 HTTP/1.1\r\nHost: x\r\n\r\n`,
      ...{ times: 20, reads: false },
    }),
  },

  // many or deep parameters, and answers that are compressed and never asked for again
  get('2,300 parameters a[]', (at) => `/events?at=${at}&${'a[]=1&'.repeat(2_300)}`),
  get('4,000 brackets in a name', (at) => `/events?at=${at}&a${'[b]'.repeat(4_000)}=1`),
  form('10,000 fields in a form', 'a[]=1&'.repeat(10_000)),
  form('20,000 brackets in a form', `a${'[b]'.repeat(20_000)}=1`),
  get('front pages with an unknown parameter, gzip', (at) => `//?x=${at}`, { headers: GZIP }),
  get('deep pages of the calendar, gzip', (at) => `//events/?page=${1 + (at % 9_000)}`, { headers: GZIP }),
  get('lists of 50 events, gzip', (at) => `/events?per_page=50&page=${1 + (at % 900)}&at=${at}`, {
    headers: GZIP,
  }),

  // reads that take long: made anew for each, or of everything
  get('site maps with an unknown parameter', (at) => `//sitemap-event-1.xml?x=${at}`),
  get('400 whole feeds at a time', () => `/events.ics?${CENTURY}`, { connections: 400 }),
  get('400 single events at a time', (at) => `/events/${(at * 37) % 10_000}`, { connections: 400 }),
  get(
    '400 pages of months at a time',
    (at) => `//events/month/${2000 + (at % 90)}-0${1 + (at % 9)}/?x=${at}`,
    { connections: 400 },
  ),
  {
    name: '500 listeners who resume from an old token',
    connections: 500,
    request: (_at, _token, since) => ({
      method: 'GET',
      path: `/changes?sync_token=${since}`,
      headers: { accept: 'text/event-stream' },
    }),
  },
  get(
    'beginnings of changes, 100 records each',
    (at) => `/changes?per_page=100&kind=event&start_date=2001-01-${1 + (at % 28)}`,
  ),
  get('searches of 18 letters, from a public address', lettersOf, { headers: READER }),
  get('lists of 50, from a public address', (at) => `/events?per_page=50&page=${1 + (at % 900)}&at=${at}`, {
    headers: READER,
  }),
  get('whole feeds, from a public address', (at) => `/events.rss?${CENTURY}&at=${at}`, { headers: READER }),

  // questions that are another one each time, so that no answer to an earlier one helps; and what becomes of others at the same address
  get('searches of 18 letters, in another order each time', lettersOf),
  get('searches of 20 new words', wordsOf),
  get('searches of a new phrase', phraseOf),
  get('searches of a new phrase, from a public address', phraseOf, { headers: PUBLIC }),
  get('months with 5 new words', monthOf),
  get('months with 5 new words, from a public address', monthOf, { headers: PUBLIC }),
  get('venues with 5 new words', (at) => `/venues?search=${parts(5, at)}&at=${at}`),
  get('lists of pictures', (at) => `/media?per_page=50&at=${at}`),
  get('suggestions for a new word', (at) => `/suggest?q=${parts(1, at)}`),
  get('searches of 20 new words, from the private address of the normal client', wordsOf, { shared: {} }),
  get('searches of 20 new words, from the public address of the normal client', wordsOf, { shared: OFFICE }),

  // what somebody does without an account: guesses of credentials, mails to others, events that nobody wants
  people('guesses of own passwords', '/session/cookie', (at) => ({
    ...{ login: `user-${at % 40}`, password: `a guess, number ${at}` },
  })),
  people('challenges of passkeys', '/session/passkey/options', () => ({})),
  people('invitations that nobody made', '/invitations/accept', (at) => ({
    ...{ ticket: String(at).padStart(43, 'x'), password: 'a long password' },
  })),
  people('new passwords for others', '/password-resets', (at) => ({ login: `user-${at % 40}` })),
  people('submissions', '/submissions', (at) => ({
    ...{ title: `Proposal ${at}`, ...DATES, ...PERSON },
    ...{ description: 'Buy this. '.repeat(1_900), venue: `Hall ${at}`, organizer: `Club ${at}` },
  })),

  // what visitors and editors send as forms and files
  {
    name: 'forms whose stamp was used, with a picture of 48 megapixels',
    connections: 8,
    prepare: spentForm,
    request: (_at, _token, _since, form) => ({
      ...{ method: 'POST', path: '//events/submit/', headers: partsOf({}).headers, body: form! },
    }),
  },
  {
    name: 'submissions with proofs, from 65,536 networks',
    connections: 8,
    request: (at, _token, _since, _prepared, root) => proven(root, at),
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
