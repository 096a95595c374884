import { eq } from 'drizzle-orm'
import { settings } from '../../../drizzle/tables.ts'
import type { Db } from './db.ts'

/** A value that is made when it is first needed, and that the database keeps from then on, under this name. */
export function openOnce(db: Db, name: string, make: () => string) {
  const stored = async () => (await db.read.select().from(settings).where(eq(settings.name, name)))[0]?.value
  let known: string | undefined
  return async (): Promise<string> => {
    known ??= await stored()
    if (known !== undefined) return known
    await db.write(async (tx) => {
      await tx.insert(settings).values({ name, value: make() }).onConflictDoNothing()
    })
    return (await stored())!
  }
}
