import { and, asc, count, eq, gt } from 'drizzle-orm'
import { posts, settings, submissions } from '../../../drizzle/tables.ts'
import ca from '../../../words/ca/submissions-mail.json' with { type: 'json' }
import en from '../../../words/en/submissions-mail.json' with { type: 'json' }
import es from '../../../words/es/submissions-mail.json' with { type: 'json' }
import type { Db, Queries } from '../../kernel/database/db.ts'
import { fill, type Mail, withoutLinks } from '../../kernel/outbound/mail.ts'
import type { Mails } from '../../kernel/outbound/mailing.ts'
import type { Site } from '../../kernel/site.ts'
import { inLanguage } from '../../kernel/text/words.ts'
import { toWall } from '../../kernel/time/dates.ts'

/** What mails to people who propose events and to editors say; texts in braces are filled in. */
type MailWords = Record<keyof typeof en, string>
const WORDS: Record<string, MailWords> = { en, ca, es }
/** The words of a language; those of English for a language without own ones. */
const wordsIn = (language: string): MailWords => inLanguage(WORDS, language) ?? en

/** What became of a submission, as its mail says it. */
type News = {
  what: 'received' | 'asked' | 'accepted' | 'refused'
  recipient: string
  language: string
  site: string
  name: string
  title: string
  /** What the editors write; empty for nothing. */
  reply: string
  /** The page on which it is corrected, or the page of the event; undefined without one. */
  link: string | undefined
}

/** A mail to who proposed an event; English for a language without own words. */
export function submissionMail({ what, recipient, language, site, name, title, reply, link }: News): Mail {
  const words = wordsIn(language)
  const filled = (key: keyof MailWords) => fill(words[key], { name, title, site })
  const asks = what === 'asked'
  const quoted = reply === '' ? [] : [...(asks ? [] : [filled('reply')]), reply]
  const linked =
    link === undefined ? [] : [...(what === 'received' || asks ? [filled(`${what}_link`)] : []), link]
  const parts = [filled('hello'), filled(what), ...quoted, ...linked, filled('ignore')]
  return { recipient, subject: filled(`${what}_subject`), text: `${parts.join('\n\n')}\n` }
}

/** Titles that a mail has; of more it tells the number. */
const TITLES = 20

/** What editors are told by mail: the titles of what was proposed since the last one, and how many wait in all. */
type EditorsDigest = { titles: string[]; waiting: number }
/** The mails that tell editors of it. */
export type EditorsNotice = (news: EditorsDigest) => Mail[]

/** The last submission that editors were told of, and when. */
type Notified = { id: number; at_utc: string }
/** The name under which the database keeps it, so that all processes and nodes know it. */
const NAME = 'submissions_told'
const NEVER: Notified = { id: 0, at_utc: '' }
/** Milliseconds between two mails. */
const HOUR = 3_600_000

/** Tells editors of what was proposed, once an hour at most. */
export function openEditorsDigest({
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

/** The mails, one for each address, that tell editors what visitors propose; undefined where visitors do not, or nobody is to be told. */
export function openEditorsNotice(
  { submissions, submissionsMail: recipients, baseUrl, desk }: Settings,
  language: string,
  branding: () => { name: string },
): EditorsNotice | undefined {
  if (!submissions || recipients.length === 0) return undefined
  const words = wordsIn(language)
  return ({ titles, waiting }) => {
    const more = titles.length - TITLES
    const values = { site: branding().name, waiting: String(waiting), more: String(more) }
    const filled = (key: keyof MailWords) => fill(words[key], values)
    const lines = titles.slice(0, TITLES).map((title) => fill('- {title}', { title: withoutLinks(title) }))
    const parts = [
      filled('editors'),
      [...lines, ...(more > 0 ? [filled('editors_more')] : [])].join('\n'),
      filled('editors_waiting'),
      ...(desk ? [`${filled('editors_link')}\n${baseUrl}/desk/#/submissions`] : []),
      filled('editors_often'),
    ]
    const mail = { subject: filled('editors_subject'), text: `${parts.join('\n\n')}\n` }
    return recipients.map((recipient) => ({ recipient, ...mail }))
  }
}
