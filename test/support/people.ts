import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { mails } from '../../drizzle/tables.ts'
import type { App } from '../../src/app.ts'
import type { Role } from '../../src/kernel/access/rights.ts'
import { must } from './answers.ts'
import { type Api, basicAuth } from './app.ts'
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
  const authorization = basicAuth(login, password)
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

type Cbor = number | string | Uint8Array | Map<Cbor, Cbor>

/** CBOR of what authenticators send: integers, texts, bytes and maps (RFC 8949). */
function encode(value: Cbor): Buffer {
  const head = (major: number, length: number) =>
    length < 24
      ? Buffer.of((major << 5) | length)
      : length < 256
        ? Buffer.of((major << 5) | 24, length)
        : Buffer.of((major << 5) | 25, length >> 8, length & 255)
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flat().map(encode)])
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const base64url = (data: string | Buffer) => Buffer.from(data).toString('base64url')

/** What may differ from what a good authenticator and browser say. */
type Changes = {
  origin?: string
  host?: string
  type?: string
  verified?: boolean
  present?: boolean
  counter?: number
  synced?: boolean
  handle?: string
  key?: KeyObject
  format?: string
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const MAY_BE_COPIED = 0x08
const IS_COPIED = 0x10
const HAS_CREDENTIAL = 0x40

/** An authenticator in software, with one key, behind a browser at a page of `origin`. */
export function openAuthenticator(origin = 'http://calendar.test') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const { x, y } = publicKey.export({ format: 'jwk' })
  const cose = encode(
    new Map<Cbor, Cbor>([
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as [Cbor, Cbor][]),
      [-2, Buffer.from(x!, 'base64url')],
      [-3, Buffer.from(y!, 'base64url')],
    ]),
  )
  let handle = ''
  let counter = 0

  const clientData = (type: string, challenge: string, of: Changes) =>
    JSON.stringify({ type: of.type ?? type, challenge, origin: of.origin ?? origin, crossOrigin: false })
  /** The data of the authenticator (WebAuthn §6.1), with the credential if it is new. */
  function data(of: Changes, isNew: boolean): Buffer {
    const { verified = true, present = true, synced = false } = of
    const flags =
      (present ? USER_PRESENT : 0) |
      (verified ? USER_VERIFIED : 0) |
      (synced ? MAY_BE_COPIED | IS_COPIED : 0) |
      (isNew ? HAS_CREDENTIAL : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(of.counter ?? counter)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const credential = isNew ? [Buffer.alloc(16), length, id, cose] : []
    const host = of.host ?? new URL(origin).hostname
    return Buffer.concat([sha256(host), Buffer.of(flags), count, ...credential])
  }

  return {
    id: base64url(id),
    /** Makes its credential, as for `navigator.credentials.create`. Its maker attests to nothing. */
    make(options: { challenge: string; user: { id: string } }, of: Changes = {}) {
      handle = options.user.id
      const attestation = new Map<Cbor, Cbor>([
        ['fmt', of.format ?? 'none'],
        ['attStmt', new Map()],
        ['authData', data(of, true)],
      ])
      return {
        client_data: base64url(clientData('webauthn.create', options.challenge, of)),
        attestation: base64url(encode(attestation)),
      }
    },
    /** Signs, as for `navigator.credentials.get`. Its counter grows. */
    sign({ challenge }: { challenge: string }, of: Changes = {}) {
      counter++
      const client = Buffer.from(clientData('webauthn.get', challenge, of))
      const authenticator = data(of, false)
      const signed = Buffer.concat([authenticator, sha256(client)])
      return {
        id: base64url(id),
        client_data: base64url(client),
        authenticator_data: base64url(authenticator),
        signature: base64url(sign('sha256', signed, of.key ?? privateKey)),
        user_handle: of.handle ?? handle,
      }
    },
  }
}
