import { createHmac, randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { settings } from '../../../drizzle/tables.ts'
import type { Db } from '../sqlite/db.ts'

/** Hashes under a key in the database, for generated secrets, which are too random to be guessed. */
export function openKeyed(db: Db) {
  const stored = async () =>
    (await db.read.select().from(settings).where(eq(settings.name, 'token_key')))[0]?.value
  /** Created at first use, then kept. */
  let known: string | undefined
  async function key(): Promise<string> {
    known ??= await stored()
    if (known !== undefined) return known
    await db.write(async (tx) => {
      await tx
        .insert(settings)
        .values({ name: 'token_key', value: randomBytes(32).toString('base64') })
        .onConflictDoNothing()
    })
    return (await stored())!
  }
  return async (secret: string): Promise<string> =>
    createHmac('sha256', await key())
      .update(secret)
      .digest('base64')
}
export type Keyed = ReturnType<typeof openKeyed>
