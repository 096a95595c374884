import { eq } from 'drizzle-orm'
import { webhooks } from '../../../drizzle/tables.ts'
import { ApiError } from '../../support/errors.ts'
import type { Queries } from '../sqlite/db.ts'

/** A webhook as it is stored. */
export type Webhook = typeof webhooks.$inferSelect

/** Throws `webhook-not-found`. */
export async function findWebhook(db: Queries, id: number): Promise<Webhook> {
  const [row] = await db.select().from(webhooks).where(eq(webhooks.id, id))
  if (!row) throw new ApiError('webhook-not-found', `There is no webhook with ID ${id}.`)
  return row
}
