import { eq, lte } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { tickets } from '../../../drizzle/tables.ts'
import type { Queries } from '../database/db.ts'
import { networksOf } from '../rate-limits.ts'
import type { Site } from '../site.ts'
import { toWall } from '../time/dates.ts'
import type { Keyed } from './tokens.ts'

const NEVER = { hour: Number.POSITIVE_INFINITY, day: Number.POSITIVE_INFINITY }
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How often something may be done within an hour, and within a day. */
export type Quota = { hour: number; day: number }
/** What is counted, such as what a network sends, and how often that may be; without a quota it is counted alone. */
export type Counted = { what: string; quota?: Quota }

/** Times that are kept of what has no quota, and most that any may have. */
const MOST = 1_000

/**
 * Counts what is done, in the database: all processes and nodes count together, and a restart forgets nothing. Whoever has done something
 * as often as they may waits until the first of these times is an hour or a day ago. What is counted is stored as a keyed hash, for a day.
 */
export function openQuotas(keyed: Keyed, { clock }: Pick<Site, 'clock'>) {
  const hashOf = ({ what }: Counted) => keyed(`quota ${what}`)
  /** When it was done within a day, in Unix milliseconds, the first time first. */
  async function timesOf(db: Queries, counted: Counted): Promise<number[]> {
    const [row] = await db
      .select({ data: tickets.data })
      .from(tickets)
      .where(eq(tickets.hash, await hashOf(counted)))
    const times = row?.data?.times?.split(' ').map((time) => Number.parseInt(time, 36)) ?? []
    return times.filter((at) => at > clock() - DAY)
  }
  async function setTimes(tx: Queries, counted: Counted, times: number[]) {
    const hash = await hashOf(counted)
    await tx.delete(tickets).where(eq(tickets.hash, hash))
    if (times.length === 0) return
    await tx.insert(tickets).values({
      purpose: 'quota',
      user_id: null,
      hash,
      created_utc: toWall(clock(), 'UTC'),
      data: { times: times.map((at) => at.toString(36)).join(' ') },
      expires_utc: toWall(times.at(-1)! + DAY, 'UTC'),
    })
  }

  return {
    /** How often it was done within the hour. */
    async withinHour(db: Queries, counted: Counted): Promise<number> {
      return (await timesOf(db, counted)).filter((at) => at > clock() - HOUR).length
    },
    /** Seconds until all of these may be done again; 0 if they may now. */
    async wait(db: Queries, all: Counted[]): Promise<number> {
      const until = [clock()]
      for (const counted of all) {
        const { hour, day } = counted.quota ?? NEVER
        const times = await timesOf(db, counted)
        const ofHour = times.filter((at) => at > clock() - HOUR)
        if (ofHour.length >= hour) until.push(ofHour[ofHour.length - hour]! + HOUR)
        if (times.length >= day) until.push(times[times.length - day]! + DAY)
      }
      return Math.ceil((Math.max(...until) - clock()) / 1_000)
    },
    /** Notes that these are done at a time, which is now. */
    async add(tx: Queries, all: Counted[], at: number): Promise<void> {
      await tx.delete(tickets).where(lte(tickets.expires_utc, toWall(at, 'UTC')))
      for (const counted of all) {
        const times = await timesOf(tx, counted)
        await setTimes(tx, counted, [...times, at].slice(-Math.min(MOST, counted.quota?.day ?? MOST)))
      }
    },
    /** Takes back the note of a time, where these were not done after all. */
    async release(tx: Queries, all: Counted[], at: number): Promise<void> {
      for (const counted of all) {
        const times = await timesOf(tx, counted)
        const own = times.lastIndexOf(at)
        await setTimes(
          tx,
          counted,
          times.filter((_, place) => place !== own),
        )
      }
    },
  }
}

/** The mailbox that an address leads to, without the tag that many servers let people add. */
export const mailboxOf = (email: string) => email.toLowerCase().replace(/\+[^@]*(?=@)/, '')

/** What is counted of a client who sends something: of its own network first, then of wider ones. */
export const countedOf = (
  request: Pick<FastifyRequest, 'ip'>,
  what: string,
  quotas: readonly Quota[],
): Counted[] => networksOf(request).map((network, at) => ({ what: `${what} ${network}`, quota: quotas[at]! }))
