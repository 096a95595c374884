import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import { links, media, posts, type Refs, terms, users, venues } from '../../../drizzle/tables.ts'
import type { EventInput } from '../../../schemas/event.ts'
import type { SubmissionInput } from '../../../schemas/submission.ts'
import { escapeHtml } from '../../calendar/formats/texts.ts'
import type { EventWrite } from '../../calendar/records/events.ts'
import { eraseMedia, type NewMedia } from '../../calendar/records/media.ts'
import { findById, type Key } from '../../calendar/records/posts.ts'
import { project } from '../../calendar/records/projection.ts'
import { trashRecord } from '../../calendar/records/removal.ts'
import { linksOf } from '../../calendar/records/rows.ts'
import {
  type LinkedKind,
  organizerWrites,
  venueWrites,
} from '../../calendar/records/venues-and-organizers.ts'
import type { PostInput, Write } from '../../calendar/records/write.ts'
import { record } from '../../kernel/access/audit-log.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import type { Queries } from '../../kernel/database/db.ts'
import { toHtml } from '../../kernel/text/html.ts'
import { fold } from '../../kernel/text/text.ts'
import { toWall } from '../../kernel/time/dates.ts'

const LOGIN = 'submissions'
type Author = NonNullable<Caller>

/** Whether a login is that of the author, and not of a person who has it by chance. */
const fits = ({ role, disabled }: Pick<typeof users.$inferSelect, 'role' | 'disabled'>) =>
  disabled && role === 'contributor'

/** The logins that the author may have: a person may have the first one. */
const nameAt = (at: number) => (at === 1 ? LOGIN : `${LOGIN}-${at}`)

/** The user to whom submissions belong, if there is one yet, and otherwise the login that is free for it. */
async function findAuthor(tx: Queries, at = 1): Promise<Author | { login: string }> {
  const login = nameAt(at)
  const [user] = await tx.select().from(users).where(eq(users.login, login))
  if (!user) return { login }
  return fits(user) ? { id: user.id, role: user.role } : findAuthor(tx, at + 1)
}

/** The ID of the user to whom submissions belong; 0 if there is none any more. */
export async function authorIdIn(tx: Queries): Promise<number> {
  const found = await findAuthor(tx)
  return 'id' in found ? found.id : 0
}

/**
 * The user to whom submissions belong: a contributor, so that all that it writes waits and can name no other author, new category or
 * picture; and disabled, so that nobody signs in as it. It is made when it is needed.
 */
export async function authorOf(w: Pick<Write, 'tx' | 'site' | 'by' | 'now'>): Promise<Author> {
  const found = await findAuthor(w.tx)
  if ('id' in found) return found
  const [user] = await w.tx
    .insert(users)
    .values({ login: found.login, role: 'contributor', disabled: true, created_utc: toWall(w.now, 'UTC') })
    .returning()
  await project(w, 'user', { after: user! })
  const { id, login, role } = user!
  await record(w, 'user_added', { kind: 'user', id }, { login, role })
  return { id, role }
}

/** Under which address a picture that came with a form is passed on to the write: no request can name it. */
const PICTURE = 'submitted:'

/** The members of a submission that its event is made of. */
export type Proposed = Omit<
  SubmissionInput,
  'name' | 'email' | 'note' | 'challenge' | 'nonce' | 'i18n_language'
>

const isSame = (given: string, stored: string) => given === '' || fold(given) === fold(stored)

/** A published venue of this name at this address, the oldest; address and town that are not given fit any. */
async function findVenue({ tx }: Write, name: string, address: string, city: string) {
  const named = and(eq(posts.kind, 'venue'), eq(posts.folded_title, fold(name)), eq(posts.status, 'publish'))
  const rows = await tx
    .select({ id: posts.id, address: venues.address, city: venues.city })
    .from(posts)
    .innerJoin(venues, eq(venues.post_id, posts.id))
    .where(named)
    .orderBy(posts.id)
  return rows.find((row) => isSame(address, row.address) && isSame(city, row.city))
}

async function findOrganizer({ tx }: Write, name: string) {
  const named = and(
    eq(posts.kind, 'organizer'),
    eq(posts.folded_title, fold(name)),
    eq(posts.status, 'publish'),
  )
  return (await tx.select({ id: posts.id }).from(posts).where(named).orderBy(posts.id).limit(1))[0]
}

