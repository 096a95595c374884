import { LRUCache } from 'lru-cache'
import type { Caller } from '../../kernel/access/rights.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Task } from '../../kernel/tasks/scheduler.ts'
import { hasTerm } from '../../kernel/text/search.ts'
import type { LiveIndex } from '../index/event-index.ts'
import { addIds, Bitmap, type RowSet, SparseSet } from '../index/rows.ts'
import { LINK_KINDS, type LinkKind } from '../records/rows.ts'
import {
  isExact,
  MOST_TEXTS_READ,
  matchesSearch,
  openTextMatches,
  type Searched,
  TEXTS,
  type TextTerm,
  toRows,
} from '../search/text-index.ts'
import type { ResolvedSelection, ResolvedTerm, ResolvedTerms, Selection } from './selection.ts'

/** A set is sparse if it has fewer than one in so many events: bits would take more space. */
const SPARSE = 320
/** Approximate characters of an ID and a comma. */
const DIGITS = 8
/** Linked events that one query reads. */
const BATCH = 5_000

const LINKED = `select count(*), coalesce(max(event_id), 0), coalesce(cast(group_concat(event_id) as blob), x'')
  from (select event_id from links where kind = ? and target_id = ? and event_id > ? order by event_id limit ${BATCH})`

/** The events of several records, if they are few. */
const LINKED_TO_ALL = `select count(*), coalesce(cast(group_concat(event_id) as blob), x'')
  from (select event_id from links where kind = ? and target_id in (select value from json_each(?)) limit ${BATCH})`

const within = (text: string): TextTerm => ({ text, how: 'within' })
/** The longest first: few texts have them. */
const byLength = (terms: ResolvedTerm[]) => [...terms].sort((a, b) => b.text.length - a.text.length)

/**
 * Finds the events that filters select, in this order, each step among those that the last one left:
 *
 * 1. links to venues, organizers, categories and tags, and places: from the table `links`, 5,000 IDs a query, the rarest kind first;
 * 2. words (`search`, and `q` which also looks in names): from the index of words, in 1 to 4 ms of 100,000 events. Where at most 300
 *    events are left, and where the index only makes events likely, their texts are read instead, 50 a query;
 * 3. statuses, flags and states: from the columns in memory. Only without links and words these are read for all events;
 * 4. venues with coordinates that are excluded, and limits of rights: from `links`.
 *
 * The result is a bitmap, or row numbers if it has fewer than one in 320 events.
 */
