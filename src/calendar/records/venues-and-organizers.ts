import { and, eq, ne, sql } from 'drizzle-orm'
import { organizers, posts, venues } from '../../../drizzle/tables.ts'
import type { OrganizerInput } from '../../../schemas/organizer.ts'
import type { VenueInput } from '../../../schemas/venue.ts'
import { canRead } from '../../kernel/access/rights.ts'
import { columnsOf, excludedOf, prepared, type Queries } from '../../kernel/database/db.ts'
import { type Problems, refuse } from '../../kernel/errors.ts'
import { fold } from '../../kernel/text/text.ts'
import { type OrganizerRow, type Post, stateProvince, type VenueRow } from '../formats/records.ts'
import { searched, VENUE_TEXTS } from './derived.ts'
import { checkPostInput, linkedFields, shownOf, withInherited, withoutReturned } from './input.ts'
import {
  checkAuthor,
  checkNotInTrash,
  editable,
  findByExternal,
  findOwned,
  type Key,
  saveExternal,
  seekPost,
} from './posts.ts'
import { project } from './projection.ts'
import { type PostInput, savePost, textAfter, type Write } from './write.ts'

/** The differences between writes of venues and of organizers. */
type KindOf<I> = {
  kind: LinkedKind
  nameOf(input: I): string
  /** The columns stored outside `posts`, by the names of the input. */
  stored(tx: Queries, id: number): Promise<Record<string, unknown>>
  /** The row of the record in its own table. */
  rowOf(tx: Queries, id: number): Promise<object>
  /** Conflicts of an input with the stored record. */
  conflicts?(input: I, stored?: Record<string, unknown>): Problems
  /** Writes a record; without `self` a new one. Records in the input were checked before. */
  save(w: Write, input: I, self?: Post): Promise<Post>
}

/** Writes of venues or organizers, which differ only in their own columns. */
function openLinkedWrites<I extends PostInput>(particular: KindOf<I>) {
  const { kind, nameOf, stored, rowOf, conflicts: misfit, save } = particular
  /** Reads an input for the record with a key, or for a new one: the members that change something, and all problems. */
  async function readInput(w: Write, sent: I, key?: Key) {
    const found = key && (await seekPost(w.tx, kind, key, w.caller))
    const own = found && (await stored(w.tx, found.id))
    const input = found ? withoutReturned(w, sent, { ...shownOf(found), [kind]: found.title, ...own }) : sent
    const problems: Problems = { ...(await checkPostInput(w, kind, input, found)), ...misfit?.(input, own) }
    return { found, input, problems }
  }

  const membersOf = async ({ tx }: Write, { id, description, image_id: image }: Post) => ({
    ...(await stored(tx, id)),
    description,
    image,
  })

  return {
    rowOf,
    /** Problems with the records that an input refers to, and conflicts with the stored record. */
    check: async (w: Write, sent: I, key?: Key): Promise<Problems> =>
      (await readInput(w, sent, key)).problems,
    async create(w: Write, sent: I): Promise<number> {
      const readFields = async (post: Post) => linkedFields(post, await rowOf(w.tx, post.id))
      const { input, problems } = await readInput(w, await withInherited(w, kind, sent, readFields))
      refuse(problems)
      checkAuthor(w.caller, input.author)
      return (await save(w, input)).id
    },
    async update(w: Write, key: Key, sent: I): Promise<number> {
      const { found, input, problems } = await readInput(w, sent, key)
      refuse(problems)
      const post = editable(w.caller, kind, key, 'change', found)
      checkNotInTrash(post, input.status)
      checkAuthor(w.caller, input.author, post)
      return (await save(w, input, post)).id
    },
    /** The record for one inside an event: an existing one of the same name, or a new one (D31). */
    async inline(w: Write, input: I): Promise<number> {
      const known = await findByExternalId(w, kind, input)
      if (known !== undefined) return known
      if (input.external_id) return (await save(w, input)).id
      for (const post of await namesakes(w, kind, nameOf(input)))
        if (agrees(w, input, post, await membersOf(w, post))) return post.id
      return (await save(w, input)).id
    },
    /** The record of the same name that has nothing else where it has something; undefined if there is none. */
    async completedBy(w: Write, input: I): Promise<number | undefined> {
      for (const post of await namesakes(w, kind, nameOf(input))) {
        const members = Object.entries(await membersOf(w, post))
        const filled = Object.fromEntries(members.filter(([, value]) => value !== '' && value !== null))
        if (agrees(w, input, post, filled)) return post.id
      }
      return undefined
    },
  }
}

export type LinkedWrites<I extends PostInput> = ReturnType<typeof openLinkedWrites<I>>

/** The kinds of records that events are linked to. */
export type LinkedKind = 'venue' | 'organizer'

/** The record that another system calls as an input says, if it may be linked to. */
async function findByExternalId(w: Write, kind: LinkedKind, { source, external_id }: PostInput) {
  if (!source || !external_id) return undefined
  const id = await findByExternal(w.tx, kind, { source, external_id })
  const post = id === undefined ? undefined : await findOwned(w.tx, kind, id)
  return post && post.status !== 'trash' && canRead(w.caller, post) ? id : undefined
}

/** Records of this name (without case and accents) that the caller may read and that are not in the trash, oldest first (D31). */
async function namesakes(w: Write, kind: LinkedKind, name: string): Promise<Post[]> {
  const same = and(eq(posts.kind, kind), eq(posts.folded_title, fold(name)), ne(posts.status, 'trash'))
  const rows = await w.tx.select().from(posts).where(same).orderBy(posts.id)
  return rows.filter((post) => canRead(w.caller, post))
}

