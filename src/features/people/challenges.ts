import { randomBytes } from 'node:crypto'
import { eq, lte } from 'drizzle-orm'
import { tickets } from '../../../drizzle/tables.ts'
import type { Keyed } from '../../kernel/access/tokens.ts'
import { readSigned, signText } from '../../kernel/access/tokens.ts'
import type { Queries } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import { toWall } from '../../kernel/time/dates.ts'

/** What challenges are for, and how many milliseconds they work. Another purpose gives another signature. */
type Kind = { purpose: 'submission' | 'passkey'; lasts: number }

/**
 * Challenges of what anybody may ask for, such as a form: when they were made, something random, and a signature under the key of the
 * calendar. They are stored only once they are used, so that asking for one writes nothing, and hold in all processes and on all nodes.
 */
export function openChallenges(keyed: Keyed, { clock }: Pick<Site, 'clock'>, { purpose, lasts }: Kind) {
  const used = (challenge: string) => keyed(`used ${challenge}`)
  return {
    /** A new challenge, good for `bearer` alone, and until when it works in UTC. */
    async issue(bearer = '') {
      const now = clock()
      const text = `${now.toString(36)}.${randomBytes(12).toString('base64url')}`
      const challenge = await signText(keyed, `${purpose} ${bearer}`, text)
      return { challenge, expires_utc: toWall(now + lasts, 'UTC') }
    },
    /** How many milliseconds ago a challenge was made; undefined if that was not here, not for this bearer, or is too long ago. */
    async ageOf(challenge: string, bearer = ''): Promise<number | undefined> {
      const text = await readSigned(keyed, `${purpose} ${bearer}`, challenge)
      if (text === undefined) return undefined
      const age = clock() - Number.parseInt(text.split('.')[0]!, 36)
      return age < lasts ? age : undefined
    },
    /** Whether a challenge was used. */
    async isUsed(db: Queries, challenge: string): Promise<boolean> {
      return (
        (
          await db
            .select({ id: tickets.id })
            .from(tickets)
            .where(eq(tickets.hash, await used(challenge)))
        ).length > 0
      )
    },
    /** Lets a challenge that was used be used again, as nothing came of it. */
    async release(tx: Queries, challenge: string): Promise<void> {
      await tx.delete(tickets).where(eq(tickets.hash, await used(challenge)))
    },
    /** Uses a challenge up, in the transaction of what it allows. Returns whether it was not used before. */
    async use(tx: Queries, challenge: string): Promise<boolean> {
      const now = toWall(clock(), 'UTC')
      await tx.delete(tickets).where(lte(tickets.expires_utc, now))
      const made = await tx
        .insert(tickets)
        .values({
          purpose,
          user_id: null,
          hash: await used(challenge),
          data: null,
          expires_utc: toWall(clock() + lasts, 'UTC'),
          created_utc: now,
        })
        .onConflictDoNothing()
        .returning({ id: tickets.id })
      return made.length > 0
    },
  }
}
