import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

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
