import { crc32, deflateSync } from 'node:zlib'

import { ABANDONED } from './abandoned.ts'
import type { Asks, Attack } from './attack.ts'
import { FORMS } from './forms.ts'
import { LEAVING } from './leaving.ts'
import { PARAMETERS } from './parameters.ts'
import { PEOPLE } from './people.ts'
import { PIPELINED } from './pipelined.ts'
import { QUESTIONS } from './questions.ts'
import { READS } from './reads.ts'

const DATES = { start_date: 'tomorrow', end_date: 'tomorrow' }
const MEGABYTE = 2 ** 20
const JSON_TYPE = { 'content-type': 'application/json' }

const body = (name: string, fields: object): Asks => {
  const text = JSON.stringify({ title: 'x', ...DATES, ...fields })
  const sent = { method: 'POST', path: '/events', headers: JSON_TYPE, body: text }
  return { name, connections: 4, request: () => sent }
}
const search = (name: string, words: string): Asks => ({
  name,
  connections: 4,
  // no two the same, so that no answer is kept
  request: (at) => ({ method: 'GET', path: `/events?search=${words.replaceAll(' ', '+')}&at=${at}` }),
})
const flood = (name: string, path: string, headers: Record<string, string> = {}): Asks => ({
  name,
  connections: 32,
  request: (at) => ({ method: 'GET', path: `${path}${at}`, headers }),
})

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

/** What each hostile client does, over and over, on so many connections. */
export const ATTACKS: Attack[] = [
  body('title of 132,000 tags', { title: '<a>'.repeat(132_000) }),
  body('slug of 500,000 combining marks', { slug: '\u0301'.repeat(500_000) }),
  body('100,000 categories', { categories: Array.from({ length: 100_000 }, (_, at) => at + 1) }),
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
  { ...body('events with a password, without credentials', { password: 'x' }), connections: 8 },
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
  flood('wrong tokens', '/events?at=', { authorization: 'Bearer x' }),
  flood('addresses that lead nowhere', '/nowhere-'),
  ...ABANDONED,
  ...LEAVING,
  ...PIPELINED,
  ...PARAMETERS,
  ...READS,
  ...QUESTIONS,
  ...PEOPLE,
  ...FORMS,
]
