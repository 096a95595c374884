import { list, read, send } from '../../api/client.ts'
import type { EventRecord } from '../../rules/event.ts'
import { w } from '../../words/words.ts'
import type { Revision } from '../history/data.ts'

export const STATES = ['waiting', 'asked', 'accepted', 'refused', 'withdrawn'] as const
export type State = (typeof STATES)[number]
type Alike = { id: number; title: string; start_date: string; venue: string }
/** What was proposed: the API's `Submission`. */
export type Submission = {
  id: number
  state: State
  event: number
  title: string
  start_date: string
  end_date: string
  all_day: boolean
  name: string
  email: string
  note: string
  reply: string
  created_utc: string
  /** When its event was changed last. */
  modified_utc: string
  alike: Alike[]
}
/** The members of its event that are shown with it. */
export type Proposed = Pick<
  EventRecord,
  'id' | 'author' | 'modified_utc' | 'description' | 'image' | 'cost' | 'website' | 'categories' | 'language'
> & { venue: Place | []; organizer: { organizer: string }[] }
type Place = { venue: string; address?: string; city?: string }
/** The event of a submission, and what the submitter has corrected in it last, with when. */
export type Shown = { event: Proposed; corrected: { members: string[]; at: string } | undefined }

const DECISIONS = ['accept', 'ask', 'refuse'] as const
export type Decision = (typeof DECISIONS)[number]

/** A state in words. */
export const stateText = (state: State) => w[`submission_${state}`]

/** Whether editors may still decide. */
export const isOpen = ({ state }: Submission) => state === 'waiting' || state === 'asked'

/** What may be decided with a message: nobody gets one once it is not known who proposed it. */
export const decisionsOn = ({ email }: Submission) =>
  DECISIONS.filter((what) => what === 'refuse' || email !== '')

/** Decides on what is shown, and gives the submission as it then is. */
export const decide = async (
  { id, modified_utc: seen }: Submission,
  what: Decision,
  reply: string,
): Promise<Submission> =>
  (await send<Submission>('POST', `/submissions/${id}/${what}`, { body: { reply, seen } })).body

/** Reads the event of a submission, which editors see in any status but in the trash. */
export async function readProposed({ event: id, reply }: Submission): Promise<Shown> {
  const event = await read<Proposed>(`/events/${id}`)
  // who was asked back answers by correcting the event
  const { rows } = reply
    ? await list<Revision>(`/events/${id}/revisions`, 'revisions', { per_page: 20 })
    : { rows: [] }
  const last = rows.find(({ user }) => String(user) === event.author)
  return { event, corrected: last && { members: Object.keys(last.after), at: last.at_utc } }
}

/** Where it takes place, and who organizes it, on one line each. */
export const placeText = ({ venue }: Proposed) =>
  Array.isArray(venue) ? '' : [venue.venue, venue.address, venue.city].filter(Boolean).join(', ')
export const organizersText = ({ organizer }: Proposed) => organizer.map((one) => one.organizer).join(', ')
