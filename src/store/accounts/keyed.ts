import { createHmac, randomBytes } from 'node:crypto'
import type { Db } from '../sqlite/db.ts'
import { openOnce } from '../sqlite/once.ts'

/** Hashes under a key in the database, for generated secrets, which are too random to be guessed. */
export function openKeyed(db: Db) {
  const key = openOnce(db, 'token_key', () => randomBytes(32).toString('base64'))
  return async (secret: string): Promise<string> =>
    createHmac('sha256', await key())
      .update(secret)
      .digest('base64')
}
export type Keyed = ReturnType<typeof openKeyed>
