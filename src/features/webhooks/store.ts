import { and, asc, count, desc, eq, inArray, lt, ne, sql } from 'drizzle-orm'
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { users, webhook_deliveries, webhooks } from '../../../drizzle/tables.ts'
import {
  type Actor,
  type Audited,
  type Details,
  differences,
  loginOf,
  record,
  SERVICE,
} from '../../kernel/access/audit-log.ts'
import { has } from '../../kernel/access/rights.ts'
import type { User } from '../../kernel/access/users.ts'
import type { Changes } from '../../kernel/database/changes.ts'
import { type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Site } from '../../kernel/site.ts'
import { toWall } from '../../kernel/time/dates.ts'
import { WEBHOOKS_RIGHTS } from './rights.ts'

/** A webhook as it is stored. */
export type Webhook = typeof webhooks.$inferSelect

/** Throws `webhook-not-found`. */
async function findWebhook(db: Queries, id: number): Promise<Webhook> {
  const [row] = await db.select().from(webhooks).where(eq(webhooks.id, id))
  if (!row) throw new ApiError('webhook-not-found', `There is no webhook with ID ${id}.`)
  return row
}

const TAKE_OVER = 'An administrator who enables it becomes its owner, and it goes on where it stopped.'

/** Why a webhook tells nothing any more, after a change of its owner; undefined if it goes on. */
function lossOf(owner: User | undefined): string | undefined {
  if (!owner) return `Its owner was removed. ${TAKE_OVER}`
  if (owner.disabled) return `Its owner ${owner.login} was disabled. ${TAKE_OVER}`
  if (owner.limits || !has({ id: owner.id, role: owner.role }, WEBHOOKS_RIGHTS['manage webhooks']))
    return `Its owner ${owner.login} may not manage webhooks any more. ${TAKE_OVER}`
  return undefined
}

/** Whether a webhook sees more than everyone does. */
export const seesAll = ({ filters }: Pick<Webhook, 'filters'>) => filters.status !== undefined

/**
 * Why a webhook may tell nothing; undefined if it may. One from before owners were noted has none, and tells what everyone sees.
 */
export function refusalOf(hook: Pick<Webhook, 'owner_id' | 'filters'>, owner: User | undefined) {
  if (hook.owner_id !== null) return lossOf(owner)
  return seesAll(hook) ? `It has no owner. ${TAKE_OVER}` : undefined
}

/** Notes in the audit log that a webhook was paused. */
const recordPause = (w: Audited, id: number, reason: string) =>
  record(w, 'webhook_disabled', { kind: 'webhook', id }, { reason })

