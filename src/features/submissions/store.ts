import { eq } from 'drizzle-orm'
import { submissions } from '../../../drizzle/tables.ts'
import type { SubmissionInput } from '../../../schemas/submission.ts'
import type { Post } from '../../calendar/formats/records.ts'
import type { EventWrite as SentEvent } from '../../calendar/records/events.ts'
import type { NewMedia } from '../../calendar/records/media.ts'
import { findById } from '../../calendar/records/posts.ts'
import { linksOf } from '../../calendar/records/rows.ts'
import type { Write } from '../../calendar/records/write.ts'
import { type Counted, openQuotas } from '../../kernel/access/quotas.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import type { Keyed } from '../../kernel/access/tokens.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Mails } from '../../kernel/outbound/mailing.ts'
import type { Site } from '../../kernel/site.ts'
import { withoutControls } from '../../kernel/text/text.ts'
import {
  authorIdIn,
  authorOf,
  discard,
  dropPicture,
  dropUnused,
  eventOf,
  publish,
  type Updating,
} from './event.ts'
import { type EditorsNotice, openEditorsDigest } from './mail.ts'
import { bitsAt, openSubmissionChallenges, PROOF_BITS, zerosOf } from './proofs.ts'
import {
  type Decision,
  decided,
  findByHash,
  findSubmission,
  inLines,
  type Notice,
  OPEN,
  openSubmissionRows,
  openWriting,
  type Sender,
  type Submission,
} from './rows.ts'

/** What editors tell the submitter, and when the event was changed last as they looked at it. */
type Given = { reply?: string | null; seen?: string | null }

const changed = () =>
  new ApiError('submission_changed', 'The event was changed since you looked at it: read it again.')
const forgotten = () =>
  new ApiError(
    'submission_forgotten',
    'Who proposed this is not known any more, so nobody can be asked: accept or refuse it.',
  )

type Received = { input: SubmissionInput; picture?: NewMedia | undefined }
/** The members of its event that a correction leaves as they are. */
type Corrected = Received & { kept: readonly string[] }
/** Who is told of what has come: the submitter, and the editors if they want it. */
type Notices = { notify: Notice; notifyEditors: EditorsNotice | undefined }

/** The part of writing events that submissions need. */
type Events = Updating & { create(w: Write, input: SentEvent): Promise<number> }
/** What a submission takes: a challenge, and a place in what is counted of submissions and of mails about them. */
type Consumption = { challenge?: string | undefined; counted: Counted[]; mailed: Counted[] }
/** All submissions with a proof of work. */
export const PROVEN: Counted = { what: 'proven submissions' }
type Parts = { db: Db; site: Site; keyed: Keyed; events: Events; mails: Pick<Mails, 'add'> }

/** Who submits, and what they tell the editors. */
const submitterOf = ({ name, email, note }: SubmissionInput) => ({
  name: withoutControls(name),
  email,
  note: inLines(note ?? ''),
})

