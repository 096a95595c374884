import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Caller, Limits } from '../../kernel/access/rights.ts'
import type { Keyed } from '../../kernel/access/tokens.ts'
import type { Changes } from '../../kernel/database/changes.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Cursor, Interest } from './sources.ts'

/** The form of a token is its first character: sealed ones are made, and signed ones of earlier versions are read. */
const SEALED = 'b'
const SIGNED = 'a'
/** Characters of the signature: 132 bits. */
const SIGNATURE = 22

const CIPHER = 'aes-256-gcm'
/** Each token has a key of its own, so the cipher needs no other nonce. */
const NONCE = Buffer.alloc(12)
/** Bytes that choose the key of a token, and bytes that tell whether it was changed. */
const SALT = 16
const TAG = 12
/** Characters of the number of a row and of its digest, so that the length of a token says nothing about them. */
const NUMBER = 12
const DIGEST = 6

/** The user and role for which a token was made, and the limits as they were; empty for anonymous callers. */
const holderOf = (caller: Caller) =>
  caller ? `${caller.id} ${caller.role}${caller.limits ? ` ${digestOf(caller.limits)}` : ''}` : ''

const digestOf = (limits: Limits) =>
  createHash('sha256').update(JSON.stringify(limits)).digest('base64url').slice(0, SIGNATURE)

const expired = (why: string) =>
  new ApiError('sync-token-expired', `${why} Begin anew without \`sync_token\`.`)
const foreign = () =>
  new ApiError(
    'sync-token-invalid',
    'This sync token was not made by this calendar, or was cut off; send `next_sync_token` as it was received, or begin anew without `sync_token`.',
  )

/** What a token continues. */
export type Resumed = { interest: Interest; cursor: Cursor }
/** A token that was made here, and is the caller's own. */
type OpenToken = {
  /** The row of the log at which it was made. */
  at: number
  /** What it continues. Throws `sync-token-expired` if the history is another one. */
  resume(): Resumed
}

/** What a token holds, as JSON. */
type Parts = [at: number | string, digest: string, holder: string, interest: Interest, rest?: Cursor['rest']]

/**
 * Sync tokens: a cursor and an interest as a text that clients can keep, but neither read nor change. Two tokens of one place differ, so that
 * nobody sees from them whether something was written. A token is for one caller, and knows the row of the log at which it was made, so
 * that it is refused after an older backup was restored.
 */
export function openSyncTokens(changes: Changes, keyed: Keyed) {
  const keyOf = async (salt: Buffer) =>
    Buffer.from(await keyed(`sealed sync token ${salt.toString('base64')}`), 'base64')

  async function seal(text: string): Promise<string> {
    const salt = randomBytes(SALT)
    const cipher = createCipheriv(CIPHER, await keyOf(salt), NONCE, { authTagLength: TAG })
    const sealed = [salt, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
    return SEALED + Buffer.concat(sealed).toString('base64url')
  }

  /** The text of a token; undefined if it was not sealed here. */
  async function unseal(token: string): Promise<string | undefined> {
    const bytes = Buffer.from(token.slice(1), 'base64url')
    // the same bytes have one spelling
    if (bytes.length < SALT + TAG || bytes.toString('base64url') !== token.slice(1)) return undefined
    const key = await keyOf(bytes.subarray(0, SALT))
    const decipher = createDecipheriv(CIPHER, key, NONCE, { authTagLength: TAG })
    decipher.setAuthTag(bytes.subarray(-TAG))
    const text = decipher.update(bytes.subarray(SALT, -TAG))
    try {
      return Buffer.concat([text, decipher.final()]).toString()
    } catch {
      return undefined
    }
  }

  /** The text of a token of an earlier version; undefined if it was not signed here. */
  async function verify(token: string): Promise<string | undefined> {
    const text = token.slice(0, -SIGNATURE)
    const signature = (await keyed(`sync token ${text}`)).replaceAll('+', '-').replaceAll('/', '_')
    const [given, right] = [token.slice(-SIGNATURE), signature.slice(0, SIGNATURE)].map((part) =>
      Buffer.from(part),
    )
    if (given!.length !== right!.length || !timingSafeEqual(given!, right!)) return undefined
    return Buffer.from(text.slice(1), 'base64url').toString()
  }

  return {
    /** The token that continues at a cursor. */
    write(interest: Interest, { at, rest }: Cursor, caller: Caller): Promise<string> {
      const digest = (changes.digest(at) ?? '').padEnd(DIGEST)
      const own: Parts = [String(at).padStart(NUMBER), digest, holderOf(caller), interest]
      return seal(JSON.stringify(rest ? [...own, rest] : own))
    },
    /** Opens a token of this caller. Throws `sync-token-invalid` if it was not made here, and `sync-token-expired` if the caller is another one. */
    async open(token: string, caller: Caller): Promise<OpenToken> {
      const text = await (token.startsWith(SIGNED) ? verify(token) : unseal(token))
      if (text === undefined || !(token.startsWith(SIGNED) || token.startsWith(SEALED))) throw foreign()
      const [row, written, holder, interest, rest] = JSON.parse(text) as Parts
      const at = Number(row)
      if (holder !== holderOf(caller))
        throw expired('This sync token belongs to another caller or role, or to other limits of rights.')
      return {
        at,
        resume() {
          const known = changes.digest(at)
          if (!changes.reaches(at) || (known !== undefined && known !== written.trim()))
            throw expired('What changed since this sync token is no longer known.')
          return { interest, cursor: rest ? { at, rest } : { at } }
        },
      }
    },
  }
}