/** Pauses the webhooks of a user who may have none after a change, and says why. */
export async function pauseWebhooks(w: Audited, user: number, after: User | undefined) {
  const disabled_reason = lossOf(after)
  if (disabled_reason === undefined) return
  const paused = await w.tx
    .update(webhooks)
    .set({ enabled: false, disabled_reason })
    .where(and(eq(webhooks.owner_id, user), eq(webhooks.enabled, true)))
    .returning({ id: webhooks.id })
  for (const { id } of paused) await recordPause(w, id, disabled_reason)
}

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
function openDeliveries(db: Db, site: Site, now: (more?: number) => string) {
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
    async save(collect: () => { deliveries: Delivery[]; states: WebhookState[] }) {
      const made = new Map<Delivery, number>()
      await db.write(async (tx) => {
        const { deliveries, states } = collect()
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

/** What an administrator sets, and who that is. */
export type WebhookInput = Pick<
  Webhook,
  'owner_id' | 'url' | 'description' | 'kinds' | 'operations' | 'filters' | 'interest' | 'enabled'
>

/** How many webhooks there may be. */
const MOST_WEBHOOKS = 25
/** How long messages are signed with the old secret as well after a rotation, in milliseconds. */
const ROTATION = 86_400_000

const subjectOf = ({ id }: Webhook) => ({ kind: 'webhook', id }) as const
/** The host of its URL, whose path and query may contain a secret. */
const hostOf = ({ url }: Webhook) => new URL(url).host
/** The login of its owner, for the audit log; undefined if it has none who is still there. */
const loginOfOwner = (tx: Queries, { owner_id }: Webhook) =>
  owner_id === null ? undefined : loginOf(tx, owner_id)
/** What the audit log tells of a webhook. */
const detailsOf = (tx: Queries, row: Webhook): Details => ({
  host: hostOf(row),
  description: row.description,
  kinds: row.kinds,
  operations: row.operations,
  filters: JSON.stringify(row.filters),
  enabled: row.enabled,
  owner: loginOfOwner(tx, row),
})
/** What an update changed of it; undefined if nothing. Of a URL on the same host it is only told that it is another one. */
function changedIn(tx: Queries, before: Webhook, after: Webhook): Details | undefined {
  const details = differences(detailsOf(tx, before), detailsOf(tx, after))
  const all = { ...details, ...(before.url !== after.url && !details.host && { url: 'changed' }) }
  return Object.keys(all).length > 0 ? { host: hostOf(after), ...all } : undefined
}

const ownerOf = prepared((db) =>
  db
    .select()
    .from(users)
    .where(eq(users.id, sql.placeholder('id')))
    .prepare(),
)
/**
 * Webhooks and their deliveries. `version` grows with each write of an administrator, of another node, and with each change of a user,
 * who may own some.
 */
export function openWebhooks(db: Db, changes: Changes, site: Site) {
  let version = 0
  let seen = changes.latest().seq
  function follow() {
    const { seq } = changes.latest()
    if (seq === seen) return
    if (!changes.reaches(seen) || changes.rows(seen, seq, ['user'], 1).length > 0) version++
    seen = seq
  }
  db.onApplied(['webhooks', 'webhook_deliveries'], () => void version++)
  const now = (more = 0) => toWall(site.clock() + more, 'UTC')
  /** A write of an administrator. */
  const write = async <T>(work: (tx: Queries) => Promise<T>): Promise<T> => {
    const done = await db.write(work)
    version++
    return done
  }
  const update = (
    id: number,
    set: SQLiteUpdateSetSource<typeof webhooks>,
    audit?: (tx: Queries, before: Webhook, after: Webhook) => Promise<void>,
  ) =>
    write(async (tx) => {
      const before = await findWebhook(tx, id)
      const [after] = await tx.update(webhooks).set(set).where(eq(webhooks.id, id)).returning()
      await audit?.(tx, before, after!)
      return after!
    })

  return {
    version() {
      follow()
      return version
    },
    /** The owner of a webhook, if it has one who is still there. */
    owner: ({ owner_id }: Pick<Webhook, 'owner_id'>): User | undefined =>
      owner_id === null ? undefined : ownerOf(db.read).get({ id: owner_id }),
    all: (): Promise<Webhook[]> => db.read.select().from(webhooks).orderBy(asc(webhooks.id)).execute(),
    async count(): Promise<number> {
      return (await db.read.select({ total: count() }).from(webhooks))[0]!.total
    },
    list: ({ page, per_page }: Paging): Promise<Webhook[]> =>
      db.read
        .select()
        .from(webhooks)
        .orderBy(asc(webhooks.id))
        .limit(per_page)
        .offset((page - 1) * per_page)
        .execute(),
    /** Throws `webhook-not-found`. */
    read: (id: number) => findWebhook(db.read, id),
    /** Adds a webhook, which is told of all changes from now on. Throws 400 if there are too many. */
    add: (input: WebhookInput, secret: string, by: Actor = SERVICE): Promise<Webhook> =>
      write(async (tx) => {
        const [{ total }] = (await tx.select({ total: count() }).from(webhooks)) as [{ total: number }]
        if (total >= MOST_WEBHOOKS)
          throw new ApiError(
            'too-many-webhooks',
            `There are ${total} webhooks, which is the limit; delete one first.`,
          )
        const own = { ...input, secret, position: changes.latest().seq, created_utc: now() }
        const [row] = await tx.insert(webhooks).values(own).returning()
        await record({ tx, site, by }, 'webhook_added', subjectOf(row!), detailsOf(tx, row!))
        return row!
      }),
    /** Changes what is given. One that is enabled again starts without its failures. */
    update: (id: number, input: Partial<WebhookInput>, by: Actor = SERVICE): Promise<Webhook> =>
      update(
        id,
        {
          ...input,
          ...(input.enabled !== undefined && { disabled_reason: null, failing_since_utc: null }),
        },
        async (tx, before, after) => {
          const details = changedIn(tx, before, after)
          if (details) await record({ tx, site, by }, 'webhook_changed', subjectOf(after), details)
        },
      ),
    /** Sets a new secret; the old one is used beside it for a day. */
    rotate: (id: number, secret: string, owner_id: number, by: Actor = SERVICE): Promise<Webhook> =>
      update(
        id,
        {
          owner_id,
          secret,
          previous_secret: sql`${webhooks.secret}`,
          previous_until_utc: now(ROTATION),
        },
        async (tx, before, after) => {
          const [was, is] = [{ owner: loginOfOwner(tx, before) }, { owner: loginOfOwner(tx, after) }]
          const details = { host: hostOf(after), ...is, ...differences(was, is) }
          await record({ tx, site, by }, 'webhook_secret_replaced', subjectOf(after), details)
        },
      ),
    /** Goes back to a change of the log, never forward. */
    rewind: (id: number, seq: number): Promise<Webhook> =>
      update(id, { position: sql`min(${webhooks.position}, ${seq})` }),
    /** Deletes a webhook with its deliveries, and returns it. */
    remove: (id: number, by: Actor = SERVICE): Promise<Webhook> =>
      write(async (tx) => {
        const row = await findWebhook(tx, id)
        await tx.delete(webhooks).where(eq(webhooks.id, id))
        await record({ tx, site, by }, 'webhook_removed', subjectOf(row), detailsOf(tx, row))
        return row
      }),
    /** The last change that every enabled webhook was told of; undefined if there is none. Later ones must stay in the log. */
    floor(): number | undefined {
      const [[position]] = db.rows<[number | null]>('select min(position) from webhooks where enabled') as [
        [number | null],
      ]
      return position ?? undefined
    },
    /** The first and the last change in the log. */
    log(): { first: number; last: number } {
      const [[first]] = db.rows<[number]>('select coalesce(min(seq), 1) from changes') as [[number]]
      return { first, last: changes.latest().seq }
    },
    /** The last change before a time, a wall clock of UTC; the one before the first of the log if there is none. */
    before(at_utc: string): number {
      const [row] = db.rows<[number]>(
        'select seq from changes where at_utc < ? order by seq desc limit 1',
        at_utc,
      )
      return row?.[0] ?? 0
    },
    deliveries: openDeliveries(db, site, now),
  }
}
export type Webhooks = ReturnType<typeof openWebhooks>
