import { asc, eq, lte } from 'drizzle-orm'
import { mails } from '../../../drizzle/tables.ts'
import type { Db, Queries } from '../database/db.ts'
import type { Site } from '../site.ts'
import { toWall } from '../time/dates.ts'

export type Mail = typeof mails.$inferSelect

/** Mail that waits to be sent, so that no request waits for a server of mail, and none is lost when that does not answer. */
export function openMails(db: Db, site: Site) {
  const now = () => toWall(site.clock(), 'UTC')
  return {
    /** Queues a mail in the transaction of what it tells of. */
    async add(tx: Queries, mail: Pick<Mail, 'recipient' | 'subject' | 'text'>): Promise<void> {
      await tx.insert(mails).values({ ...mail, created_utc: now(), next_utc: now() })
    },
    /** The mails that are to be sent by now, the oldest first. */
    due: (limit: number): Promise<Mail[]> =>
      db.read
        .select()
        .from(mails)
        .where(lte(mails.next_utc, now()))
        .orderBy(asc(mails.next_utc), asc(mails.id))
        .limit(limit)
        .execute(),
    /** How many mails wait, whenever they are to be sent. */
    waiting: (): number => db.rows<[number]>('select count(*) from mails')[0]![0],
    /** Forgets a mail that was sent, or is given up. */
    remove: (id: number) => db.write(async (tx) => void (await tx.delete(mails).where(eq(mails.id, id)))),
    /** Puts a mail off that could not be sent, for so many milliseconds. */
    putOff: ({ id, tries }: Pick<Mail, 'id' | 'tries'>, wait: number) =>
      db.write(async (tx) => {
        const next_utc = toWall(site.clock() + wait, 'UTC')
        await tx
          .update(mails)
          .set({ tries: tries + 1, next_utc })
          .where(eq(mails.id, id))
      }),
  }
}
export type Mails = ReturnType<typeof openMails>