export function openCandidates(db: Db, live: LiveIndex, checks: EventChecks) {
  const { index } = live
  const texts = openTextMatches(db, live, checks)
  const isSparse = (count: number) => count * SPARSE < index.size()
  const areFew = (events: RowSet) => events.count() <= MOST_TEXTS_READ

  /** The IDs of events that are linked to one of these records, as texts. */
  function* linkedTo(kind: LinkKind, targets: readonly number[]): Task<Buffer[]> {
    if (targets.length > 1) {
      const [[count, ids]] = db.rows<[number, Buffer]>(LINKED_TO_ALL, kind, JSON.stringify(targets)) as [
        [number, Buffer],
      ]
      if (count < BATCH) return [ids]
    }
    const found: Buffer[] = []
    for (const target of targets)
      for (let after = 0, isMore = true; isMore; ) {
        const [row] = db.rows<[number, number, Buffer]>(LINKED, kind, target, after)
        const [count, last, ids] = row!
        found.push(ids)
        after = last
        isMore = count === BATCH
        yield
      }
    return found
  }
  const lengthOf = (ids: Buffer[]) => ids.reduce((sum, { length }) => sum + length, 0)
  const addAll = <T extends RowSet>(ids: Buffer[], to: T): T => {
    for (const text of ids) addIds(text, toRows(index, to))
    return to
  }
  const bitmapOf = (ids: Buffer[]) => addAll(ids, new Bitmap(index.size()))

  /** Keeps the events that fulfil a condition on their texts, in all of which `part` stands. */
  function* keepByTexts(events: RowSet, condition: TextCondition, part = ''): Task<void> {
    const rows: number[] = []
    events.each((row) => rows.push(row))
    const areCached = rows.length <= MOST_TEXTS_READ
    const step = areCached ? 1 : TEXTS
    for (let from = 0; from < rows.length; from += step) {
      const some = rows.slice(from, from + step)
      const ids = some.map(index.idOf)
      const right = areCached
        ? ids.filter((id) => checks.hasTexts(id, condition))
        : checks.readMatching(ids, condition, part)
      const kept = new Set(right)
      for (const [at, row] of some.entries()) if (!kept.has(ids[at]!)) events.delete(row)
      yield
    }
  }

  /** The events whose texts fulfil a condition, among `among` or all: these are looked up, unless they are few enough to be read. */
  function* byTexts(
    isFound: TextCondition,
    among: SparseSet | Bitmap | undefined,
    lookUp: () => Task<SparseSet | Bitmap>,
  ): Task<SparseSet | Bitmap> {
    if (among && areFew(among)) {
      yield* keepByTexts(among, isFound)
      return among
    }
    const unindexed = yield* texts.unindexed()
    const late = among ? unindexed.filter((id) => among.has(index.rowOf(id))) : unindexed
    const events = yield* lookUp()
    yield* texts.recheck(events, late, (id) => checks.hasTexts(id, isFound))
    return events
  }

  /** The events that `search` finds, among `among` or all of `every`. */
  function* bySearch(
    search: NonNullable<Selection['search']>,
    among: SparseSet | Bitmap | undefined,
    every: () => Bitmap,
  ): Task<SparseSet | Bitmap> {
    const { wanted, unwanted, caller } = search
    let events = among
    const inexact = wanted.filter((word) => !isExact(within(word)))
    let isRight = inexact.length === 0
    if (wanted.length > 0) {
      const found: Bitmap = yield* texts.find(wanted.map(within), caller)
      events = events ? events.and(found) : found
    }
    events ??= every()
    for (const word of unwanted) {
      if (areFew(events)) {
        isRight = false
        break
      }
      const found: Bitmap = yield* texts.find([within(word)], caller)
      const alone = { wanted: [word], unwanted: [], caller }
      if (!isExact(within(word))) yield* keepByTexts(found, checks.bySearch(alone), word)
      events.without(found)
    }
    if (!isRight) yield* keepByTexts(events, checks.bySearch(search), inexact[0])
    return events
  }

  /** The events that are linked to records whose names have a term, as far as the caller sees that. */
  function* byNames({ targets }: ResolvedTerm, caller: Caller): Task<Bitmap> {
    const found = new Bitmap(index.size())
    for (const kind of LINK_KINDS) {
      const ids = targets.links[kind] ? yield* linkedTo(kind, targets.links[kind]) : []
      addAll(ids, found)
    }
    return found.filter(index.isOpenTo(caller))
  }

  /** The events that have a term in their texts or in the names of what they are linked to, among `among` or all. */
  function* byTerm(term: ResolvedTerm, caller: Caller, among?: RowSet): Task<Bitmap> {
    const found: Bitmap = yield* texts.find([term], caller)
    if (among) found.filter((row) => among.has(row))
    if (!isExact(term)) yield* keepByTexts(found, checks.byTerm(term, caller), term.text)
    return found.or(yield* byNames(term, caller))
  }

  /** The events that `q` finds, among `among` or all of `every`. */
  function* byQuery(
    query: ResolvedTerms,
    among: SparseSet | Bitmap | undefined,
    every: () => Bitmap,
  ): Task<SparseSet | Bitmap> {
    const { wanted, unwanted, caller } = query
    let events = among
    for (const term of byLength(wanted)) {
      if (events && areFew(events)) break
      const found: Bitmap = yield* byTerm(term, caller, events)
      events = events ? events.and(found) : found
    }
    events ??= every()
    for (const term of unwanted) {
      if (areFew(events)) break
      events.without(yield* byTerm(term, caller, events))
    }
    // the terms that the index was not asked for
    if (areFew(events)) yield* keepByTexts(events, checks.byQuery(query))
    return events
  }

  /** Takes the events out of a set that only others see: neither published nor the author's, nor within the limits. */
  function* keepAllowed(events: RowSet, { author, limits }: NonNullable<Selection['limited']>): Task<void> {
    const isKept = index.isKeptFrom(author)
    const kept: number[] = []
    events.each((row) => {
      if (isKept(row)) kept.push(row)
    })
    if (kept.length === 0) return
    for (const { categories, venues } of limits.sets) {
      const ids: Buffer[] = [
        ...(yield* linkedTo('category', categories)),
        ...(yield* linkedTo('venue', venues)),
      ]
      const allowed = bitmapOf(ids)
      for (const row of kept) if (!allowed.has(row)) events.delete(row)
      yield
    }
  }

  /** A set in the form that takes less space. */
  const compact = (events: SparseSet | Bitmap) =>
    events instanceof Bitmap && isSparse(events.count()) ? events.sparse() : events

  /** Keeps the events that fulfil the other conditions: those of a set that is mostly there already, unless they are few. */
  function* keepIn(found: RowSet, isIn: (row: number) => boolean, others?: () => Task<RowSet>): Task<void> {
    const all = others && !isSparse(found.count()) ? yield* others() : undefined
    if (all instanceof Bitmap) found.and(all)
    else found.filter(isIn)
  }

  return {
    compact,
    /** Reads what searches need, which the first would do otherwise. */
    load: texts.load,
    /** The events whose texts searches read, because they are not indexed yet. */
    unindexed: texts.unindexed,
    /**
     * The events of a selection without its dates. `isIn` says which fulfil the conditions on statuses, flags and states, and `others` finds all
     * of these, where they may be kept.
     */
    *select(
      selection: ResolvedSelection,
      isIn: (row: number) => boolean,
      others?: () => Task<RowSet>,
    ): Task<SparseSet | Bitmap> {
      const { links, located, search, query, limited } = selection
      const linked: Buffer[][] = []
      for (const kind of LINK_KINDS) if (links[kind]) linked.push(yield* linkedTo(kind, links[kind]))
      const atVenues = located && (yield* linkedTo('venue', located.at))
      if (located?.is) linked.push(atVenues!)
      const [fewest, ...more] = linked.sort((a, b) => lengthOf(a) - lengthOf(b))
      const sets: Bitmap[] = []
      for (const ids of more) {
        sets.push(bitmapOf(ids))
        yield
      }
      const isSmall = fewest && isSparse(lengthOf(fewest) / DIGITS)
      const first = fewest && (isSmall ? addAll(fewest, new SparseSet()) : bitmapOf(fewest))
      let events: SparseSet | Bitmap | undefined = first
      for (const set of sets) events!.and(set)
      events?.filter(isIn)
      yield
      const every = () => index.select(selection)
      if (search) {
        events = yield* byTexts(checks.bySearch(search), first, () => bySearch(search, first, every))
        if (!first) yield* keepIn(events, isIn, others)
      }
      if (query) {
        const before = events
        events = yield* byTexts(checks.byQuery(query), before, () => byQuery(query, before, every))
        if (!before) yield* keepIn(events, isIn, others)
      }
      events ??= every()
      if (located?.is === false) events.without(bitmapOf(atVenues!))
      if (limited) yield* keepAllowed(events, limited)
      yield
      return compact(events)
    },
  }
}
export type Candidates = ReturnType<typeof openCandidates>