/** Those of some categories that visitors see. */
async function knownCategories({ tx }: Write, ids: number[]): Promise<number[]> {
  const seen = and(inArray(terms.id, ids), eq(terms.taxonomy, 'category'), eq(terms.hidden, false))
  return (await tx.select({ id: terms.id }).from(terms).where(seen)).map(({ id }) => id)
}

/**
 * The input of the event of a submission. Only published records are linked; a place or an organizer of another name is made with the event and
 * waits like it. Address and town of a new place are always sent, so that one of the same name that waits elsewhere is taken only if it is the
 * same in all.
 */
export async function eventOf(
  w: Write,
  proposed: Proposed,
  picture: NewMedia | undefined,
): Promise<EventInput & PostInput> {
  const { title, start_date, end_date, description, cost, website, categories } = proposed
  const [venue, address, city, organizer] = [
    proposed.venue,
    proposed.address,
    proposed.city,
    proposed.organizer,
  ].map((text) => text ?? '') as [string, string, string, string]
  const place =
    venue &&
    ((await findVenue(w, venue, address, city)) ?? {
      create: { venue, address, city, status: 'pending' as const },
    })
  const host =
    organizer &&
    ((await findOrganizer(w, organizer)) ?? { create: { organizer, status: 'pending' as const } })
  if (picture) w.pictures.set(PICTURE, picture)
  return {
    title,
    start_date,
    end_date,
    all_day: proposed.all_day ?? false,
    description: toHtml(escapeHtml(description ?? '')),
    cost: cost ?? null,
    website: website ?? null,
    categories: await knownCategories(w, categories ?? []),
    venue: place ? [place] : [],
    organizer: host ? [host] : [],
    ...(picture && { image: { url: PICTURE } }),
  } as EventInput & PostInput
}

const LINKED = ['venue', 'organizer'] as const satisfies readonly LinkedKind[]

/** The venues and organizers among some that came with a submission, and wait like its event. */
async function waitingAmong(tx: Write['tx'], refs: Refs) {
  const ids = LINKED.flatMap((kind) => refs[kind])
  if (ids.length === 0) return []
  const author = await authorIdIn(tx)
  const own = and(inArray(posts.id, ids), eq(posts.status, 'pending'), eq(posts.author_id, author))
  const rows = await tx.select({ id: posts.id, kind: posts.kind }).from(posts).where(own)
  return rows as { id: number; kind: LinkedKind }[]
}

/** Moves those to the trash that no other event has, once the event that they came with does not have them or is in the trash. */
export async function dropUnused(w: Write, refs: Refs, event: number) {
  for (const { id, kind } of await waitingAmong(w.tx, refs)) {
    const used = and(eq(links.kind, kind), eq(links.target_id, id), ne(posts.status, 'trash'))
    const [other] = await w.tx
      .select({ one: sql`1` })
      .from(links)
      .innerJoin(posts, and(eq(posts.id, links.event_id), ne(posts.id, event)))
      .where(used)
      .limit(1)
    if (!other) await trashRecord(w, kind, { id })
  }
}

/** Deletes a picture that came with an event and that no other record has: pictures have no trash. Its files go later. */
export async function dropPicture(w: Write, picture: number | null, event: number) {
  if (picture === null) return
  const [row] = await w.tx
    .select()
    .from(media)
    .where(and(eq(media.id, picture), eq(media.author_id, await authorIdIn(w.tx))))
  const [other] = await w.tx
    .select({ id: posts.id })
    .from(posts)
    .where(and(eq(posts.image_id, picture), ne(posts.id, event)))
    .limit(1)
  if (row && !other) await eraseMedia(w, row)
}

/** The part of writing events that accepting one needs. */
export type Updating = { update(w: Write, key: Key, input: EventWrite): Promise<number> }

/** Publishes an event and what came with it. */
export async function publish(w: Write, { update }: Updating, event: number) {
  for (const { kind, id } of await waitingAmong(w.tx, await linksOf(w.tx, event)))
    await (kind === 'venue' ? venueWrites : organizerWrites).update(w, { id }, { status: 'publish' })
  await update(w, { id: event }, { status: 'publish' } as EventWrite)
}

/** Moves an event to the trash, with what came with it and is used nowhere else. */
export async function discard(w: Write, event: number) {
  const { status } = (await findById(w.tx, 'event', event))!
  const refs = await linksOf(w.tx, event)
  if (status !== 'trash') await trashRecord(w, 'event', { id: event })
  await dropUnused(w, refs, event)
}