/** Events that people without accounts propose: receiving them, their corrections and withdrawals, and what editors decide. */
export function openSubmissions({ db, site, keyed, events: writes, mails }: Parts) {
  const challenges = openSubmissionChallenges(keyed, site)
  const quotas = openQuotas(keyed, site)
  const withinHour = (counted: Counted) => quotas.withinHour(db.read, counted)
  /** How many zero bits a proof of work has to begin with now. */
  const bits = async () => bitsAt(await withinHour(PROVEN))
  const digest = openEditorsDigest({ db, site, mails })
  const { now, hashOf, newKey, contextOf, note } = openWriting(site, keyed)
  /** The context of a write by the user to whom submissions belong. */
  async function writingAsAuthor(tx: Queries, from: Sender, given: object): Promise<Write> {
    const w = contextOf(tx, from, undefined, given)
    return { ...w, caller: await authorOf(w) }
  }
  /** Whether the submitter may still change the event: nobody has published it, taken it over or thrown it away meanwhile. */
  async function isOpen(tx: Queries, { state, event_id }: Submission): Promise<boolean> {
    const post = (await findById(tx, 'event', event_id))!
    return OPEN.includes(state) && post.status === 'pending' && post.author_id === (await authorIdIn(tx))
  }
  /** The submission of a key that the submitter may still change. Throws 409 otherwise. */
  async function mustBeOpen(tx: Queries, hash: string): Promise<Submission> {
    const row = await findByHash(tx, hash)
    if (!row || !(await isOpen(tx, row))) throw decided()
    return row
  }

  const usedBefore = () =>
    new ApiError('submission_proof_required', 'This challenge was used before; get another one.')

  return {
    challenges,
    bits,
    /** How often something that is counted was done within the hour. */
    withinHour,
    /** Whether a text solves a challenge; throws 403 if it did so when proofs were cheaper. */
    async isProven(challenge: string, nonce: string): Promise<boolean> {
      const zeros = zerosOf(challenge, nonce)
      const needed = await bits()
      if (zeros < PROOF_BITS || zeros >= needed) return zeros >= PROOF_BITS
      throw new ApiError(
        'submission_proof_required',
        `Much is proposed at the moment, so that a proof has ${needed} bits; get another challenge.`,
      )
    },
    /**
     * Spends what a submission takes, before anything of it is done. Returns the seconds until there would be enough, if there is not, and then
     * nothing is spent; or else whether a mail may be sent about it, and what gives all back. Throws 403 for a challenge that was used before.
     */
    async consumeQuotas({ challenge, counted, mailed }: Consumption) {
      if (counted.length + mailed.length === 0) return { wait: 0, mayMail: true, release: async () => {} }
      await keyed('') // the key of the calendar is made outside of a transaction
      if (challenge !== undefined && (await challenges.isUsed(db.read, challenge))) throw usedBefore()
      return db.write(async (tx) => {
        const wait = await quotas.wait(tx, counted)
        if (wait > 0) return { wait }
        if (challenge !== undefined && !(await challenges.use(tx, challenge))) throw usedBefore()
        const mayMail = (await quotas.wait(tx, mailed)) === 0
        const added = mayMail ? [...counted, ...mailed] : counted
        const at = site.clock()
        await quotas.add(tx, added, at)
        const release = () =>
          db.write(async (tx) => {
            await quotas.release(tx, added, at)
            if (challenge !== undefined) await challenges.release(tx, challenge)
          })
        return { wait: 0, mayMail, release }
      })
    },
    ...openSubmissionRows(db, site),
    /** Queues the mails to editors about what came within the hour after the last ones. */
    notifyEditors: digest.notifyLater,
    /**
     * Takes a submission: its event waits, and belongs to the user of submissions. Returns the key with which it is corrected, which is
     * stored nowhere. Throws 400 for what can not be an event.
     */
    async receive({ input, picture }: Received, from: Sender, { notify, notifyEditors }: Notices) {
      const key = newKey()
      const hash = await hashOf(key)
      await db.write(async (tx) => {
        const w = await writingAsAuthor(tx, from, input)
        const language = input.i18n_language ?? from.language
        const event = await eventOf(w, input, picture)
        const event_id = await writes.create(w, { ...event, status: 'pending', i18n_language: language })
        const submission = { ...submitterOf(input), language, reply: '' }
        await tx
          .insert(submissions)
          .values({ ...submission, event_id, state: 'waiting', hash, created_utc: now() })
        await note(w, 'received', { event_id, title: input.title })
        const mail = notify({
          what: 'received',
          submission,
          event: { id: event_id, title: input.title },
          key,
        })
        if (mail) await mails.add(tx, mail)
        if (notifyEditors) await digest.notify(tx, notifyEditors)
      })
      return key
    },
    /** As whom an event that was proposed and waits is looked at, so that what came with it is seen; undefined for other events. */
    async viewerOf({ status, author_id: id }: Pick<Post, 'status' | 'author_id'>): Promise<Caller> {
      const isOurs = status === 'pending' && id === (await authorIdIn(db.read))
      return isOurs ? { id, role: 'contributor' } : undefined
    },
    /** The submission that a key belongs to, and whether it may still be changed; undefined if there is none. */
    async byKey(key: string): Promise<{ submission: Submission; isOpen: boolean } | undefined> {
      const submission = await findByHash(db.read, await hashOf(key))
      return submission && { submission, isOpen: await isOpen(db.read, submission) }
    },
    /**
     * Changes what was submitted, which then waits again; a picture takes the place of the one before. Throws 409 once it is decided.
     */
    async correct(key: string, { input, picture, kept }: Corrected, from: Sender): Promise<void> {
      const hash = await hashOf(key)
      await db.write(async (tx) => {
        const { id, event_id } = await mustBeOpen(tx, hash)
        const w = await writingAsAuthor(tx, from, input)
        const before = await linksOf(tx, event_id)
        const { image_id } = (await findById(tx, 'event', event_id))!
        const members = Object.entries(await eventOf(w, input, picture))
        const changed = Object.fromEntries(members.filter(([name]) => !kept.includes(name)))
        await writes.update(w, { id: event_id }, changed as SentEvent)
        const after = await linksOf(tx, event_id)
        const gone = {
          ...before,
          venue: before.venue.filter((one) => !after.venue.includes(one)),
          organizer: before.organizer.filter((one) => !after.organizer.includes(one)),
        }
        await dropUnused(w, gone, event_id)
        if (picture) await dropPicture(w, image_id, event_id)
        await tx
          .update(submissions)
          .set({ ...submitterOf(input), state: 'waiting', decided_utc: now() })
          .where(eq(submissions.id, id))
      })
    },
    /** Takes a submission back: its event goes to the trash, and its picture is deleted. Throws 409 once it is decided. */
    async withdraw(key: string, from: Sender): Promise<void> {
      const hash = await hashOf(key)
      await db.write(async (tx) => {
        const row = await mustBeOpen(tx, hash)
        const w = await writingAsAuthor(tx, from, {})
        const { image_id } = (await findById(tx, 'event', row.event_id))!
        await discard(w, row.event_id)
        await dropPicture(w, image_id, row.event_id)
        await tx
          .update(submissions)
          .set({ state: 'withdrawn', decided_utc: now() })
          .where(eq(submissions.id, row.id))
        await note(w, 'withdrawn', row)
      })
    },
    /**
     * Publishes the event of a submission with what came with it, asks back, or refuses it, which moves it to the trash. Where a mail asks
     * back, it has a new key in place of the one before. Throws 409 if that was decided before, the event is another than was seen, or nobody
     * is known who could be asked.
     */
    async decide(id: number, what: Decision, given: Given, from: Sender, notify: Notice): Promise<void> {
      const reply = inLines(given.reply ?? '')
      const key = newKey()
      const hash = await hashOf(key)
      await db.write(async (tx) => {
        const row = await findSubmission(tx, id)
        if (!OPEN.includes(row.state)) throw decided()
        if (given.seen && given.seen !== row.modified_utc) throw changed()
        if (what === 'asked' && row.email === '') throw forgotten()
        const sent = what === 'accepted' ? { status: 'publish' } : {}
        const w = contextOf(tx, from, from.by.caller, sent)
        if (what === 'accepted') await publish(w, writes, row.event_id)
        if (what === 'refused') await discard(w, row.event_id)
        const answered = { ...row, reply }
        const mail = notify({
          what,
          submission: answered,
          event: { id: row.event_id, title: row.title },
          key: what === 'asked' ? key : undefined,
        })
        if (mail) await mails.add(tx, mail)
        await tx
          .update(submissions)
          .set({
            state: what,
            reply,
            decided_utc: now(),
            decided_by: from.by.caller!.id,
            ...(mail && what === 'asked' && { hash }),
          })
          .where(eq(submissions.id, id))
        await note(w, what, row)
      })
    },
  }
}
export type Submissions = ReturnType<typeof openSubmissions>
