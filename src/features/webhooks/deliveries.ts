import { and, asc, count, desc, eq, inArray, lt, ne, sql } from 'drizzle-orm'
import { webhook_deliveries, webhooks } from '../../../drizzle/tables.ts'
import { SERVICE } from '../../kernel/access/audit-log.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Site } from '../../kernel/site.ts'
import { findWebhook, recordPause, type Webhook } from './owner.ts'

/** What the service notes of a webhook while it tells it of changes. */
export type WebhookState = Pick<
  Webhook,
  'id' | 'position' | 'last_success_utc' | 'tried_utc' | 'failing_since_utc' | 'gap_utc'
> & {
  disabled_reason?: string
  /** The position as it was stored. If it is another one now, another node went back, and that holds. */
  was: number
}
/** A message; without an ID until it is stored. */
export type Delivery = Omit<typeof webhook_deliveries.$inferSelect, 'id'> & { id?: number }
export type DeliveryRow = typeof webhook_deliveries.$inferSelect
type Paging = { page: number; per_page: number }

/** How many finished deliveries of a webhook are kept, and for how many milliseconds. */
const MOST_FINISHED = 1_000
const KEPT = 30 * 86_400_000

/** The messages to webhooks. */
export function openDeliveries(db: Db, site: Site, now: (more?: number) => string) {
  const of = (hook: number, statuses?: Delivery['status'][]) =>
    and(eq(webhook_deliveries.webhook_id, hook), statuses && inArray(webhook_deliveries.status, statuses))

  /** Deletes finished deliveries that are too old or too many. */
  async function prune(tx: Queries, hook: number) {
    const finished = and(of(hook), ne(webhook_deliveries.status, 'waiting'))
    const [last] = await tx
      .select({ id: webhook_deliveries.id })
      .from(webhook_deliveries)
      .where(finished)
      .orderBy(desc(webhook_deliveries.id))
      .limit(1)
      .offset(MOST_FINISHED)
    if (last)
      await tx.delete(webhook_deliveries).where(and(finished, sql`${webhook_deliveries.id} <= ${last.id}`))
    await tx.delete(webhook_deliveries).where(and(finished, lt(webhook_deliveries.created_utc, now(-KEPT))))
  }

  return {
    /** A page of the deliveries of a webhook with one of these statuses, the latest first, and how many there are. */
    async list(hook: number, { page, per_page }: Paging, statuses?: Delivery['status'][]) {
      await findWebhook(db.read, hook)
      const where = of(hook, statuses)
      const rows = await db.read
        .select()
        .from(webhook_deliveries)
        .where(where)
        .orderBy(desc(webhook_deliveries.id))
        .limit(per_page)
        .offset((page - 1) * per_page)
      const [all] = await db.read.select({ total: count() }).from(webhook_deliveries).where(where)
      return { rows, total: all!.total }
    },
    /** Throws `webhook-not-found` or `webhook-delivery-not-found`. */
    async read(hook: number, id: number): Promise<DeliveryRow> {
      await findWebhook(db.read, hook)
      const [row] = await db.read
        .select()
        .from(webhook_deliveries)
        .where(and(of(hook), eq(webhook_deliveries.id, id)))
      if (row) return row
      throw new ApiError('webhook-delivery-not-found', `Webhook ${hook} has no delivery with ID ${id}.`)
    },
    /** Stores a delivery that is to be tried at a time, or that time for the one that waits for the same record. */
    async ask(delivery: Delivery): Promise<number> {
      const { webhook_id, kind, record_id, next_utc } = delivery
      return db.write(async (tx) => {
        await findWebhook(tx, webhook_id)
        const same = and(
          of(webhook_id, ['waiting']),
          eq(webhook_deliveries.kind, kind),
          eq(webhook_deliveries.record_id, record_id),
        )
        const { id } = webhook_deliveries
        const [known] =
          kind === 'ping'
            ? []
            : await tx.update(webhook_deliveries).set({ next_utc }).where(same).returning({ id })
        return (known ?? (await tx.insert(webhook_deliveries).values(delivery).returning({ id }))[0]!).id
      })
    },
    /** The messages that wait for another try, in their order. */
    waiting: (hook: number): Promise<DeliveryRow[]> =>
      db.read
        .select()
        .from(webhook_deliveries)
        .where(of(hook, ['waiting']))
        .orderBy(asc(webhook_deliveries.seq), asc(webhook_deliveries.id))
        .execute(),
    /**
     * Stores deliveries, which get their IDs, and the states of webhooks, in one transaction; `take` gives both at its begin. What
     * belongs to a webhook that was deleted meanwhile is left out.
     */
    async save(take: () => { deliveries: Delivery[]; states: WebhookState[] }) {
      const made = new Map<Delivery, number>()
      await db.write(async (tx) => {
        const { deliveries, states } = take()
        const hooks = await tx.select({ id: webhooks.id, enabled: webhooks.enabled }).from(webhooks)
        for (const { id, disabled_reason, was, position, ...state } of states) {
          await tx
            .update(webhooks)
            .set({
              ...state,
              position: sql`case when ${webhooks.position} = ${was} then ${position} else ${webhooks.position} end`,
              ...(disabled_reason !== undefined && { disabled_reason, enabled: false }),
            })
            .where(eq(webhooks.id, id))
          if (disabled_reason !== undefined && hooks.some((row) => row.id === id && row.enabled))
            await recordPause({ tx, site, by: SERVICE }, id, disabled_reason)
        }
        for (const delivery of deliveries) {
          const { id, ...row } = delivery
          if (!hooks.some(({ id }) => id === row.webhook_id)) continue
          if (id !== undefined)
            await tx.update(webhook_deliveries).set(row).where(eq(webhook_deliveries.id, id))
          else {
            const { id } = webhook_deliveries
            made.set(delivery, (await tx.insert(webhook_deliveries).values(row).returning({ id }))[0]!.id)
          }
        }
        for (const hook of new Set(deliveries.map(({ webhook_id }) => webhook_id))) await prune(tx, hook)
      })
      for (const [delivery, id] of made) delivery.id = id
    },
  }
}
