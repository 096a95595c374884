import { randomBytes } from 'node:crypto'
import { and, count, eq, gt, lte } from 'drizzle-orm'
import { tickets } from '../../../drizzle/tables.ts'
import type { Db, Queries } from '../database/db.ts'
import type { Site } from '../site.ts'
import { toWall } from '../time/dates.ts'
import type { Keyed } from './tokens.ts'

export type Ticket = Omit<typeof tickets.$inferSelect, 'hash'>
type Purpose = Ticket['purpose']
/** For whom a ticket is, and what it carries; nobody for a step of signing in that does not know yet who that is. */
type Issued = { user?: number; data?: Record<string, string> }

/** Withdraws the tickets of a user for a purpose. */
export async function withdraw(tx: Queries, purpose: Purpose, user: number): Promise<void> {
  await tx.delete(tickets).where(and(eq(tickets.purpose, purpose), eq(tickets.user_id, user)))
}

/** Texts that work once and until a time, such as the key of an invitation. Only their hashes are stored. */
export function openTickets(db: Db, site: Site, keyed: Keyed) {
  const now = () => toWall(site.clock(), 'UTC')
  /** Another purpose gives another hash, so that a ticket is good for nothing else. */
  const hashOf = (purpose: Purpose, text: string) => keyed(`ticket ${purpose} ${text}`)
  const running = (purpose: Purpose, hash: string) =>
    and(eq(tickets.purpose, purpose), eq(tickets.hash, hash), gt(tickets.expires_utc, now()))

  return {
    /** Makes the key of the calendar, which a transaction can not. To be called before one that issues or redeems tickets. */
    ready: () => keyed(''),
    /**
     * Makes a ticket that ends after `lasts` milliseconds, and returns its text, which is stored nowhere. `tx` is the transaction of what
     * it belongs to. Those that have ended are deleted meanwhile.
     */
    async issue(tx: Queries, purpose: Purpose, lasts: number, { user, data }: Issued = {}): Promise<string> {
      const text = randomBytes(24).toString('base64url')
      await tx.delete(tickets).where(lte(tickets.expires_utc, now()))
      await tx.insert(tickets).values({
        ...{ purpose, user_id: user ?? null, hash: await hashOf(purpose, text), data: data ?? null },
        ...{ expires_utc: toWall(site.clock() + lasts, 'UTC'), created_utc: now() },
      })
      return text
    },
    /** The ticket with this text, which goes on working; undefined if there is none, or it has ended or was used. */
    async find(purpose: Purpose, text: string): Promise<Ticket | undefined> {
      return (
        await db.read
          .select()
          .from(tickets)
          .where(running(purpose, await hashOf(purpose, text)))
      )[0]
    },
    /** Uses a ticket up, in the transaction of what it allows; undefined if there is none, or it has ended or was used. */
    async redeem(tx: Queries, purpose: Purpose, text: string): Promise<Ticket | undefined> {
      return (
        await tx
          .delete(tickets)
          .where(running(purpose, await hashOf(purpose, text)))
          .returning()
      )[0]
    },
    /** Puts a ticket back, in the transaction that redeemed it: it goes on working until its time, and carries other data. */
    async putBack(tx: Queries, { id, ...row }: Ticket, text: string, data: Record<string, string>) {
      await tx.insert(tickets).values({ ...row, hash: await hashOf(row.purpose, text), data })
    },
    /** How many tickets of a user there are for a purpose. */
    async count(tx: Queries, purpose: Purpose, user: number): Promise<number> {
      const [found] = await tx
        .select({ total: count() })
        .from(tickets)
        .where(and(eq(tickets.purpose, purpose), eq(tickets.user_id, user), gt(tickets.expires_utc, now())))
      return found!.total
    },
    withdraw,
  }
}
export type Tickets = ReturnType<typeof openTickets>
