import { eq, inArray, sql } from 'drizzle-orm'
import { documents, events, media, organizers, posts, venues } from '../../drizzle/tables.ts'
import { verifyPassword } from '../passwords.ts'
import { type Caller, canEdit, canRead } from '../roles.ts'
import type { Changes } from './changes.ts'
import { type Db, prepared, type Queries } from './db.ts'
import { openFragments, type PostFragment, type TermFragment } from './fragments.ts'
import { linksOf } from './links.ts'
import {
  type MediaRow,
  type Origin,
  type Post,
  place,
  renderEvent,
  renderMedia,
  renderOrganizer,
  renderVenue,
} from './render.ts'
import type { Site } from './site.ts'

/** From where and by whom records are looked at. */
export type View = {
  origin: Origin
  caller: Caller
  /** A single read: `json_ld` is added. */
  single: boolean
  /** The password that a visitor brought for protected events. */
  password?: string | undefined
}

const rowsOf = prepared((db) =>
  db
    .select({ post: posts, event: events, venue: venues, organizer: organizers, image: media })
    .from(posts)
    .leftJoin(events, eq(events.post_id, posts.id))
    .leftJoin(venues, eq(venues.post_id, posts.id))
    .leftJoin(organizers, eq(organizers.post_id, posts.id))
    .leftJoin(media, eq(media.id, posts.image_id))
    .where(eq(posts.id, sql.placeholder('id')))
    .prepare(),
)

/** What the document of a post has to be, rendered from its rows. */
export async function renderDocument(
  tx: Queries,
  site: Pick<Site, 'currency'>,
  id: number,
): Promise<Omit<typeof documents.$inferSelect, 'post_id'>> {
  const [row] = await rowsOf(tx).execute({ id })
  const { post, event, venue, organizer, image } = row!
  return event
    ? { ...renderEvent(post, event, image, site.currency), refs: await linksOf(tx, id) }
    : venue
      ? { ...renderVenue(post, venue, image), refs: null }
      : { ...renderOrganizer(post, organizer!, image), refs: null }
}

/** Renders a post anew; to be called at the end of every write that touches it. */
export async function saveDocument(tx: Queries, site: Pick<Site, 'currency'>, id: number) {
  const document = await renderDocument(tx, site, id)
  await tx
    .insert(documents)
    .values({ post_id: id, ...document })
    .onConflictDoUpdate({ target: documents.post_id, set: document })
}

const COMMA = Buffer.from(',')
const END = Buffer.from('}')
const OPEN_LIST = Buffer.from('[')
const END_LIST = Buffer.from(']')
const FALSE = Buffer.from('false')
const JSON_LD = Buffer.from(',"json_ld":')
const LOCATION = Buffer.from(',"location":')
const CATEGORIES = Buffer.from(',"categories":')
const TAGS = Buffer.from(',"tags":')
const VENUE = Buffer.from(',"venue":')
const ORGANIZER = Buffer.from(',"organizer":')
const CUSTOM_FIELDS = Buffer.from(',"custom_fields":[]')
const NO_TRANSLATIONS = Buffer.from(',"translations":{}')
const NO_LINKS = { category: [], tag: [], venue: [], organizer: [] }

/** Adds the elements of a list, each of several parts. */
function addList(parts: Buffer[], elements: Buffer[][]) {
  parts.push(OPEN_LIST)
  for (const [at, element] of elements.entries()) {
    if (at > 0) parts.push(COMMA)
    parts.push(...element)
  }
  parts.push(END_LIST)
}

