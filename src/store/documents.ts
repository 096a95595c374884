import { eq, inArray, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import {
  documents,
  events,
  media,
  organizers,
  posts,
  type Refs,
  terms,
  venues,
} from '../../drizzle/tables.ts'
import { verifyPassword } from '../passwords.ts'
import { type Caller, canEdit, canRead } from '../roles.ts'
import type { Changes } from './changes.ts'
import type { Db, Queries } from './db.ts'
import { linksOf } from './links.ts'
import {
  type MediaRow,
  type Origin,
  type Post,
  place,
  renderEmbeddedTerm,
  renderEvent,
  renderMedia,
  renderOrganizer,
  renderTerm,
  renderVenue,
  type TermRow,
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

/** Renders a post anew from its rows; to be called at the end of every write that touches it. */
export async function saveDocument(tx: Queries, site: Site, id: number) {
  const [row] = await tx
    .select({ post: posts, event: events, venue: venues, organizer: organizers, image: media })
    .from(posts)
    .leftJoin(events, eq(events.post_id, posts.id))
    .leftJoin(venues, eq(venues.post_id, posts.id))
    .leftJoin(organizers, eq(organizers.post_id, posts.id))
    .leftJoin(media, eq(media.id, posts.image_id))
    .where(eq(posts.id, id))
  const { post, event, venue, organizer, image } = row!
  const document = event
    ? { ...renderEvent(post, event, image, site.currency), refs: await linksOf(tx, id) }
    : venue
      ? { ...renderVenue(post, venue, image), refs: null }
      : { ...renderOrganizer(post, organizer!, image), refs: null }
  await tx
    .insert(documents)
    .values({ post_id: id, ...document })
    .onConflictDoUpdate({ target: documents.post_id, set: document })
}

type PostFragment = Pick<
  Post,
  'id' | 'kind' | 'status' | 'author_id' | 'translation_group' | 'password_hash'
> & {
  body: Buffer
  blanked: Buffer | null
  json_ld: Buffer
  refs: Refs | null
}
type TermFragment = {
  id: number
  own: Buffer
  embedded: Buffer
  name: string
  translation_group: number | null
  taxonomy: TermRow['taxonomy']
}

const COMMA = Buffer.from(',')
const END = Buffer.from('}')
const JSON_LD = Buffer.from(',"json_ld":')
const CUSTOM_FIELDS = Buffer.from(',"custom_fields":[]')
const text = (value: string) => Buffer.from(value)
const list = (items: Buffer[]) =>
  Buffer.concat([text('['), ...items.flatMap((item, at) => (at === 0 ? [item] : [COMMA, item])), text(']')])
/** What was found of these, in their order. */
const inOrder = <T>(ids: number[], found: Map<number, T>): T[] =>
  ids.flatMap((id) => (found.has(id) ? [found.get(id)!] : []))
const NO_LINKS: Refs = { category: [], tag: [], venue: [], organizer: [] }

/** Answers records as JSON bytes, put together from stored fragments which a cache keeps by mount. */
export function openDocuments(db: Db, changes: Changes) {
  const cached = new LRUCache<string, PostFragment>({ maxSize: 64 * 2 ** 20, sizeCalculation: sizeOf })
  const cachedTerms = new LRUCache<string, TermFragment>({ max: 10_000 })
  const roots = new Set<string>()
  let seen = changes.latest().seq

  const posted = db.read
    .select({
      id: posts.id,
      kind: posts.kind,
      status: posts.status,
      author_id: posts.author_id,
      translation_group: posts.translation_group,
      password_hash: posts.password_hash,
      body: documents.body,
      blanked: documents.blanked,
      json_ld: documents.json_ld,
      refs: documents.refs,
    })
    .from(documents)
    .innerJoin(posts, eq(posts.id, documents.post_id))
    .where(sql`${documents.post_id} in (select value from json_each(${sql.placeholder('ids')}))`)
    .prepare()
  const termed = db.read
    .select()
    .from(terms)
    .where(sql`${terms.id} in (select value from json_each(${sql.placeholder('ids')}))`)
    .prepare()

  /** Forgets what was written since the last look, by this or another process. Every event moves the counts of its terms. */
  function refresh() {
    if (changes.latest().seq === seen) return
    for (const { seq, id } of changes.after(seen)) {
      seen = seq
      for (const root of roots) cached.delete(`${id}:${root}`)
    }
    cachedTerms.clear()
  }

  async function load<T extends PostFragment | TermFragment>(
    cache: LRUCache<string, T>,
    ids: number[],
    { root }: Origin,
    fetch: (missing: number[]) => Promise<[number, T][]>,
  ) {
    roots.add(root)
    const found = new Map<number, T>()
    for (const id of ids) {
      const fragment = cache.get(`${id}:${root}`)
      if (fragment) found.set(id, fragment)
    }
    const missing = ids.filter((id) => !found.has(id))
    if (missing.length === 0) return found
    const asked = seen
    for (const [id, fragment] of await fetch(missing)) {
      // what was read before another look at the changes may be old already
      if (seen === asked) cache.set(`${id}:${root}`, fragment)
      found.set(id, fragment)
    }
    return found
  }

  const loadPosts = (ids: number[], origin: Origin) =>
    load<PostFragment>(cached, ids, origin, async (missing) => {
      const placed = (json: Buffer) => place(json, origin)
      const rows = await posted.execute({ ids: JSON.stringify(missing) })
      return rows.map((row) => [
        row.id,
        {
          ...row,
          body: placed(row.body),
          blanked: row.blanked && placed(row.blanked),
          json_ld: placed(row.json_ld),
        },
      ])
    })
  const loadTerms = (ids: number[], origin: Origin) =>
    load<TermFragment>(cachedTerms, ids, origin, async (missing) => {
      const rows = await termed.execute({ ids: JSON.stringify(missing) })
      return rows.map((row) => {
        const { folded_name: name, translation_group, taxonomy } = row
        return [
          row.id,
          {
            id: row.id,
            own: place(renderTerm(row), origin),
            embedded: place(renderEmbeddedTerm(row), origin),
            name,
            translation_group,
            taxonomy,
          },
        ]
      })
    })

  /** The `translations` member: IDs by language of the other records of a group, as far as the caller may read them. */
  async function translationsOf(
    kind: Post['kind'] | TermRow['taxonomy'],
    id: number,
    group: number | null,
    caller: Caller,
  ): Promise<Buffer> {
    if (group === null) return text(',"translations":{}')
    const members =
      kind === 'category' || kind === 'tag'
        ? await db.read
            .select({ id: terms.id, language: terms.language })
            .from(terms)
            .where(eq(terms.translation_group, group))
            .orderBy(terms.language)
        : (
            await db.read
              .select({
                id: posts.id,
                language: posts.language,
                status: posts.status,
                author_id: posts.author_id,
              })
              .from(posts)
              .where(eq(posts.translation_group, group))
              .orderBy(posts.language)
          ).filter((member) => member.status !== 'trash' && canRead(caller, member))
    const others = members.filter((member) => member.id !== id)
    return text(
      `,"translations":${JSON.stringify(Object.fromEntries(others.map((member) => [member.language, member.id])))}`,
    )
  }

  async function venueOrOrganizer(fragment: PostFragment, view: View): Promise<Buffer> {
    const translations = await translationsOf(
      fragment.kind,
      fragment.id,
      fragment.translation_group,
      view.caller,
    )
    return Buffer.concat(
      view.single
        ? [fragment.body, translations, JSON_LD, fragment.json_ld, END]
        : [fragment.body, translations, END],
    )
  }

  async function event(
    fragment: PostFragment,
    linked: Map<number, PostFragment>,
    tagged: Map<number, TermFragment>,
    view: View,
  ): Promise<Buffer> {
    const open = await isOpen(fragment, view)
    const refs = open ? fragment.refs! : NO_LINKS
    const shown = (ids: number[]) =>
      inOrder(ids, linked).filter((post) => post.status !== 'trash' && canRead(view.caller, post))
    const embed = (posts: PostFragment[]) => Promise.all(posts.map((post) => venueOrOrganizer(post, view)))
    const termsOf = (ids: number[]) => {
      const found = inOrder(ids, tagged)
      return list(found.sort((a, b) => (a.name < b.name ? -1 : 1)).map((term) => term.embedded))
    }
    const places = shown(refs.venue)
    const hosts = shown(refs.organizer)
    const venueJson = await embed(places)
    const parts = [
      open ? fragment.body : fragment.blanked!,
      await translationsOf('event', fragment.id, fragment.translation_group, view.caller),
      text(',"categories":'),
      termsOf(refs.category),
      text(',"tags":'),
      termsOf(refs.tag),
      text(',"venue":'),
      venueJson.length === 1 ? venueJson[0]! : list(venueJson),
      text(',"organizer":'),
      list(await embed(hosts)),
      CUSTOM_FIELDS,
    ]
    if (view.single) {
      parts.push(JSON_LD, fragment.json_ld, text(',"location":'), places[0]?.json_ld ?? text('false'))
      if (hosts[0]) parts.push(text(',"organizer":'), hosts[0].json_ld)
      parts.push(END)
    }
    parts.push(END)
    return Buffer.concat(parts)
  }

  return {
    /** The JSON of events, venues or organizers in the order of `ids`, as this view shows them, without those that are gone. */
    async posts(ids: number[], view: View): Promise<Buffer[]> {
      refresh()
      const fragments = await loadPosts(ids, view.origin)
      const refs = [...fragments.values()].flatMap((fragment) => fragment.refs ?? [])
      const linked = await loadPosts(
        [...new Set(refs.flatMap((ref) => [...ref.venue, ...ref.organizer]))],
        view.origin,
      )
      const tagged = await loadTerms(
        [...new Set(refs.flatMap((ref) => [...ref.category, ...ref.tag]))],
        view.origin,
      )
      return Promise.all(
        inOrder(ids, fragments).map((fragment) =>
          fragment.kind === 'event'
            ? event(fragment, linked, tagged, view)
            : venueOrOrganizer(fragment, view),
        ),
      )
    },
    /** The JSON of terms in the order of `ids`. */
    async terms(ids: number[], view: View): Promise<Buffer[]> {
      refresh()
      const fragments = await loadTerms(ids, view.origin)
      return Promise.all(
        inOrder(ids, fragments).map(async ({ id, own, translation_group, taxonomy }) =>
          Buffer.concat([own, await translationsOf(taxonomy, id, translation_group, view.caller), END]),
        ),
      )
    },
    /** The JSON of media in the order of `ids`. */
    async media(ids: number[], view: View): Promise<Buffer[]> {
      const rows = new Map<number, MediaRow>(
        (await db.read.select().from(media).where(inArray(media.id, ids))).map((row) => [row.id, row]),
      )
      return inOrder(ids, rows).map((row) => place(renderMedia(row), view.origin))
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

const sizeOf = ({ body, blanked, json_ld }: PostFragment) =>
  body.length + json_ld.length + (blanked?.length ?? 0)

export type Documents = ReturnType<typeof openDocuments>
