import { and, asc, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import { kept_answers } from '../../../drizzle/tables.ts'
import { type Work, withoutWriteContext, withWriteContext } from '../database/context.ts'
import { type Db, prepared, type Queries } from '../database/db.ts'
import { ApiError } from '../errors.ts'
import type { Site } from '../site.ts'
import { toWall } from '../time/dates.ts'

/** A request that may be repeated: who sends what to where, under which key. `request` is the ID of this one of the repetitions. */
export type Repeatable = Pick<
  typeof kept_answers.$inferSelect,
  'user_id' | 'route' | 'key' | 'fingerprint' | 'request'
>
export type KeptAnswer = typeof kept_answers.$inferSelect

/** Milliseconds for which answers are kept. */
const KEPT_FOR = 86_400_000
/** Most answers that are kept for a user; the number is looked at once for so many new ones. */
export const MOST_KEPT = 10_000
const LOOK_EACH = 100
/** Rows that are removed in one transaction. */
const BATCH = 100

const placeholders = () => [
  eq(kept_answers.user_id, sql.placeholder('user_id')),
  eq(kept_answers.route, sql.placeholder('route')),
  eq(kept_answers.key, sql.placeholder('key')),
]
const current = prepared((db) =>
  db
    .select()
    .from(kept_answers)
    .where(and(...placeholders(), gte(kept_answers.at_utc, sql.placeholder('since'))))
    .prepare(),
)

/** The 409 of a request that is under way, or whose answer was lost. */
export const inUse = () =>
  new ApiError(
    'idempotency_key_in_use',
    'A request with this key is under way or was applied, and its answer is not kept. Try again in a second; if this does not change, the service ended before it answered: look for the record.',
    { retry_after: 1 },
  )

/** The answers to requests with an `Idempotency-Key`, for a day. */
export function openKeptAnswers(db: Db, { clock }: Pick<Site, 'clock'>) {
  const since = () => toWall(clock() - KEPT_FOR, 'UTC')
  const find = async (tx: Queries, { user_id, route, key }: Repeatable): Promise<KeptAnswer | undefined> =>
    (await current(tx).execute({ user_id, route, key, since: since() }))[0]

  /** Removes what is over, and of a user the oldest beyond what is kept for one; gives whether there may be more. */
  async function removeOver(tx: Queries): Promise<boolean> {
    const over = tx
      .select({ id: kept_answers.id })
      .from(kept_answers)
      .where(lt(kept_answers.at_utc, since()))
      .orderBy(asc(kept_answers.at_utc))
      .limit(BATCH)
    return (await tx.delete(kept_answers).where(inArray(kept_answers.id, over))).changes === BATCH
  }

  /** Notes in the transaction of a write that the request was applied. Throws 409 if another one with its key was. */
  async function claim(tx: Queries, own: Repeatable) {
    const found = await find(tx, own)
    if (found && found.request !== own.request) throw inUse()
    if (found) return
    await removeOver(tx)
    const { user_id, route, key } = own
    const same = [eq(kept_answers.user_id, user_id), eq(kept_answers.route, route), eq(kept_answers.key, key)]
    await tx.delete(kept_answers).where(and(...same))
    const [made] = await tx
      .insert(kept_answers)
      .values({ ...own, at_utc: toWall(clock(), 'UTC') })
      .returning({ id: kept_answers.id })
    if (made!.id % LOOK_EACH === 0)
      tx.run(
        sql`delete from kept_answers where user_id = ${user_id} and id <= (select id from kept_answers where user_id = ${user_id} order by id desc limit 1 offset ${MOST_KEPT})`,
      )
  }

  return {
    /** The answer to an earlier request with this key, in committed data; without a status if nobody knows it. */
    find: (own: Repeatable) => find(db.read, own),
    /** Runs `work`; its writes note in their transactions that the request was applied. */
    carry: (own: Repeatable, work: () => void) =>
      withWriteContext(
        {
          around:
            <T>(write: Work<T>): Work<T> =>
            async (tx) => {
              await claim(tx, own)
              return write(tx)
            },
        },
        work,
      ),
    /** Keeps an answer, for repetitions of its request. */
    keep: (own: Repeatable, answer: Pick<KeptAnswer, 'status' | 'headers' | 'body'>): Promise<void> =>
      withoutWriteContext(() =>
        db.write(async (tx) => {
          await claim(tx, own)
          const { user_id, route, key } = own
          await tx
            .update(kept_answers)
            .set(answer)
            .where(
              and(
                eq(kept_answers.user_id, user_id),
                eq(kept_answers.route, route),
                eq(kept_answers.key, key),
              ),
            )
        }),
      ),
    /** Removes a batch of what is over; returns whether there may be more. */
    removeOld: (): Promise<boolean> => db.write(removeOver),
  }
}
