import { randomBytes } from 'node:crypto'
import type { Write } from '../../../calendar/records/write.ts'
import { type Actor, record } from '../../../kernel/access/audit-log.ts'
import type { Keyed } from '../../../kernel/access/tokens.ts'
import type { Queries } from '../../../kernel/database/db.ts'
import { ApiError } from '../../../kernel/errors.ts'
import type { Mail } from '../../../kernel/outbound/mailing.ts'
import type { Site } from '../../../kernel/site.ts'
import { withoutControls } from '../../../kernel/text/text.ts'
import { toWall } from '../../../kernel/time/dates.ts'
import type { Submission, SubmissionRow, SubmissionState } from './rows.ts'

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
export type Telling = (news: SubmissionNews) => Pick<Mail, 'recipient' | 'subject' | 'text'> | undefined

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
    ...{ tx, site, caller, by, now: site.clock(), language },
    ...{ pictures: new Map(), ignored: [], created: [], given: given as Record<string, unknown> },
  }),
  note: (
    { tx, by }: Pick<Write, 'tx' | 'by'>,
    what: Exclude<SubmissionState, 'waiting'> | 'received',
    { event_id: id, title }: Pick<Submission, 'event_id' | 'title'>,
  ) => record({ tx, site, by }, `submission_${what}`, { kind: 'event', id }, { title }),
})
