import { asc, count, eq, sql } from 'drizzle-orm'
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { users, webhooks } from '../../../drizzle/tables.ts'
import {
  type Actor,
  type Details,
  differences,
  loginOf,
  record,
  SERVICE,
} from '../../kernel/access/audit-log.ts'
import type { Changes } from '../../kernel/database/changes.ts'
import { type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Site } from '../../kernel/site.ts'
import { toWall } from '../../kernel/time/dates.ts'
import { openDeliveries } from './deliveries.ts'
import { findWebhook, type Webhook } from './owner.ts'

/** The user who answers for a webhook. */
export type Owner = typeof users.$inferSelect
/** What an administrator sets, and who that is. */
export type WebhookInput = Pick<
  Webhook,
  'owner_id' | 'url' | 'description' | 'kinds' | 'operations' | 'filters' | 'interest' | 'enabled'
>
type Paging = { page: number; per_page: number }

/** How many webhooks there may be. */
export const MOST_WEBHOOKS = 25
/** How long messages are signed with the old secret as well after a rotation, in milliseconds. */
const ROTATION = 86_400_000

const subjectOf = ({ id }: Webhook) => ({ kind: 'webhook', id }) as const
/** The host of its URL, whose path and query may contain a secret. */
const hostOf = ({ url }: Webhook) => new URL(url).host
/** The login of its owner, for the audit log; undefined if it has none who is still there. */
const loginOfOwner = (tx: Queries, { owner_id }: Webhook) =>
  owner_id === null ? undefined : loginOf(tx, owner_id)
/** What the audit log tells of a webhook. */
const toldOf = (tx: Queries, row: Webhook): Details => ({
  ...{ host: hostOf(row), description: row.description, kinds: row.kinds, operations: row.operations },
  ...{ filters: JSON.stringify(row.filters), enabled: row.enabled, owner: loginOfOwner(tx, row) },
})
/** What an update changed of it; undefined if nothing. Of a URL on the same host it is only told that it is another one. */
function changedIn(tx: Queries, before: Webhook, after: Webhook): Details | undefined {
  const told = differences(toldOf(tx, before), toldOf(tx, after))
  const all = { ...told, ...(before.url !== after.url && !told.host && { url: 'changed' }) }
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
    tell?: (tx: Queries, before: Webhook, after: Webhook) => Promise<void>,
  ) =>
    write(async (tx) => {
      const before = await findWebhook(tx, id)
      const [after] = await tx.update(webhooks).set(set).where(eq(webhooks.id, id)).returning()
      await tell?.(tx, before, after!)
      return after!
    })

  return {
    version() {
      follow()
      return version
    },
    /** The owner of a webhook, if it has one who is still there. */
    owner: ({ owner_id }: Pick<Webhook, 'owner_id'>): Owner | undefined =>
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
        await record({ tx, site, by }, 'webhook_added', subjectOf(row!), toldOf(tx, row!))
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
          const told = changedIn(tx, before, after)
          if (told) await record({ tx, site, by }, 'webhook_changed', subjectOf(after), told)
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
          const told = { host: hostOf(after), ...is, ...differences(was, is) }
          await record({ tx, site, by }, 'webhook_secret_replaced', subjectOf(after), told)
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
        await record({ tx, site, by }, 'webhook_removed', subjectOf(row), toldOf(tx, row))
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
