import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { verifyPassword } from '../../kernel/access/secrets.ts'
import { openSemaphore } from '../../kernel/tasks/semaphore.ts'
import type { View } from '../store.ts'

/** Greatest number of protected events in a response for which the password is checked, as in the description of the parameter. */
const MOST_TRIED = 5
/** Checks event passwords of visitors for one service, one at a time, and caches verified ones. */
export function openEventPasswords() {
  /** One password is hashed at a time, so that threads stay free for logins and files; a few may wait for about a second. */
  const inTurn = openSemaphore(1, 30)
  /** Verified pairs of hash and password as keyed digests, so that they need no hashing again. */
  const opened = new LRUCache<string, true>({ max: 1_000 })
  const secret = randomBytes(32)
  const pair = (password: string, hash: string) =>
    createHmac('sha256', secret).update(hash).update(password).digest('base64')

  /**
   * Returns what a password unlocks that came with a request, for one response. Wrong attempts count once a request, for its address. Throws
   * `rest_rate_limited` after too many failures, and `rest_overloaded` if too many are checked at the same time.
   */
  return (request: FastifyRequest, password: string): NonNullable<View['opens']> => {
    const { eventPasswords } = request.server.guesses
    let tried = 0
    let failed = false

    async function attempt(hash: string, key: string): Promise<boolean> {
      await eventPasswords.check(request)
      if (await verifyPassword(password, hash)) {
        opened.set(key, true)
        return true
      }
      if (!failed) await eventPasswords.fail(request) // if this was the last allowed failure, the next request is refused
      failed = true
      return false
    }

    return async (hash) => {
      const key = pair(password, hash)
      if (opened.has(key)) return true
      if (tried === MOST_TRIED) return false
      tried++
      return inTurn(() => attempt(hash, key))
    }
  }
}
