import { inArray } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { media } from '../../../drizzle/tables.ts'
import { type Changes, openFollowing, type Row } from '../../kernel/database/changes.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import type { MediaRow } from '../formats/records.ts'
import { type Origin, place } from '../formats/urls.ts'
import { mediaV1, renderEmbeddedTerm, renderTerm } from '../formats/v1.ts'
import { isOpen, shown, type View } from '../records/visibility.ts'
import { canOpen } from '../rights.ts'
import { openTranslations, termRows } from './records.ts'
import { openStoredDocuments, type StoredPost } from './stored-documents.ts'

/** JSON bytes in parts, which are joined once. */
export type Json = Buffer[]

/** The fragment of a record, for one mount. */
type PostFragment = Omit<StoredPost, 'body' | 'blanked' | 'json_ld'> & {
  /** Its own members as an open object; `translations` is included only if it is empty. */
  own: Json
  /** Its own members, blanked for callers without the password of the event. */
  blanked: Json | null
  /** Its JSON-LD, in single reads only. */
  json_ld: Json | null
}
type TermFragment = {
  own: Buffer
  embedded: Buffer
  /** The folded name, by which terms are ordered. */
  name: string
  translation_group: number | null
  count: number
  /** The last change after which `count` was right. */
  seen: number
}

const MOST_BYTES = 16 * 2 ** 20
const MOST_TERMS = 10_000
const POSTS = ['event', 'series', 'venue', 'organizer']
const TERMS = ['category', 'tag']

const COUNTS = 'select id, count from terms where id in (select value from json_each(?))'

const NO_TRANSLATIONS = Buffer.from(',"translations":{}')

/** Greater than any number of mounts; combined with an ID it gives a key. */
const MOST_ROOTS = 2 ** 10

