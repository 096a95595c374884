import { eq } from 'drizzle-orm'
import { submissions } from '../../../../drizzle/tables.ts'
import type { Keyed } from '../../../kernel/access/tokens.ts'
import type { Db } from '../../../kernel/database/db.ts'
import { ApiError } from '../../../kernel/errors.ts'
import type { Mails } from '../../../kernel/outbound/mailing.ts'
import type { Site } from '../../../kernel/site.ts'
import { discard, publish, type Updating } from './event.ts'
import { findSubmission, OPEN } from './rows.ts'
import { type Decision, decided, inLines, openWriting, type Sender, type Telling } from './writing.ts'

/** What editors tell the submitter, and when the event was changed last as they looked at it. */
type Given = { reply?: string | null; seen?: string | null }

const changed = () =>
  new ApiError('submission_changed', 'The event was changed since you looked at it: read it again.')
const forgotten = () =>
  new ApiError(
    'submission_forgotten',
    'Who proposed this is not known any more, so nobody can be asked: accept or refuse it.',
  )

type Parts = { db: Pick<Db, 'write'>; site: Site; keyed: Keyed; events: Updating; mails: Pick<Mails, 'add'> }

/** What editors decide of what was proposed. */
export function openDecisions({ db, site, keyed, events, mails }: Parts) {
  const { now, hashOf, newKey, contextOf, note } = openWriting(site, keyed)
  return {
    /**
     * Publishes the event of a submission with what came with it, asks back, or refuses it, which moves it to the trash. Where a mail asks
     * back, it has a new key in place of the one before. Throws 409 if that was decided before, the event is another than was seen, or nobody
     * is known who could be asked.
     */
    async decide(id: number, what: Decision, given: Given, from: Sender, tell: Telling): Promise<void> {
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
        if (what === 'accepted') await publish(w, events, row.event_id)
        if (what === 'refused') await discard(w, row.event_id)
        const told = { ...row, reply }
        const mail = tell({
          ...{ what, submission: told, event: { id: row.event_id, title: row.title } },
          key: what === 'asked' ? key : undefined,
        })
        if (mail) await mails.add(tx, mail)
        await tx
          .update(submissions)
          .set({
            state: what,
            reply,
            ...{ decided_utc: now(), decided_by: from.by.caller!.id },
            ...(mail && what === 'asked' && { hash }),
          })
          .where(eq(submissions.id, id))
        await note(w, what, row)
      })
    },
  }
}
