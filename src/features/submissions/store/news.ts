import { and, asc, count, eq, gt } from 'drizzle-orm'
import { posts, settings, submissions } from '../../../../drizzle/tables.ts'
import type { Db, Queries } from '../../../kernel/database/db.ts'
import type { Mail, Mails } from '../../../kernel/outbound/mailing.ts'
import type { Site } from '../../../kernel/site.ts'
import { toWall } from '../../../kernel/time/dates.ts'
import { openEditorsMail } from '../mail.ts'

/** What editors are told by mail: the titles of what was proposed since the last one, and how many wait in all. */
type EditorsNews = { titles: string[]; waiting: number }
/** The mails that tell editors of it. */
export type EditorsNotice = (news: EditorsNews) => Pick<Mail, 'recipient' | 'subject' | 'text'>[]

/** The last submission that editors were told of, and when. */
type Notified = { id: number; at_utc: string }
/** The name under which the database keeps it, so that all processes and nodes know it. */
const NAME = 'submissions_told'
const NEVER: Notified = { id: 0, at_utc: '' }
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
  async function unnotified(tx: Queries) {
    const [row] = await tx.select().from(settings).where(eq(settings.name, NAME))
    const { id, at_utc }: Notified = row ? JSON.parse(row.value) : NEVER
    if (at_utc > toWall(site.clock() - HOUR, 'UTC')) return []
    return tx
      .select({ id: submissions.id, title: posts.title })
      .from(submissions)
      .innerJoin(posts, eq(posts.id, submissions.event_id))
      .where(and(eq(submissions.state, 'waiting'), gt(submissions.id, id)))
      .orderBy(asc(submissions.id))
  }
  /** Queues the mails in a transaction, if something is to be told: transactions follow one another, so no two tell the same. */
  async function notify(tx: Queries, notice: EditorsNotice): Promise<void> {
    const rows = await unnotified(tx)
    if (rows.length === 0) return
    const [all] = await tx
      .select({ total: count() })
      .from(submissions)
      .where(eq(submissions.state, 'waiting'))
    const titles = rows.map(({ title }) => title)
    for (const mail of notice({ titles, waiting: all!.total })) await mails.add(tx, mail)
    const notified: Notified = { id: rows.at(-1)!.id, at_utc: toWall(site.clock(), 'UTC') }
    const value = JSON.stringify(notified)
    await tx
      .insert(settings)
      .values({ name: NAME, value })
      .onConflictDoUpdate({ target: settings.name, set: { value } })
  }
  return {
    notify,
    /** Queues the mails about what came within the hour after the last ones, once that is over. */
    async notifyLater(notice: EditorsNotice): Promise<void> {
      if ((await unnotified(db.read)).length > 0) await db.write((tx) => notify(tx, notice))
    },
  }
}

type Settings = { submissions: boolean; submissionsMail: string[]; baseUrl: string; desk: boolean }

/** Whether visitors may propose events, for how many days who did so is known after the decision, and what tells editors. */
export type SubmissionSettings = { isOn: boolean; days: number; notifyEditors: EditorsNotice | undefined }

/** The mails that tell editors of what visitors propose; undefined where visitors do not, or nobody is to be told. */
export const openEditorsNotice = (
  { submissions, submissionsMail: recipients, baseUrl, desk }: Settings,
  language: string,
  look: () => { name: string },
): EditorsNotice | undefined =>
  !submissions || recipients.length === 0
    ? undefined
    : openEditorsMail({
        recipients,
        language,
        site: () => look().name,
        link: desk ? `${baseUrl}/desk/#/submissions` : undefined,
      })
