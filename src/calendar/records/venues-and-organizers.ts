import { and, eq, ne } from 'drizzle-orm'
import { posts } from '../../../drizzle/tables.ts'
import type { OrganizerInput } from '../../../schemas/organizer.ts'
import type { VenueInput } from '../../../schemas/venue.ts'
import type { Queries } from '../../kernel/database/db.ts'
import { type Problems, refuse } from '../../kernel/errors.ts'
import { fold } from '../../kernel/text/text.ts'
import { type OrganizerRow, type Post, stateProvince, type VenueRow } from '../formats/records.ts'
import { canRead } from '../rights.ts'
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
import { postRows } from './rows.ts'
import { type PostInput, savePost, textAfter, type Write } from './write.ts'

/** The kinds of records that events are linked to. */
export type LinkedKind = 'venue' | 'organizer'
/** The inputs of both, and the rows in their own tables. */
type Kinds = {
  venue: { input: VenueInput; row: VenueRow }
  organizer: { input: OrganizerInput; row: OrganizerRow }
}
/** The differences between writes of venues and of organizers. */
type Particulars<I, R> = {
  /** The row after a write, but for its ID. */
  rowAfter(input: I, self?: R): Omit<R, 'post_id'>
  /** The members of the row as answers show them. */
  shownOf?(row: R): R
  /** Conflicts of an input with the stored record. */
  conflicts?(input: I, stored?: R): Problems
}

/** Writes of venues or organizers, which differ only in their own columns. */
function openLinkedWrites<K extends LinkedKind>(
  kind: K,
  { rowAfter, shownOf: shown = (row) => row, conflicts }: Particulars<Kinds[K]['input'], Kinds[K]['row']>,
) {
  type Input = Kinds[K]['input'] & PostInput
  type Row = Kinds[K]['row']
  const nameOf = (input: Input) => (input as { [kind: string]: unknown })[kind] as string | null | undefined
  const rowOf = async (tx: Queries, id: number): Promise<Row> => (await postRows[kind].find(tx, id))!

  /** Reads an input for the record with a key, or for a new one: the members that change something, and all problems. */
  async function readInput(w: Write, sent: Input, key?: Key) {
    const found = key && (await seekPost(w.tx, kind, key, w.caller))
    const row = found && (await rowOf(w.tx, found.id))
    const own = row && shown(row)
    const input = found ? withoutReturned(w, sent, { ...shownOf(found), [kind]: found.title, ...own }) : sent
    const problems: Problems = {
      ...(await checkPostInput(w, kind, input, found)),
      ...conflicts?.(input, own),
    }
    return { found, row, input, problems }
  }

  /** Writes a record; without `self` a new one. Records in the input were checked before. */
  async function save(w: Write, input: Input, self?: { post: Post; row: Row }): Promise<number> {
    const own = rowAfter(input, self?.row)
    const texts = searched[kind](
      { description: textAfter(input.description, self?.post.description) },
      own as never,
    )
    const post = await savePost(w, kind, nameOf(input) ?? self!.post.title, input, texts, self?.post)
    const row = { post_id: post.id, ...own }
    await postRows[kind].save(w.tx, row as never)
    const external = await saveExternal(w, post, input, !self)
    await project(w, 'post', {
      before: self && { post: self.post },
      after: { post, [kind]: row, ...(external !== undefined && { external }) },
    })
    return post.id
  }

  const membersOf = async (
    { tx }: Write,
    { id, description, image_id: image }: Post,
  ): Promise<Record<string, unknown>> => ({
    ...(shown(await rowOf(tx, id)) as object),
    description,
    image,
  })

  return {
    rowOf,
    /** Problems with the records that an input refers to, and conflicts with the stored record. */
    check: async (w: Write, sent: Input, key?: Key): Promise<Problems> =>
      (await readInput(w, sent, key)).problems,
    async create(w: Write, sent: Input): Promise<number> {
      const readFields = async (post: Post) => linkedFields(post, await rowOf(w.tx, post.id))
      const { input, problems } = await readInput(w, await withInherited(w, kind, sent, readFields))
      refuse(problems)
      checkAuthor(w.caller, input.author)
      return save(w, input)
    },
    async update(w: Write, key: Key, sent: Input): Promise<number> {
      const { found, row, input, problems } = await readInput(w, sent, key)
      refuse(problems)
      const post = editable(w.caller, kind, key, 'change', found)
      checkNotInTrash(post, input.status)
      checkAuthor(w.caller, input.author, post)
      return save(w, input, { post, row: row! })
    },
    /** The record for one inside an event: an existing one of the same name, or a new one (D31). */
    async inline(w: Write, input: Input): Promise<number> {
      const known = await findByExternalId(w, kind, input)
      if (known !== undefined) return known
      if (input.external_id) return save(w, input)
      for (const post of await namesakes(w, kind, nameOf(input)!))
        if (agrees(w, input, post, await membersOf(w, post))) return post.id
      return save(w, input)
    },
    /** The record of the same name that has nothing else where it has something; undefined if there is none. */
    async completedBy(w: Write, input: Input): Promise<number | undefined> {
      for (const post of await namesakes(w, kind, nameOf(input)!)) {
        const members = Object.entries(await membersOf(w, post))
        const filled = Object.fromEntries(members.filter(([, value]) => value !== '' && value !== null))
        if (agrees(w, input, post, filled)) return post.id
      }
      return undefined
    },
  }
}

export type LinkedWrites<K extends LinkedKind> = ReturnType<typeof openLinkedWrites<K>>

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

/** The row of a venue after a write. Maps are shown by default (reference §2.4). */
function venueAfter(input: VenueInput, self?: VenueRow) {
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

/**
 * Problems with a latitude without a longitude, or the reverse, after a write. Those of a new venue are sent together, even if one is
 * null: that is what a schema can say.
 */
function checkCoordinates(input: VenueInput, stored?: VenueRow): Problems {
  if (input.geo_lat === undefined && input.geo_lng === undefined) return {}
  const none = stored ? null : undefined
  const { geo_lat = none, geo_lng = none } = { ...stored, ...input }
  const lacks = (one: unknown, other: unknown) =>
    one === undefined || (one === null && typeof other === 'number')
  if (lacks(geo_lat, geo_lng)) return { geo_lat: 'is needed beside geo_lng.' }
  return lacks(geo_lng, geo_lat) ? { geo_lng: 'is needed beside geo_lat.' } : {}
}

/** Writes of venues. */
export const venueWrites = openLinkedWrites('venue', {
  rowAfter: venueAfter,
  shownOf: (row) => ({ ...row, stateprovince: stateProvince(row) }),
  conflicts: checkCoordinates,
})

/** Writes of organizers. */
export const organizerWrites = openLinkedWrites('organizer', {
  rowAfter: (input, self) => ({
    phone: textAfter(input.phone, self?.phone),
    website: textAfter(input.website, self?.website),
    email: textAfter(input.email, self?.email),
  }),
})