/** A condition on the texts of an event. */
export type TextCondition = (own: Searched) => boolean
type Links = [LinkKind, number][]

const TEXTS_OF = 'select id, folded, folded_title, password_hash from posts where id'

/** Limits of the caches of single events: entries with links, and characters of texts. */
const MOST_EVENTS = 5_000
const MOST_CHARACTERS = 4_000_000

/** Checks whether the links and texts of single events match a selection. */
export function openEventChecks({ rows }: Db, { index, journal }: LiveIndex) {
  const links = new LRUCache<string, Links>({ max: MOST_EVENTS })
  const texts = new LRUCache<string, Searched>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: ({ folded }) => folded.length + 100,
  })

  /** Reads data of an event, once for a key. */
  function once<T extends object>(cache: LRUCache<string, T>, key: string, read: () => T | undefined) {
    const own = cache.get(key) ?? read()
    if (own) cache.set(key, own)
    return own
  }
  /** The links of an event: of one that was written once for all selections that replay that write, as they also change without one. */
  function linksOf(id: number): Links {
    const read = () => rows<Links[number]>('select kind, target_id from links where event_id = ?', id)
    const latest = journal.latest(id)
    return latest === undefined ? read() : once(links, `${id} ${latest}`, read)!
  }
  /** The number of the last write to an event, or that none is known since one. */
  const versionOf = (id: number) => journal.latest(id) ?? `before ${journal.first()}`
  const read = (query: string, ...values: (string | number)[]): Searched[] =>
    rows<[number, string, string, string | null]>(query, ...values).map(
      ([id, folded, folded_title, password_hash]) => ({ id, folded, folded_title, password_hash }),
    )
  const textsOf = (id: number) => once(texts, `${id} ${versionOf(id)}`, () => read(`${TEXTS_OF} = ?`, id)[0])

  const mayEdit = (caller: Caller, id: number) => index.mayEdit(caller, id)

  function hasLinks({ links, located }: ResolvedSelection, id: number): boolean {
    if (!located && LINK_KINDS.every((kind) => !links[kind])) return true
    const own = linksOf(id)
    const has = (kind: LinkKind, targets: number[]) =>
      own.some(([at, target]) => at === kind && targets.includes(target))
    return (
      LINK_KINDS.every((kind) => !links[kind] || has(kind, links[kind])) &&
      (!located || has('venue', located.at) === located.is)
    )
  }

  /** Whether limits keep an event from who asks. */
  function isAllowed({ limited }: ResolvedSelection, id: number): boolean {
    if (!limited || !index.isKeptFrom(limited.author)(index.rowOf(id))) return true
    const own = linksOf(id)
    return limited.limits.sets.every(({ categories, venues }) =>
      own.some(
        ([kind, target]) =>
          (kind === 'category' && categories.includes(target)) ||
          (kind === 'venue' && venues.includes(target)),
      ),
    )
  }

  /** Whether the texts of an event fulfil a condition. One that has just been deleted has none; the change follows later. */
  function hasTexts(id: number, condition: TextCondition): boolean {
    const own = textsOf(id)
    return own !== undefined && condition(own)
  }

  /** That the texts of an event match a search. */
  const bySearch =
    (search: NonNullable<Selection['search']>): TextCondition =>
    (own) =>
      matchesSearch(own, search, mayEdit(search.caller, own.id))

  const isOpenTo = (caller: Caller, { id, password_hash }: Searched) =>
    password_hash === null || mayEdit(caller, id)
  const textFor = (caller: Caller, own: Searched) => (isOpenTo(caller, own) ? own.folded : own.folded_title)

  /** That an event has terms in its texts, or in the names of what it is linked to, as far as the caller sees these. */
  const byQuery =
    ({ wanted, unwanted, caller }: ResolvedTerms): TextCondition =>
    (own) => {
      const text = textFor(caller, own)
      const links = isOpenTo(caller, own) ? linksOf(own.id) : []
      const has = (term: ResolvedTerm) =>
        hasTerm(text, term) || links.some(([kind, target]) => term.targets.has(kind, target))
      return wanted.every(has) && !unwanted.some(has)
    }

  return {
    mayEdit,
    hasTexts,
    bySearch,
    byQuery,
    /** That the text of an event that the caller sees has a term. */
    byTerm:
      (term: TextTerm, caller: Caller): TextCondition =>
      (own) =>
        hasTerm(textFor(caller, own), term),
    /**
     * Those of some events whose texts fulfil a condition, in all of which `part` stands. These are too many for the cache: SQLite looks for the
     * part, so that no other text is copied.
     */
    readMatching: (ids: number[], condition: TextCondition, part: string): number[] =>
      read(`${TEXTS_OF} in (select value from json_each(?)) and instr(folded, ?)`, JSON.stringify(ids), part)
        .filter(condition)
        .map(({ id }) => id),
    /** Whether the links and texts of an event match a selection. */
    matches: (selection: ResolvedSelection, id: number): boolean =>
      hasLinks(selection, id) &&
      isAllowed(selection, id) &&
      (!selection.search || hasTexts(id, bySearch(selection.search))) &&
      (!selection.query || hasTexts(id, byQuery(selection.query))),
  }
}
export type EventChecks = ReturnType<typeof openEventChecks>
