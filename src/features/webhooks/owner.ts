import { and, eq } from 'drizzle-orm'
import { webhooks } from '../../../drizzle/tables.ts'
import { type Audited, record } from '../../kernel/access/audit-log.ts'
import { has } from '../../kernel/access/roles.ts'
import type { Queries } from '../../kernel/database/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Owner } from './store.ts'

/** A webhook as it is stored. */
export type Webhook = typeof webhooks.$inferSelect

/** Throws `webhook-not-found`. */
export async function findWebhook(db: Queries, id: number): Promise<Webhook> {
  const [row] = await db.select().from(webhooks).where(eq(webhooks.id, id))
  if (!row) throw new ApiError('webhook-not-found', `There is no webhook with ID ${id}.`)
  return row
}

const TAKE_OVER = 'An administrator who enables it becomes its owner, and it goes on where it stopped.'

/** Why a webhook tells nothing any more, after a change of its owner; undefined if it goes on. */
function lossOf(owner: Owner | undefined): string | undefined {
  if (!owner) return `Its owner was removed. ${TAKE_OVER}`
  if (owner.disabled) return `Its owner ${owner.login} was disabled. ${TAKE_OVER}`
  if (owner.limits || !has({ id: owner.id, role: owner.role }, 'manage webhooks'))
    return `Its owner ${owner.login} may not manage webhooks any more. ${TAKE_OVER}`
  return undefined
}

/** Whether a webhook sees more than everyone does. */
export const seesAll = ({ filters }: Pick<Webhook, 'filters'>) => filters.status !== undefined

/**
 * Why a webhook may tell nothing; undefined if it may. One from before owners were noted has none, and tells what everyone sees.
 */
export function refusalToTell(hook: Pick<Webhook, 'owner_id' | 'filters'>, owner: Owner | undefined) {
  if (hook.owner_id !== null) return lossOf(owner)
  return seesAll(hook) ? `It has no owner. ${TAKE_OVER}` : undefined
}

/** Notes in the audit log that a webhook was paused. */
export const recordPause = (w: Audited, id: number, reason: string) =>
  record(w, 'webhook_disabled', { kind: 'webhook', id }, { reason })

/** Pauses the webhooks of a user who may have none after a change, and says why. */
export async function pauseWebhooks(w: Audited, user: number, after: Owner | undefined) {
  const disabled_reason = lossOf(after)
  if (disabled_reason === undefined) return
  const paused = await w.tx
    .update(webhooks)
    .set({ enabled: false, disabled_reason })
    .where(and(eq(webhooks.owner_id, user), eq(webhooks.enabled, true)))
    .returning({ id: webhooks.id })
  for (const { id } of paused) await recordPause(w, id, disabled_reason)
}