/** Fragments by ID, cached by mount until a change names their record: those of events near today and of what they show occur in many responses. */
function openFragments(db: Db, changes: Changes, site: Pick<Site, 'currency'>) {
  const stored = openStoredDocuments(db, site)
  const cachedPosts = new LRUCache<number, PostFragment>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ own, blanked }) => own[0]!.length + (blanked ? blanked[0]!.length : 0) + 500,
  })
  // counted by size: with `max` it would allocate places for all of them at the start
  const cachedTerms = new LRUCache<number, TermFragment>({ maxSize: MOST_TERMS, sizeCalculation: () => 1 })
  const roots: string[] = []
  const follow = openFollowing(changes, [...POSTS, ...TERMS], { on: forget, reset })
  let seen = follow()

  function forget({ kind, id, operation }: Row) {
    if (POSTS.includes(kind)) for (const number of roots.keys()) cachedPosts.delete(id * MOST_ROOTS + number)
    else if (operation !== 'recount') cachedTerms.clear()
  }
  function reset() {
    cachedPosts.clear()
    cachedTerms.clear()
  }

  function numberOf({ root }: Origin): number {
    const known = roots.indexOf(root)
    return known >= 0 ? known : roots.push(root) - 1
  }

  function load<T extends object>(
    cached: LRUCache<number, T>,
    ids: number[],
    origin: Origin,
    fetch: (missing: number[], origin: Origin) => [number, T][],
    isRight = (_: T) => true,
  ): Map<number, T> {
    const number = numberOf(origin)
    const found = new Map<number, T>()
    const missing: number[] = []
    for (const id of ids) {
      const fragment = cached.get(id * MOST_ROOTS + number)
      if (fragment && isRight(fragment)) found.set(id, fragment)
      else missing.push(id)
    }
    if (missing.length > 0)
      for (const [id, fragment] of fetch(missing, origin)) {
        cached.set(id * MOST_ROOTS + number, fragment)
        found.set(id, fragment)
      }
    return found
  }

  /** A fragment from what is stored. It is written out member by member, because copies by rest and spread take a tenth of a list. */
  function fragmentOf(post: StoredPost, origin: Origin): PostFragment {
    const { id, status, author_id, translation_group, refs } = post
    const ownOf = (json: Buffer) => {
      const parts = place(json, origin)
      if (translation_group === null) parts.push(NO_TRANSLATIONS)
      return parts
    }
    const [own, blanked] = [ownOf(post.body), post.blanked && ownOf(post.blanked)]
    const json_ld = post.json_ld && place(post.json_ld, origin)
    return {
      id,
      status,
      author_id,
      translation_group,
      protected: post.protected,
      refs,
      own,
      blanked,
      json_ld,
    }
  }
  const fetchPosts = (ids: number[], origin: Origin, single: boolean) =>
    stored.posts(ids, single).map((post): [number, PostFragment] => [post.id, fragmentOf(post, origin)])
  /** In one piece, of which a response copies less and which holds no other record in memory. */
  const fetchWhole = (ids: number[], origin: Origin) =>
    fetchPosts(ids, origin, false).map(([id, fragment]): [number, PostFragment] => {
      const { own, blanked } = fragment
      return [id, { ...fragment, own: [Buffer.concat(own)], blanked: blanked && [Buffer.concat(blanked)] }]
    })
  /** Cached terms whose count has not changed since; events change the counts of their terms. */
  function recount(ids: number[], origin: Origin): [number, TermFragment][] {
    const number = numberOf(origin)
    const cached = ids.filter((id) => cachedTerms.has(id * MOST_ROOTS + number))
    if (cached.length === 0) return []
    return db.rows<[number, number]>(COUNTS, JSON.stringify(cached)).flatMap(([id, count]) => {
      const term = cachedTerms.get(id * MOST_ROOTS + number)!
      return term.count === count ? [[id, { ...term, seen }]] : []
    })
  }
  function fetchTerms(ids: number[], origin: Origin): [number, TermFragment][] {
    const right = recount(ids, origin)
    const known = new Set(right.map(([id]) => id))
    const missing = ids.filter((id) => !known.has(id))
    if (missing.length === 0) return right
    const rows = termRows(db.read).all({ ids: JSON.stringify(missing) })
    return right.concat(
      rows.map((row) => {
        const { id, folded_name: name, translation_group, count } = row
        const own = Buffer.concat(place(renderTerm(row), origin))
        const embedded = Buffer.concat(place(renderEmbeddedTerm(row), origin))
        return [id, { own, embedded, name, translation_group, count, seen }]
      }),
    )
  }

  return {
    /** Drops the entries of records that this or another process has written since the last call. */
    follow() {
      seen = follow()
    },
    /** The records that a response is about. */
    records: (ids: number[], { origin, single }: Pick<View, 'origin' | 'single'>) =>
      single ? new Map(fetchPosts(ids, origin, true)) : load(cachedPosts, ids, origin, fetchWhole),
    /** Venues and organizers inside events. */
    linked: (ids: number[], origin: Origin) => load(cachedPosts, ids, origin, fetchWhole),
    terms: (ids: number[], origin: Origin) =>
      load(cachedTerms, ids, origin, fetchTerms, (term) => term.seen === seen),
    /** The JSON-LD of venues and organizers inside events. It is part of single reads only, where keeping it gained nothing. */
    jsonLd: (ids: number[], origin: Origin): Map<number, Json> =>
      new Map([...stored.jsonLd(ids)].map(([id, json]) => [id, place(json, origin)])),
    onDamage: stored.onDamage,
  }
}

export type { View }

const COMMA = Buffer.from(',')
const COLON = Buffer.from(':')
const END = Buffer.from('}')
const FALSE = [Buffer.from('false')]
const JSON_LD = Buffer.from(',"json_ld":')
const PROTECTED = Buffer.from(',"protected":true')
const CATEGORIES = Buffer.from(',"categories":[')
const TAGS = Buffer.from('],"tags":[')
const VENUE = Buffer.from('],"venue":')
const OPEN_LIST = Buffer.from('[')
const END_LIST = Buffer.from(']')
const ORGANIZERS = Buffer.from(',"organizer":[')
const CUSTOM_FIELDS = Buffer.from('],"custom_fields":[]')
const HOST = Buffer.from(',"organizer":')
const NO_JSON_LD: Map<number, Json> = new Map()
const NO_LINKS = { category: [], tag: [], venue: [], organizer: [] }

/** Adds terms by name. */
function addTerms(parts: Json, ids: number[], terms: Map<number, TermFragment>) {
  const found: TermFragment[] = []
  for (const id of ids) {
    const term = terms.get(id)
    if (!term) continue // a link to nothing, which a check tells
    let at = found.push(term) - 1
    for (; at > 0 && term.name < found[at - 1]!.name; at--) found[at] = found[at - 1]!
    found[at] = term
  }
  for (let at = 0; at < found.length; at++) {
    if (at > 0) parts.push(COMMA)
    parts.push(found[at]!.embedded)
  }
}

