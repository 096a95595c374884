import { randomBytes } from 'node:crypto'
import { and, count, desc, eq, inArray, isNotNull, lte, ne, or } from 'drizzle-orm'
import { events, posts, submissions } from '../../../drizzle/tables.ts'
import type { SubmissionInput } from '../../../schemas/submission.ts'
import type { Post } from '../../formats/records.ts'
import type { Caller } from '../../rules/roles.ts'
import type { Site } from '../../rules/site.ts'
import { withoutControls } from '../../rules/text/text.ts'
import { toWall } from '../../rules/time/dates.ts'
import { ApiError } from '../../support/errors.ts'
import type { Keyed } from '../accounts/tokens.ts'
import { type Actor, record } from '../changes/audit.ts'
import type { Mail, Mails } from '../mail/mails.ts'
import type { Input as SentEvent } from '../records/events.ts'
import type { NewMedia } from '../records/media/media.ts'
import { organizerWrites } from '../records/organizers.ts'
import { findById, type Key } from '../records/posts.ts'
import { linksOf } from '../records/projection/links.ts'
import { openSeriesRemoval } from '../records/series/removal.ts'
import { venueWrites } from '../records/venues.ts'
import type { Write } from '../records/write.ts'
import type { Db, Queries } from '../sqlite/db.ts'
import { authorOf, findAuthor } from './author.ts'
import { dropUnused, eventOf, waitingAmong } from './event.ts'
import { openStamps } from './stamps.ts'

export type SubmissionRow = Omit<typeof submissions.$inferSelect, 'hash'>
export type SubmissionState = SubmissionRow['state']
/** A submission with its event, as editors are shown it. */
export type Submission = SubmissionRow & {
  title: string
  status: (typeof posts.$inferSelect)['status']
  start_date: string
  end_date: string
  all_day: boolean
}
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
export type Telling = (news: SubmissionNews) => Pick<Mail, 'recipient' | 'subject' | 'text'> | undefined

/** Who submits, from where, and in which language. */
type Submitter = { by: Actor; language: string }
type Received = { input: SubmissionInput; picture?: NewMedia | undefined; stamp?: string | undefined }

/** The part of writing events that submissions need. */
type Events = {
  create(w: Write, input: SentEvent): Promise<number>
  update(w: Write, key: Key, input: SentEvent): Promise<number>
}
type Parts = { db: Db; site: Site; keyed: Keyed; events: Events; mails: Pick<Mails, 'add'> }

const DAY = 86_400_000
/** Rows that are forgotten in one transaction. */
const BATCH = 1_000
const OPEN: readonly SubmissionState[] = ['waiting', 'asked']

const unknown = (id: number) => new ApiError('submission-not-found', `There is no submission with ID ${id}.`)
const decided = () =>
  new ApiError('submission_decided', 'This submission is decided already, or was withdrawn.')

/** A text of several lines without control characters. */
const inLines = (text: string) =>
  text
    .split(/\r\n?|\n/)
    .map(withoutControls)
    .join('\n')
/** Who submits, and what they tell the editors. */
const submitterOf = ({ name, email, note }: SubmissionInput) => ({
  ...{ name: withoutControls(name), email, note: inLines(note ?? '') },
})

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
  decided_utc: submissions.decided_utc,
  decided_by: submissions.decided_by,
}
const OF_EVENT = {
  title: posts.title,
  status: posts.status,
  start_date: events.start_date,
  end_date: events.end_date,
  all_day: events.all_day,
}

