import { and, asc, count, eq, gt } from 'drizzle-orm'
import { posts, settings, submissions } from '../../../../drizzle/tables.ts'
import type { Db, Queries } from '../../../kernel/database/db.ts'
import type { Mail, Mails } from '../../../kernel/outbound/mailing.ts'
import type { Site } from '../../../kernel/site.ts'
import { toWall } from '../../../kernel/time/dates.ts'

/** What editors are told by mail: the titles of what was proposed since the last one, and how many wait in all. */
export type EditorsNews = { titles: string[]; waiting: number }
/** The mails that tell editors of it. */
export type EditorsTelling = (news: EditorsNews) => Pick<Mail, 'recipient' | 'subject' | 'text'>[]

/** The last submission that editors were told of, and when. */
type Told = { id: number; at_utc: string }
/** The name under which the database keeps it, so that all processes and nodes know it. */
const NAME = 'submissions_told'
const NEVER: Told = { id: 0, at_utc: '' }
/** Milliseconds between two mails. */
const HOUR = 3_600_000

/** Tells editors of what was proposed, once an hour at most. */
export function openEditorsNews({
  db,
  site,
  mails,
}: {
  db: Pick<Db, 'read' | 'write'>
  site: Pick<Site, 'clock'>
  mails: Pick<Mails, 'add'>
}) {
  /** What waits and was not told yet; nothing within the hour after a mail. */
  async function untold(tx: Queries) {
    const [row] = await tx.select().from(settings).where(eq(settings.name, NAME))
    const { id, at_utc }: Told = row ? JSON.parse(row.value) : NEVER
    if (at_utc > toWall(site.clock() - HOUR, 'UTC')) return []
    return tx
      .select({ id: submissions.id, title: posts.title })
      .from(submissions)
      .innerJoin(posts, eq(posts.id, submissions.event_id))
      .where(and(eq(submissions.state, 'waiting'), gt(submissions.id, id)))
      .orderBy(asc(submissions.id))
  }
  /** Queues the mails in a transaction, if something is to be told: transactions follow one another, so no two tell the same. */
  async function tell(tx: Queries, telling: EditorsTelling): Promise<void> {
    const rows = await untold(tx)
    if (rows.length === 0) return
    const [all] = await tx
      .select({ total: count() })
      .from(submissions)
      .where(eq(submissions.state, 'waiting'))
    const titles = rows.map(({ title }) => title)
    for (const mail of telling({ titles, waiting: all!.total })) await mails.add(tx, mail)
    const told: Told = { id: rows.at(-1)!.id, at_utc: toWall(site.clock(), 'UTC') }
    const value = JSON.stringify(told)
    await tx
      .insert(settings)
      .values({ name: NAME, value })
      .onConflictDoUpdate({ target: settings.name, set: { value } })
  }
  return {
    tell,
    /** Queues the mails about what came within the hour after the last ones, once that is over. */
    async tellLater(telling: EditorsTelling): Promise<void> {
      if ((await untold(db.read)).length > 0) await db.write((tx) => tell(tx, telling))
    },
  }
}
