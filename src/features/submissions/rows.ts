import { randomBytes } from 'node:crypto'
import { and, count, desc, eq, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import { events, posts, submissions } from '../../../drizzle/tables.ts'
import type { Write } from '../../calendar/records/write.ts'
import { type Actor, record } from '../../kernel/access/audit-log.ts'
import type { Keyed } from '../../kernel/access/tokens.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Mail } from '../../kernel/outbound/mail.ts'
import type { Site } from '../../kernel/site.ts'
import { withoutControls } from '../../kernel/text/text.ts'
import { toWall } from '../../kernel/time/dates.ts'

type SubmissionRow = Omit<typeof submissions.$inferSelect, 'hash'>
type SubmissionState = SubmissionRow['state']
/** A submission with its event, as editors are shown it. */
export type Submission = SubmissionRow & {
  title: string
  status: (typeof posts.$inferSelect)['status']
  modified_utc: string
  start_date: string
  end_date: string
  all_day: boolean
}

/** The states in which nothing is decided yet. */
export const OPEN: readonly SubmissionState[] = ['waiting', 'asked']

const DAY = 86_400_000
/** Rows that are forgotten in one transaction. */
const BATCH = 1_000

const ROW = {
  id: submissions.id,
  event_id: submissions.event_id,
  state: submissions.state,
  name: submissions.name,
  email: submissions.email,
  language: submissions.language,
  note: submissions.note,
  reply: submissions.reply,
  created_utc: submissions.created_utc,
  // of an open one the column has the time of the last question or correction, for forgetting alone
  decided_utc: sql<
    string | null
  >`case when ${inArray(submissions.state, OPEN)} then null else ${submissions.decided_utc} end`,
  decided_by: submissions.decided_by,
}
const OF_EVENT = {
  title: posts.title,
  status: posts.status,
  modified_utc: posts.modified_utc,
  start_date: events.start_date,
  end_date: events.end_date,
  all_day: events.all_day,
}

const select = (tx: Queries) =>
  tx
    .select({ ...ROW, ...OF_EVENT })
    .from(submissions)
    .innerJoin(posts, eq(posts.id, submissions.event_id))
    .innerJoin(events, eq(events.post_id, submissions.event_id))

/** The submission whose key has this hash, if there is one. */
export const findByHash = async (tx: Queries, hash: string): Promise<Submission | undefined> =>
  (await select(tx).where(eq(submissions.hash, hash)))[0]

/** A submission by its ID. Throws 404. */
export async function findSubmission(tx: Queries, id: number): Promise<Submission> {
  const [row] = await select(tx).where(eq(submissions.id, id))
  if (!row) throw new ApiError('submission-not-found', `There is no submission with ID ${id}.`)
  return row
}

/** Submissions that nothing has happened to since a time, and of which is still known who sent them: a row has its hash until then. */
const untouchedSince = (tx: Queries, limit: string) =>
  tx
    .select({ id: submissions.id })
    .from(submissions)
    .where(
      and(
        isNotNull(submissions.hash),
        or(
          lte(submissions.decided_utc, limit),
          and(isNull(submissions.decided_utc), lte(submissions.created_utc, limit)),
        ),
      ),
    )
    .limit(BATCH)

type Paging = { page: number; per_page: number; state?: SubmissionState | undefined }

/** Submissions as they are stored: lists of them, and forgetting who sent them. */
export function openSubmissionRows(db: Pick<Db, 'read' | 'write'>, { clock }: Pick<Site, 'clock'>) {
  return {
    /** A page of submissions, the latest first, and how many there are. */
    async list({ page, per_page, state }: Paging) {
      const where = state && eq(submissions.state, state)
      const rows: Submission[] = await select(db.read)
        .where(where)
        .orderBy(desc(submissions.id))
        .limit(per_page)
        .offset((page - 1) * per_page)
      const [all] = await db.read.select({ total: count() }).from(submissions).where(where)
      return { rows, total: all!.total }
    },
    /** Throws 404. */
    find: (id: number) => findSubmission(db.read, id),
    /**
     * Forgets who sent what nothing has happened to for so many days, a batch: neither a decision, nor a question, nor a correction. What was
     * asked then waits again, as nobody can answer any more. Returns whether there may be more.
     */
    async forget(days: number): Promise<boolean> {
      const limit = toWall(clock() - days * DAY, 'UTC')
      if ((await untouchedSince(db.read, limit)).length === 0) return false
      return db.write(async (tx) => {
        const ids = (await untouchedSince(tx, limit)).map(({ id }) => id)
        await tx
          .update(submissions)
          .set({
            name: '',
            email: '',
            note: '',
            hash: null,
            state: sql`case ${submissions.state} when 'asked' then 'waiting' else ${submissions.state} end`,
          })
          .where(inArray(submissions.id, ids))
        return ids.length === BATCH
      })
    },
  }
}

/** Who writes, from where, and in which language. */
export type Sender = { by: Actor; language: string }

/** What editors decide. */
export type Decision = 'accepted' | 'asked' | 'refused'
/** Of what a submitter is told by mail: what became of which event, with the key of the page on which it is corrected. */
export type SubmissionNews = {
  what: 'received' | Decision
  submission: Pick<SubmissionRow, 'name' | 'email' | 'language' | 'reply'>
  event: { id: number; title: string }
  key: string | undefined
}
/** The mail about something; undefined if none is sent. */
export type Notice = (news: SubmissionNews) => Mail | undefined

export const decided = () =>
  new ApiError('submission_decided', 'This submission is decided already, or was withdrawn.')

/** A text of several lines without control characters. */
export const inLines = (text: string) =>
  text
    .split(/\r\n?|\n/)
    .map(withoutControls)
    .join('\n')

/** What all writes of submissions share: the time, the keys of links, the context of a write, and entries of the audit log. */
export const openWriting = (site: Site, keyed: Keyed) => ({
  now: () => toWall(site.clock(), 'UTC'),
  hashOf: (key: string) => keyed(`submission key ${key}`),
  newKey: () => randomBytes(24).toString('base64url'),
  contextOf: (tx: Queries, { by, language }: Sender, caller: Write['caller'], given: object): Write => ({
    tx,
    site,
    caller,
    by,
    now: site.clock(),
    language,
    pictures: new Map(),
    ignored: [],
    created: [],
    given: given as Record<string, unknown>,
  }),
  note: (
    { tx, by }: Pick<Write, 'tx' | 'by'>,
    what: Exclude<SubmissionState, 'waiting'> | 'received',
    { event_id: id, title }: Pick<Submission, 'event_id' | 'title'>,
  ) => record({ tx, site, by }, `submission_${what}`, { kind: 'event', id }, { title }),
})