/** Answers records as JSON bytes, put together from fragments: nothing is parsed or printed on the way. */
export function openDocuments(db: Db, changes: Changes) {
  const fragments = openFragments(db, changes)

  /** The `translations` member: IDs by language of the other records of a set, as far as the caller may read them. */
  function translations(members: [id: number, language: string][]): Buffer {
    return members.length === 0
      ? NO_TRANSLATIONS
      : Buffer.from(
          `,"translations":${JSON.stringify(Object.fromEntries(members.map(([id, language]) => [language, id])))}`,
        )
  }
  const translationsOfPost = ({ id, translation_group: group }: PostFragment, caller: Caller): Buffer => {
    if (group === null) return NO_TRANSLATIONS
    const members = db
      .rows<[number, string, Post['status'], number]>(
        'select id, language, status, author_id from posts where translation_group = ? and id <> ? order by language',
        ...[group, id],
      )
      .filter(([, , status, author_id]) => status !== 'trash' && canRead(caller, { status, author_id }))
    return translations(members.map(([id, language]) => [id, language]))
  }
  const translationsOfTerm = (id: number, { translation_group: group }: TermFragment): Buffer =>
    group === null
      ? NO_TRANSLATIONS
      : translations(
          db.rows<[number, string]>(
            'select id, language from terms where translation_group = ? and id <> ? order by language',
            ...[group, id],
          ),
        )

  const linkedParts = (fragment: PostFragment, { caller, single }: View): Buffer[] => [
    fragment.body,
    translationsOfPost(fragment, caller),
    ...(single ? [JSON_LD, fragment.json_ld, END] : [END]),
  ]

  type Linked = { posts: Map<number, PostFragment>; terms: Map<number, TermFragment> }

  function event(fragment: PostFragment, isOpen: boolean, linked: Linked, view: View): Buffer {
    const refs = isOpen ? fragment.refs! : NO_LINKS
    const shown = (ids: number[]) =>
      ids.flatMap((id) => {
        const post = linked.posts.get(id)
        return post && post.status !== 'trash' && canRead(view.caller, post) ? [post] : []
      })
    const named = (ids: number[]) =>
      ids
        .flatMap((id) => linked.terms.get(id) ?? [])
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((term) => [term.embedded])
    const places = shown(refs.venue)
    const hosts = shown(refs.organizer)
    const parts = [
      isOpen ? fragment.body : fragment.blanked!,
      translationsOfPost(fragment, view.caller),
      CATEGORIES,
    ]
    addList(parts, named(refs.category))
    parts.push(TAGS)
    addList(parts, named(refs.tag))
    parts.push(VENUE)
    if (places.length === 1) parts.push(...linkedParts(places[0]!, view))
    else
      addList(
        parts,
        places.map((venue) => linkedParts(venue, view)),
      )
    parts.push(ORGANIZER)
    addList(
      parts,
      hosts.map((organizer) => linkedParts(organizer, view)),
    )
    parts.push(CUSTOM_FIELDS)
    if (view.single) {
      parts.push(JSON_LD, fragment.json_ld, LOCATION, places[0]?.json_ld ?? FALSE)
      if (hosts[0]) parts.push(ORGANIZER, hosts[0].json_ld)
      parts.push(END)
    }
    parts.push(END)
    return Buffer.concat(parts)
  }

  /** Everything that these records are linked to. */
  function linkedTo(found: Iterable<PostFragment>, { origin }: View): Linked {
    const posts = new Set<number>()
    const terms = new Set<number>()
    for (const { refs } of found) {
      if (!refs) continue
      for (const id of refs.venue) posts.add(id)
      for (const id of refs.organizer) posts.add(id)
      for (const id of refs.category) terms.add(id)
      for (const id of refs.tag) terms.add(id)
    }
    return { posts: fragments.posts([...posts], origin), terms: fragments.terms([...terms], origin) }
  }

  return {
    /** The JSON of events, venues or organizers in the order of `ids`, as this view shows them; of what is gone meanwhile nothing. */
    async posts(ids: number[], view: View): Promise<Buffer[]> {
      fragments.follow()
      const found = fragments.posts(ids, view.origin)
      const linked = linkedTo(found.values(), view)
      const closed = new Set<number>()
      for (const fragment of found.values())
        if (fragment.password_hash !== null && !(await isOpen(fragment, view))) closed.add(fragment.id)
      return ids.flatMap((id) => {
        const fragment = found.get(id)
        if (!fragment) return []
        return fragment.kind === 'event'
          ? event(fragment, !closed.has(id), linked, view)
          : Buffer.concat(linkedParts(fragment, view))
      })
    },
    /** The JSON of terms in the order of `ids`. */
    async terms(ids: number[], { origin }: View): Promise<Buffer[]> {
      fragments.follow()
      const found = fragments.terms(ids, origin)
      const there = ids.filter((id) => found.has(id))
      return there.map((id) => {
        const term = found.get(id)!
        return Buffer.concat([term.own, translationsOfTerm(id, term), END])
      })
    },
    /** The JSON of media in the order of `ids`. */
    async media(ids: number[], view: View): Promise<Buffer[]> {
      const rows = new Map<number, MediaRow>(
        (await db.read.select().from(media).where(inArray(media.id, ids))).map((row) => [row.id, row]),
      )
      return ids.map((id) => place(renderMedia(rows.get(id)!), view.origin))
    },
  }
}

/** Whether an event shows what its password protects: to those who bring it or may edit the event (D15). */
export async function isOpen(
  event: Pick<Post, 'password_hash' | 'author_id' | 'status'>,
  { caller, password }: Pick<View, 'caller' | 'password'>,
): Promise<boolean> {
  if (event.password_hash === null || canEdit(caller, event)) return true
  return password !== undefined && verifyPassword(password, event.password_hash)
}

export type Documents = ReturnType<typeof openDocuments>
