import { and, asc, count, desc, eq, inArray, isNotNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { type DigestChoice, digests } from '../../../drizzle/tables.ts'
import { type Actor, record } from '../../kernel/access/audit-log.ts'
import { type Counted, mailboxOf, openQuotas } from '../../kernel/access/quotas.ts'
import { type Keyed, readSigned, signText } from '../../kernel/access/tokens.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Mail } from '../../kernel/outbound/mail.ts'
import type { Mails } from '../../kernel/outbound/mailing.ts'
import type { Site } from '../../kernel/site.ts'
import type { EventBus } from '../../kernel/store.ts'
import { toEpoch, toWall } from '../../kernel/time/dates.ts'

export type Digest = typeof digests.$inferSelect

/** Days for which a link to confirm works. */
export const DAYS = 3
const DAY = 86_400_000
const HOUR = 3_600_000
/** Milliseconds after which an event is told of, so that a slip can be mended before. */
export const SETTLES = 10 * 60_000
/** Mails one after the other that no server takes, after which an address is deleted. */
const FAILURES = 3
/** Rows that are deleted in one transaction. */
const BATCH = 1_000
/** Mails with links to one mailbox, as whoever fills in the form may name anybody. */
const MAILED = { hour: 3, day: 6 }

const topicOf = (id: number) => `digest ${id}`
const isConfirmed = isNotNull(digests.confirmed_utc)

type Paging = {
  page: number
  per_page: number
  search?: string | undefined
  every?: Digest['every'] | undefined
}
type Parts = { db: Db; site: Site; keyed: Keyed; mails: Mails; domainEvents: Pick<EventBus, 'on'> }

/** Addresses to which new events are sent, what each wants, and until when it was told. */
export function openDigests({ db, site, keyed, mails, domainEvents }: Parts) {
  const quotas = openQuotas(keyed, site)
  const now = () => toWall(site.clock(), 'UTC')
  const byId = async (tx: Queries, id: number): Promise<Digest | undefined> =>
    (await tx.select().from(digests).where(eq(digests.id, id)))[0]

  /** Deletes addresses with their mails that wait: nothing of them stays. */
  async function erase(tx: Queries, ids: number[]) {
    for (const id of ids) await mails.withdraw(tx, topicOf(id))
    await tx.delete(digests).where(inArray(digests.id, ids))
  }
  const linkOf = ({ id, expires_utc }: Pick<Digest, 'id' | 'expires_utc'>) =>
    signText(keyed, 'digest link', `${id}.${toEpoch(expires_utc!, 'UTC').toString(36)}`)

  /** The address that a link to confirm belongs to; undefined if it has ended, was used, or another one was sent since. */
  async function byLink(tx: Queries, link: string) {
    const [id, expires] = (await readSigned(keyed, 'digest link', link))?.split('.') ?? []
    const row = id === undefined ? undefined : await byId(tx, Number(id))
    const isCurrent = row?.expires_utc != null && toEpoch(row.expires_utc, 'UTC').toString(36) === expires
    return isCurrent && row.expires_utc! > now() ? { ...row, proposed: row.proposed! } : undefined
  }
  /** The ID that a key is of, which never ends: links of old mails have it. */
  async function idOf(key: string): Promise<number | undefined> {
    const id = await readSigned(keyed, 'digest key', key)
    return id === undefined ? undefined : Number(id)
  }

  domainEvents.on('mail.done', async ({ tx, topic, isSent }) => {
    const [kind, id] = topic.split(' ')
    const row = kind === 'digest' ? await byId(tx, Number(id)) : undefined
    if (!row) return
    const failures = isSent ? 0 : row.failures + 1
    if (failures === row.failures) return
    if (failures >= FAILURES) await erase(tx, [row.id])
    else await tx.update(digests).set({ failures }).where(eq(digests.id, row.id))
  })

  /** Links that have ended: their addresses, unless confirmed before, go with them. */
  const ended = (tx: Queries) =>
    tx
      .select({ id: digests.id, confirmed_utc: digests.confirmed_utc })
      .from(digests)
      .where(lte(digests.expires_utc, now()))
      .limit(BATCH)

  return {
    /** The key of an address, with which its choice is changed or ended. */
    keyOf: (id: number) => signText(keyed, 'digest key', String(id)),
    byLink: (link: string) => byLink(db.read, link),
    /** The confirmed address of a key, which has none if it was deleted; undefined for what is no key. */
    async byKey(key: string): Promise<{ digest: Digest | undefined } | undefined> {
      const id = await idOf(key)
      if (id === undefined) return undefined
      const row = await byId(db.read, id)
      return { digest: row?.confirmed_utc ? row : undefined }
    },
    /**
     * Takes a choice for an address, which counts once it is confirmed by the link in a mail. Returns the seconds until a client may send
     * another one, if it has sent too many, and then nothing is done. Nothing tells whether the address is known, or whether a mail is sent.
     */
    async propose(
      email: string,
      choice: DigestChoice,
      counted: Counted[],
      mailOf: (link: string) => Promise<Mail>,
    ): Promise<number> {
      await keyed('') // the key of the calendar is made outside of a transaction
      return db.write(async (tx) => {
        const wait = await quotas.wait(tx, counted)
        if (wait > 0) return wait
        const toMailbox = { what: `digests to ${mailboxOf(email)}`, quota: MAILED }
        const mayMail = (await quotas.wait(tx, [toMailbox])) === 0
        await quotas.add(tx, mayMail ? [...counted, toMailbox] : counted, site.clock())
        if (!mayMail) return 0
        const waits = { proposed: choice, expires_utc: toWall(site.clock() + DAYS * DAY, 'UTC') }
        const [row] = await tx
          .insert(digests)
          .values({
            ...{
              email,
              folded: email.toLowerCase(),
              confirmed_utc: null,
              created_utc: now(),
              told_utc: now(),
            },
            ...{ ...choice, ...waits },
          })
          .onConflictDoUpdate({ target: digests.folded, set: waits })
          .returning()
        await mails.add(tx, { ...(await mailOf(await linkOf(row!))), topic: topicOf(row!.id) })
        return 0
      })
    },
    /** Makes what was chosen last hold. Returns the ID of the address; undefined if the link has ended. */
    confirm: (link: string): Promise<number | undefined> =>
      db.write(async (tx) => {
        const row = await byLink(tx, link)
        if (!row) return undefined
        const first = row.confirmed_utc === null && { confirmed_utc: now(), told_utc: now() }
        await tx
          .update(digests)
          .set({ ...row.proposed, ...first, proposed: null, expires_utc: null })
          .where(eq(digests.id, row.id))
        return row.id
      }),
    /** Changes what comes to an address, by its ID. */
    change: (id: number, choice: DigestChoice): Promise<void> =>
      db.write(async (tx) => void (await tx.update(digests).set(choice).where(eq(digests.id, id)))),
    /** Ends what a key is of, also a second time. Returns whether it is a key. */
    async end(key: string): Promise<boolean> {
      const id = await idOf(key)
      if (id !== undefined) await db.write((tx) => erase(tx, [id]))
      return id !== undefined
    },
    /** Deletes an address for an administrator, and returns it. The audit log has no address. Throws 404. */
    remove: (id: number, by: Actor): Promise<Digest> =>
      db.write(async (tx) => {
        const row = await byId(tx, id)
        if (!row) throw new ApiError('digest-not-found', `There is no subscription with ID ${id}.`)
        await erase(tx, [id])
        await record({ tx, site, by }, 'record_deleted', undefined, { digest: id })
        return row
      }),
    /** A page of addresses, the latest first, and how many there are. */
    async list({ page, per_page, search, every }: Paging) {
      const where: SQL | undefined = and(
        every && eq(digests.every, every),
        search ? sql`instr(${digests.folded}, ${search.toLowerCase()}) > 0` : undefined,
      )
      const rows: Digest[] = await db.read
        .select()
        .from(digests)
        .where(where)
        .orderBy(desc(digests.id))
        .limit(per_page)
        .offset((page - 1) * per_page)
      const [all] = await db.read.select({ total: count() }).from(digests).where(where)
      return { rows, total: all!.total }
    },
    /** Deletes addresses that nobody confirmed, and choices, once their link has ended. Returns whether there may be more. */
    async forget(): Promise<boolean> {
      if ((await ended(db.read)).length === 0) return false
      return db.write(async (tx) => {
        const rows = await ended(tx)
        const idsOf = (confirmed: boolean) =>
          rows.filter(({ confirmed_utc: at }) => (at !== null) === confirmed).map(({ id }) => id)
        await erase(tx, idsOf(false))
        await tx
          .update(digests)
          .set({ proposed: null, expires_utc: null })
          .where(inArray(digests.id, idsOf(true)))
        return rows.length === BATCH
      })
    },
    /**
     * The address that has waited longest for something to be told: it was not since a time of the week, or in the last hour and something
     * was published since. Times are UTC.
     */
    async due(until: string, week: string, newest: string): Promise<Digest | undefined> {
      const hourAgo = toWall(toEpoch(until, 'UTC') - HOUR, 'UTC')
      const weekly = and(eq(digests.every, 'week'), lt(digests.told_utc, week))
      const published = and(
        eq(digests.every, 'publication'),
        lte(digests.told_utc, hourAgo),
        lt(digests.told_utc, newest),
      )
      const [row] = await db.read
        .select()
        .from(digests)
        .where(and(isConfirmed, or(weekly, published)))
        .orderBy(asc(digests.told_utc), asc(digests.id))
        .limit(1)
      return row
    },
    /** Notes until when an address was told, with the mail that does so, if there was something. Another process that did so before is heeded. */
    told: ({ id, told_utc: before }: Digest, told_utc: string, mail: Mail | undefined): Promise<void> =>
      db.write(async (tx) => {
        const own = and(eq(digests.id, id), eq(digests.told_utc, before))
        const rows = await tx.update(digests).set({ told_utc }).where(own).returning({ id: digests.id })
        if (mail && rows.length > 0) await mails.add(tx, { ...mail, topic: topicOf(id) })
      }),
    /** Whether nothing that others wrote is missing here. */
    isFresh: async () => ((await db.fresh?.()) ?? 0) === 0,
  }
}
export type Digests = ReturnType<typeof openDigests>