/** Whether an input contradicts none of the members of a record; only then is that of the same name reused (D31). */
function agrees(
  w: Write,
  sent: Record<string, unknown>,
  post: Post,
  texts: Record<string, unknown>,
): boolean {
  return Object.entries(sent).every(([name, value]) => {
    if (!(name in texts) || value === undefined || value === null) return true
    if (name === 'image') return imageId(w, value as { id: number } | { url: string }) === post.image_id
    return typeof value === 'string' ? fold(value) === fold(String(texts[name])) : value === texts[name]
  })
}
const imageId = (w: Write, image: { id: number } | { url: string }) =>
  'id' in image ? image.id : w.pictures.get(image.url)

/** The row after a write. Maps are shown by default (reference §2.4). */
function rowAfter(input: VenueInput, self?: VenueRow) {
  const texts = Object.fromEntries(
    VENUE_TEXTS.map((name) => [name, textAfter(input[name], self?.[name])]),
  ) as Record<(typeof VENUE_TEXTS)[number], string>
  const flag = (name: 'show_map' | 'show_map_link') =>
    input[name] === undefined ? (self?.[name] ?? true) : (input[name] ?? true)
  const degrees = (name: 'geo_lat' | 'geo_lng') =>
    input[name] === undefined ? (self?.[name] ?? null) : input[name]
  return {
    ...texts,
    show_map: flag('show_map'),
    show_map_link: flag('show_map_link'),
    geo_lat: degrees('geo_lat'),
    geo_lng: degrees('geo_lng'),
  }
}

async function saveVenue(w: Write, input: VenueInput, self?: { post: Post; venue: VenueRow }): Promise<Post> {
  const row = rowAfter(input, self?.venue)
  const texts = searched.venue({ description: textAfter(input.description, self?.post.description) }, row)
  const post = await savePost(w, 'venue', input.venue ?? self!.post.title, input, texts, self?.post)
  const venue = { post_id: post.id, ...row }
  await upsertVenue(w.tx).execute(venue)
  const external = await saveExternal(w, post, input, !self)
  await project(w, 'post', {
    before: self,
    after: { post, venue, ...(external !== undefined && { external }) },
  })
  return post
}

/**
 * Problems with a latitude without a longitude, or the reverse, after a write. Those of a new venue are sent together, even if one is
 * null: that is what a schema can say.
 */
function checkCoordinates(input: VenueInput, stored?: Record<string, unknown>): Problems {
  if (input.geo_lat === undefined && input.geo_lng === undefined) return {}
  const none = stored ? null : undefined
  const { geo_lat = none, geo_lng = none } = { ...stored, ...input }
  const lacks = (one: unknown, other: unknown) =>
    one === undefined || (one === null && typeof other === 'number')
  if (lacks(geo_lat, geo_lng)) return { geo_lat: 'is needed beside geo_lng.' }
  return lacks(geo_lng, geo_lat) ? { geo_lng: 'is needed beside geo_lat.' } : {}
}

const selectVenue = prepared((db) =>
  db
    .select()
    .from(venues)
    .where(eq(venues.post_id, sql.placeholder('id')))
    .prepare(),
)
const upsertVenue = prepared((db) =>
  db
    .insert(venues)
    .values(columnsOf(venues))
    .onConflictDoUpdate({ target: venues.post_id, set: excludedOf(venues) })
    .prepare(),
)
const venueRowOf = async (tx: Queries, id: number): Promise<VenueRow> =>
  (await selectVenue(tx).execute({ id }))[0]!

export const venueWrites = openLinkedWrites<VenueInput>({
  kind: 'venue',
  nameOf: (input) => input.venue!,
  conflicts: checkCoordinates,
  rowOf: venueRowOf,
  stored: async (tx, id) => {
    const row = await venueRowOf(tx, id)
    return { ...row, stateprovince: stateProvince(row) }
  },
  save: async (w, input, self) =>
    saveVenue(w, input, self && { post: self, venue: await venueRowOf(w.tx, self.id) }),
})

async function saveOrganizer(
  w: Write,
  input: OrganizerInput,
  self?: { post: Post; organizer: OrganizerRow },
): Promise<Post> {
  const row = {
    phone: textAfter(input.phone, self?.organizer.phone),
    website: textAfter(input.website, self?.organizer.website),
    email: textAfter(input.email, self?.organizer.email),
  }
  const texts = searched.organizer({ description: textAfter(input.description, self?.post.description) }, row)
  const post = await savePost(w, 'organizer', input.organizer ?? self!.post.title, input, texts, self?.post)
  const organizer = { post_id: post.id, ...row }
  await w.tx.insert(organizers).values(organizer).onConflictDoUpdate({ target: organizers.post_id, set: row })
  const external = await saveExternal(w, post, input, !self)
  const after = { post, organizer, ...(external !== undefined && { external }) }
  await project(w, 'post', { before: self, after })
  return post
}

async function organizerRowOf(tx: Queries, id: number): Promise<OrganizerRow> {
  const [row] = await tx.select().from(organizers).where(eq(organizers.post_id, id))
  return row!
}

export const organizerWrites = openLinkedWrites<OrganizerInput>({
  kind: 'organizer',
  nameOf: (input) => input.organizer!,
  stored: organizerRowOf,
  rowOf: organizerRowOf,
  save: async (w, input, self) =>
    saveOrganizer(w, input, self && { post: self, organizer: await organizerRowOf(w.tx, self.id) }),
})