/** Adds the venue to the JSON-LD of an event, if it belongs there (`openJsonLd`). */
function addPlace(parts: Json, venue: Json | undefined) {
  const last = parts.at(-1)!
  const end = last.at(-1)
  if (end === COLON[0]) parts.push(...(venue ?? FALSE))
  if (end !== COMMA[0]) return
  if (venue) parts.push(...venue)
  else parts[parts.length - 1] = last.subarray(0, -1)
  parts.push(END_LIST)
}

/** Returns records as JSON bytes, assembled from fragments without parsing or printing. */
export function openDocuments(db: Db, changes: Changes, site: Pick<Site, 'currency'>) {
  const fragments = openFragments(db, changes, site)
  const translations = openTranslations(db)

  /** The `translations` member. */
  const printed = (byLanguage: Record<string, number>): Buffer =>
    Buffer.from(`,"translations":${JSON.stringify(byLanguage)}`)

  /** Adds the members of a record itself, without the closing brace. */
  function addOpen(parts: Json, { id, translation_group: group }: PostFragment, own: Json, { caller }: View) {
    parts.push(...own)
    if (group !== null) parts.push(printed(translations.ofPost(id, group, caller)))
  }

  /** Adds a venue or an organizer. */
  function addPost(parts: Json, fragment: PostFragment, view: View, jsonLd: Map<number, Json>) {
    addOpen(parts, fragment, fragment.own, view)
    if (view.single) parts.push(JSON_LD, ...jsonLd.get(fragment.id)!)
    parts.push(END)
  }

  function addPosts(parts: Json, fragments: PostFragment[], view: View, jsonLd: Map<number, Json>) {
    for (let at = 0; at < fragments.length; at++) {
      if (at > 0) parts.push(COMMA)
      addPost(parts, fragments[at]!, view, jsonLd)
    }
  }

  type Linked = { posts: Map<number, PostFragment>; terms: Map<number, TermFragment> }

  function event(fragment: PostFragment, isOpen: boolean, linked: Linked, view: View): Json {
    const refs = isOpen ? fragment.refs! : NO_LINKS
    const places = shown(refs.venue, linked.posts, view.caller)
    const hosts = shown(refs.organizer, linked.posts, view.caller)
    const jsonLd = view.single ? jsonLdOf(view, fragment, [...places, ...hosts]) : NO_JSON_LD
    const parts: Json = []
    addOpen(parts, fragment, isOpen ? fragment.own : fragment.blanked!, view)
    const occurrences = view.occurrences?.get(fragment.id)
    if (occurrences !== undefined) parts.push(Buffer.from(`,"occurrences":${occurrences}`))
    if (fragment.protected) parts.push(PROTECTED)
    parts.push(CATEGORIES)
    addTerms(parts, refs.category, linked.terms)
    parts.push(TAGS)
    addTerms(parts, refs.tag, linked.terms)
    parts.push(VENUE)
    if (places.length === 1) addPost(parts, places[0]!, view, jsonLd)
    else {
      parts.push(OPEN_LIST)
      addPosts(parts, places, view, jsonLd)
      parts.push(END_LIST)
    }
    parts.push(ORGANIZERS)
    addPosts(parts, hosts, view, jsonLd)
    parts.push(CUSTOM_FIELDS)
    if (view.single) {
      const [venue, host] = [places[0], hosts[0]]
      parts.push(JSON_LD, ...jsonLd.get(fragment.id)!)
      addPlace(parts, venue && jsonLd.get(venue.id)!)
      if (host) parts.push(HOST, ...jsonLd.get(host.id)!)
      parts.push(END)
    }
    parts.push(END)
    return parts
  }

  /** The JSON-LD of a record and of those inside of it. */
  function jsonLdOf(
    { origin }: View,
    { id, json_ld }: PostFragment,
    inside: PostFragment[],
  ): Map<number, Json> {
    const ids = inside.map((record) => record.id)
    return (ids.length > 0 ? fragments.jsonLd(ids, origin) : new Map<number, Json>()).set(id, json_ld!)
  }

  /** The records and terms that these records are linked to. */
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
    return { posts: fragments.linked([...posts], origin), terms: fragments.terms([...terms], origin) }
  }

  /** The JSON of the terms that exist among these, in the order of `ids`. */
  function printTerms(
    ids: number[],
    { origin, caller }: Pick<View, 'origin' | 'caller'>,
  ): { id: number; json: Json }[] {
    const found = fragments.terms(ids, origin)
    const existing = ids.filter((id) => found.has(id))
    return existing.map((id) => {
      const { own, translation_group: group } = found.get(id)!
      const shown = group === null ? NO_TRANSLATIONS : printed(translations.ofTerm(id, group, caller))
      return { id, json: [own, shown, END] }
    })
  }

  /** The passwords of the protected events among these, in order. */
  const locked = (ids: number[], found: Map<number, PostFragment>) =>
    ids.flatMap((id) => {
      const fragment = found.get(id)
      if (!fragment?.protected) return []
      const { author_id, status } = fragment
      const [[password_hash]] = db.rows<[string | null]>(
        'select password_hash from posts where id = ?',
        id,
      ) as [[string]]
      return [{ id, author_id, status, password_hash }]
    })

  /** The protected events among these that the caller has not unlocked, checked in order. */
  async function closedOf(ids: number[], found: Map<number, PostFragment>, view: View): Promise<Set<number>> {
    const closed = new Set<number>()
    for (const event of locked(ids, found)) if (!(await isOpen(event, view))) closed.add(event.id)
    return closed
  }

  /** The JSON of the records that exist among these, in the order of `ids`. */
  function print(
    ids: number[],
    found: Map<number, PostFragment>,
    linked: Linked,
    closed: Set<number>,
    view: View,
  ) {
    return ids.flatMap((id): { id: number; json: Json }[] => {
      const fragment = found.get(id)
      if (!fragment) return []
      if (fragment.refs) return [{ id, json: event(fragment, !closed.has(id), linked, view) }]
      const parts: Json = []
      addPost(parts, fragment, view, view.single ? jsonLdOf(view, fragment, []) : NO_JSON_LD)
      return [{ id, json: parts }]
    })
  }

  return {
    /** Calls back once for each record whose stored document is missing or damaged: it is derived again at each read. */
    onDamage: fragments.onDamage,
    /** The JSON of events, venues or organizers for this view, in the order of `ids`; deleted ones are left out. */
    async posts(ids: number[], view: View): Promise<Json[]> {
      fragments.follow()
      const found = fragments.records(ids, view)
      // before passwords are checked, which takes time
      const linked = linkedTo(found.values(), view)
      return print(ids, found, linked, await closedOf(ids, found, view), view).map(({ json }) => json)
    },
    /** The JSON of these events, venues or organizers by ID, of one moment. Passwords open nothing here. */
    postsNow(ids: number[], own: Pick<View, 'origin' | 'caller'>): Map<number, Json> {
      const view = { ...own, single: false }
      fragments.follow()
      const found = fragments.records(ids, view)
      const closed = locked(ids, found).filter((event) => !canOpen(view.caller, event))
      const shut = new Set(closed.map(({ id }) => id))
      return new Map(
        print(ids, found, linkedTo(found.values(), view), shut, view).map(({ id, json }) => [id, json]),
      )
    },
    /** The JSON of these terms by ID, of one moment. */
    termsNow(ids: number[], view: Pick<View, 'origin' | 'caller'>): Map<number, Json> {
      fragments.follow()
      return new Map(printTerms(ids, view).map(({ id, json }) => [id, json]))
    },
    /** The JSON of terms in the order of `ids`. */
    async terms(ids: number[], view: View): Promise<Json[]> {
      fragments.follow()
      return printTerms(ids, view).map(({ json }) => json)
    },
    /** The JSON of media in the order of `ids`. */
    async media(ids: number[], view: View): Promise<Json[]> {
      const rows = new Map<number, MediaRow>(
        (await db.read.select().from(media).where(inArray(media.id, ids))).map((row) => [row.id, row]),
      )
      return ids.map((id) => mediaV1(rows.get(id)!, view.origin))
    },
  }
}
export type Documents = ReturnType<typeof openDocuments>