/** Events that people without accounts propose: receiving them, their corrections, and what editors decide. */
export function openSubmissions({ db, site, keyed, events: writes, mails }: Parts) {
  const stamps = openStamps(keyed, site)
  const removal = openSeriesRemoval('event')
  const now = () => toWall(site.clock(), 'UTC')
  const hashOf = (key: string) => keyed(`submission key ${key}`)
  const newKey = () => randomBytes(24).toString('base64url')
  const select = (tx: Queries) =>
    tx
      .select({ ...ROW, ...OF_EVENT })
      .from(submissions)
      .innerJoin(posts, eq(posts.id, submissions.event_id))
      .innerJoin(events, eq(events.post_id, submissions.event_id))

  const writing = (
    tx: Queries,
    { by, language }: Submitter,
    caller: Write['caller'],
    given: object,
  ): Write => ({
    ...{ tx, site, caller, by, now: site.clock(), language },
    ...{ pictures: new Map(), ignored: [], created: [], given: given as Record<string, unknown> },
  })
  /** The context of a write by the user to whom submissions belong. */
  async function writingAsAuthor(tx: Queries, from: Submitter, given: object): Promise<Write> {
    const w = writing(tx, from, undefined, given)
    return { ...w, caller: await authorOf(w) }
  }
  const byHash = async (tx: Queries, hash: string): Promise<Submission | undefined> =>
    (await select(tx).where(eq(submissions.hash, hash)))[0]
  async function find(tx: Queries, id: number): Promise<Submission> {
    const [row] = await select(tx).where(eq(submissions.id, id))
    if (!row) throw unknown(id)
    return row
  }
  const note = (
    { tx, by }: Pick<Write, 'tx' | 'by'>,
    what: Exclude<SubmissionState, 'waiting'> | 'received',
    { event_id: id, title }: Pick<Submission, 'event_id' | 'title'>,
  ) => record({ tx, site, by }, `submission_${what}`, { kind: 'event', id }, { title })
  /** The ID of the user to whom submissions belong; 0 if there is none any more. */
  async function authorIn(tx: Queries): Promise<number> {
    const found = await findAuthor(tx)
    return 'id' in found ? found.id : 0
  }

  /** Whether the submitter may still change the event: nobody has published it, taken it over or thrown it away meanwhile. */
  async function isOpen(tx: Queries, { state, event_id }: Submission): Promise<boolean> {
    const post = (await findById(tx, 'event', event_id))!
    return OPEN.includes(state) && post.status === 'pending' && post.author_id === (await authorIn(tx))
  }
  /** The submission of a key that the submitter may still change. Throws 409 otherwise. */
  async function mustBeOpen(tx: Queries, hash: string): Promise<Submission> {
    const row = await byHash(tx, hash)
    if (!row || !(await isOpen(tx, row))) throw decided()
    return row
  }

  /** Accepts the event and what came with it. */
  async function publish(w: Write, event: number) {
    const refs = await linksOf(w.tx, event)
    for (const { kind, id } of await waitingAmong(w.tx, refs, await authorIn(w.tx)))
      await (kind === 'venue' ? venueWrites : organizerWrites).update(w, { id }, { status: 'publish' })
    await writes.update(w, { id: event }, { status: 'publish' } as SentEvent)
  }
  /** Moves the event to the trash, with what came with it and is used nowhere else. */
  async function discard(w: Write, event: number) {
    const post = (await findById(w.tx, 'event', event))!
    const refs = await linksOf(w.tx, event)
    if (post.status !== 'trash') await removal.trash(w, { id: event }, undefined)
    await dropUnused(w, refs, await authorIn(w.tx), event)
  }

  return {
    stamps,
    /**
     * Takes a submission: its event waits, and belongs to the user of submissions. Returns the key with which it is corrected, which is
     * stored nowhere. `stamp` is used up. Throws 400 for what can not be an event, and 403 for a stamp that was used before.
     */
    async receive({ input, picture, stamp }: Received, from: Submitter, tell: Telling) {
      const key = newKey()
      const hash = await hashOf(key)
      await db.write(async (tx) => {
        if (stamp !== undefined && !(await stamps.use(tx, stamp)))
          throw new ApiError('submission_proof_required', 'This challenge was used before; get another one.')
        const w = await writingAsAuthor(tx, from, input)
        const language = input.i18n_language ?? from.language
        const event = await eventOf(w, input, picture)
        const event_id = await writes.create(w, { ...event, status: 'pending', i18n_language: language })
        const submission = { ...submitterOf(input), language, reply: '' }
        await tx
          .insert(submissions)
          .values({ ...submission, event_id, state: 'waiting', hash, created_utc: now() })
        await note(w, 'received', { event_id, title: input.title })
        const mail = tell({ what: 'received', submission, event: { id: event_id, title: input.title }, key })
        if (mail) await mails.add(tx, mail)
      })
      return key
    },
    /** As whom an event that was proposed and waits is looked at, so that what came with it is seen; undefined for other events. */
    async viewerOf({ status, author_id: id }: Pick<Post, 'status' | 'author_id'>): Promise<Caller> {
      const isOurs = status === 'pending' && id === (await authorIn(db.read))
      return isOurs ? { id, role: 'contributor' } : undefined
    },
    /** The submission that a key belongs to, and whether it may still be changed; undefined if there is none. */
    async byKey(key: string): Promise<{ submission: Submission; isOpen: boolean } | undefined> {
      const submission = await byHash(db.read, await hashOf(key))
      return submission && { submission, isOpen: await isOpen(db.read, submission) }
    },
    /** Changes what was submitted, which then waits again. Throws 409 once it is decided. */
    async correct(key: string, { input, picture }: Received, from: Submitter): Promise<void> {
      const hash = await hashOf(key)
      await db.write(async (tx) => {
        const { id, event_id } = await mustBeOpen(tx, hash)
        const w = await writingAsAuthor(tx, from, input)
        const before = await linksOf(tx, event_id)
        await writes.update(w, { id: event_id }, await eventOf(w, input, picture))
        const after = await linksOf(tx, event_id)
        const gone = {
          ...before,
          venue: before.venue.filter((one) => !after.venue.includes(one)),
          organizer: before.organizer.filter((one) => !after.organizer.includes(one)),
        }
        await dropUnused(w, gone, w.caller!.id, event_id)
        await tx
          .update(submissions)
          .set({ ...submitterOf(input), state: 'waiting' })
          .where(eq(submissions.id, id))
      })
    },
    /** Takes a submission back; its event goes to the trash. Throws 409 once it is decided. */
    async withdraw(key: string, from: Submitter): Promise<void> {
      const hash = await hashOf(key)
      await db.write(async (tx) => {
        const row = await mustBeOpen(tx, hash)
        const w = await writingAsAuthor(tx, from, {})
        await discard(w, row.event_id)
        await tx
          .update(submissions)
          .set({ state: 'withdrawn', decided_utc: now() })
          .where(eq(submissions.id, row.id))
        await note(w, 'withdrawn', row)
      })
    },
    /** A page of submissions, the latest first, and how many there are. */
    async list({
      page,
      per_page,
      state,
    }: {
      page: number
      per_page: number
      state?: SubmissionState | undefined
    }) {
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
    find: (id: number) => find(db.read, id),
    /**
     * Publishes the event of a submission with what came with it, asks back, or refuses it, which moves it to the trash. Where a mail asks
     * back, it has a new key in place of the one before. Throws 409 if that was decided before.
     */
    async decide(id: number, what: Decision, given: string, from: Submitter, tell: Telling): Promise<void> {
      const reply = inLines(given)
      const key = newKey()
      const hash = await hashOf(key)
      await db.write(async (tx) => {
        const row = await find(tx, id)
        if (!OPEN.includes(row.state)) throw decided()
        const sent = what === 'accepted' ? { status: 'publish' } : {}
        const w = writing(tx, from, from.by.caller, sent)
        if (what === 'accepted') await publish(w, row.event_id)
        if (what === 'refused') await discard(w, row.event_id)
        const told = { ...row, reply }
        const mail = tell({
          ...{ what, submission: told, event: { id: row.event_id, title: row.title } },
          key: what === 'asked' ? key : undefined,
        })
        if (mail) await mails.add(tx, mail)
        const end = what === 'asked' ? {} : { decided_utc: now() }
        await tx
          .update(submissions)
          .set({
            state: what,
            reply,
            decided_by: from.by.caller!.id,
            ...end,
            ...(mail && what === 'asked' && { hash }),
          })
          .where(eq(submissions.id, id))
        await note(w, what, row)
      })
    },
    /** Forgets who submitted what was decided so many days ago, a batch. Returns whether there may be more. */
    forget: (days: number): Promise<boolean> =>
      db.write(async (tx) => {
        const limit = toWall(site.clock() - days * DAY, 'UTC')
        const known = or(ne(submissions.email, ''), isNotNull(submissions.hash))
        const old = await tx
          .select({ id: submissions.id })
          .from(submissions)
          .where(and(lte(submissions.decided_utc, limit), known))
          .limit(BATCH)
        if (old.length === 0) return false
        await tx
          .update(submissions)
          .set({ name: '', email: '', note: '', hash: null })
          .where(
            inArray(
              submissions.id,
              old.map(({ id }) => id),
            ),
          )
        return old.length === BATCH
      }),
  }
}
export type Submissions = ReturnType<typeof openSubmissions>
