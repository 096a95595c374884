import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { lte } from 'drizzle-orm'
import { tickets } from '../../../drizzle/tables.ts'
import type { Site } from '../../rules/site.ts'
import { toWall } from '../../rules/time/dates.ts'
import type { Keyed } from '../accounts/tokens.ts'
import type { Queries } from '../sqlite/db.ts'

/** Milliseconds for which a stamp works: long enough to fill in a form, with a meal between. */
const LASTS = 12 * 3_600_000
/** Characters of the signature: 132 bits. */
const SIGNATURE = 22
/** Zero bits that a proof of work begins with: a tenth of a second or more for a browser, and for a flood as often. */
export const PROOF_BITS = 16

/** How many zero bits a hash begins with, up to 32. */
const zerosOf = (hash: Buffer): number => Math.clz32(hash.readUInt32BE())

/** Whether a text was found with which the hash of a stamp begins with enough zeros. */
export const isProven = (stamp: string, nonce: string): boolean =>
  zerosOf(createHash('sha256').update(`${stamp}.${nonce}`).digest()) >= PROOF_BITS

/**
 * Stamps of forms and challenges: when they were made, something random, and a signature under the key of the calendar. They are stored
 * only once they are used, so that showing a form writes nothing, and hold in all processes and on all nodes.
 */
export function openStamps(keyed: Keyed, { clock }: Pick<Site, 'clock'>) {
  const sign = async (text: string) =>
    Buffer.from(await keyed(`submission ${text}`), 'base64')
      .toString('base64url')
      .slice(0, SIGNATURE)
  return {
    bits: PROOF_BITS,
    /** A new stamp, and until when it works in UTC. */
    async issue() {
      const now = clock()
      const text = `${now.toString(36)}.${randomBytes(12).toString('base64url')}`
      return { stamp: `${text}.${await sign(text)}`, expires_utc: toWall(now + LASTS, 'UTC') }
    },
    /** How many milliseconds ago a stamp was made; undefined if that was not here, or is too long ago. */
    async ageOf(stamp: string): Promise<number | undefined> {
      const text = stamp.slice(0, -SIGNATURE - 1)
      const [given, right] = [Buffer.from(stamp), Buffer.from(`${text}.${await sign(text)}`)]
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
      const age = clock() - Number.parseInt(text.split('.')[0]!, 36)
      return age < LASTS ? age : undefined
    },
    isProven,
    /** Uses a stamp up, in the transaction of what it allows. Returns whether it was not used before. */
    async use(tx: Queries, stamp: string): Promise<boolean> {
      const now = toWall(clock(), 'UTC')
      await tx.delete(tickets).where(lte(tickets.expires_utc, now))
      const made = await tx
        .insert(tickets)
        .values({
          ...{ purpose: 'submission', user_id: null, hash: await keyed(`used ${stamp}`), data: null },
          ...{ expires_utc: toWall(clock() + LASTS, 'UTC'), created_utc: now },
        })
        .onConflictDoNothing()
        .returning({ id: tickets.id })
      return made.length > 0
    },
  }
}
export type Stamps = ReturnType<typeof openStamps>
