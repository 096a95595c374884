import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../errors.ts'
import type { Caller } from '../../rules/roles.ts'
import type { Keyed } from '../records/keyed.ts'
import type { Changes } from '../sqlite/changes.ts'
import type { Cursor, Interest } from './interest.ts'

/** The version of the form of tokens, as their first character. */
const VERSION = 'a'
/** Characters of the signature: 132 bits. */
const SIGNATURE = 22

/** The user and role for which a token was made; empty for anonymous callers. */
const holderOf = (caller: Caller) => (caller ? `${caller.id} ${caller.role}` : '')

const expired = (why: string) =>
  new ApiError('sync-token-expired', `${why} Begin anew without \`sync_token\`.`)

/**
 * Sync tokens: a cursor and an interest as a text that clients can keep but not change. A token is for one caller, and knows the row of the
 * log at which it was made, so that it is refused after an older backup was restored.
 */
export function openSyncTokens(changes: Changes, keyed: Keyed) {
  const sign = async (text: string) =>
    (await keyed(`sync token ${text}`)).replaceAll('+', '-').replaceAll('/', '_').slice(0, SIGNATURE)

  return {
    /** The token that continues at a cursor. */
    async write(interest: Interest, cursor: Cursor, caller: Caller): Promise<string> {
      const { at, rest } = cursor
      const parts = [at, changes.mark(at) ?? '', holderOf(caller), interest, ...(rest ? [rest] : [])]
      const text = VERSION + Buffer.from(JSON.stringify(parts)).toString('base64url')
      return text + (await sign(text))
    },
    /**
     * What a token of this caller continues. Throws `sync-token-invalid` if it was not made here, and `sync-token-expired` if the caller or
     * the history is another one.
     */
    async read(token: string, caller: Caller): Promise<{ interest: Interest; cursor: Cursor }> {
      const text = token.slice(0, -SIGNATURE)
      const [given, right] = [token.slice(-SIGNATURE), await sign(text)].map((part) => Buffer.from(part))
      if (given!.length !== right!.length || !timingSafeEqual(given!, right!))
        throw new ApiError(
          'sync-token-invalid',
          'This sync token was not made by this calendar, or was cut off; send `next_sync_token` as it was received, or begin anew without `sync_token`.',
        )
      const parts = JSON.parse(Buffer.from(text.slice(1), 'base64url').toString())
      const [at, mark, holder, interest, rest]: [number, string, string, Interest, Cursor['rest']] = parts
      if (holder !== holderOf(caller)) throw expired('This sync token belongs to another caller or role.')
      const known = changes.mark(at)
      if (!changes.reaches(at) || (known !== undefined && known !== mark))
        throw expired('What changed since this sync token is no longer known.')
      return { interest, cursor: rest ? { at, rest } : { at } }
    },
  }
}
export type SyncTokens = ReturnType<typeof openSyncTokens>
