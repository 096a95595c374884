import type { Caller } from '../../kernel/access/roles.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Task } from '../../kernel/tasks/scheduler.ts'
import type { LiveIndex } from '../index/live-index.ts'
import { addIds, Bitmap, type RowSet, SparseSet } from '../index/row-set.ts'
import { LINK_KINDS, type LinkKind } from '../records/projection/links.ts'
import {
  isExact,
  MOST_TEXTS_READ,
  openTextMatches,
  TEXTS,
  type TextMatches,
  type TextTerm,
  toRows,
} from '../search/text-index.ts'
import type { EventChecks, TextCondition } from './event-checks.ts'
import type { ResolvedSelection, ResolvedTerm, ResolvedTerms, Selection } from './selection.ts'

/** A selection is narrow if it has fewer than one in so many events: bits would take more space. */
const NARROW = 320
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

/** Finds the events of selections, as sets of rows. */
export function openCandidates(db: Db, listed: LiveIndex, fits: EventChecks) {
  const { calendar } = listed
  const { inTexts } = fits
  const matches = openTextMatches(db, listed, fits)
  const isFew = (count: number) => count * NARROW < calendar.size()

  /** The events that are linked to one of these records, as texts. */
  function* linked(kind: LinkKind, targets: readonly number[]): Task<Buffer[]> {
    if (targets.length > 1) {
      const [[count, text]] = db.rows<[number, Buffer]>(LINKED_TO_ALL, kind, JSON.stringify(targets)) as [
        [number, Buffer],
      ]
      if (count < BATCH) return [text]
    }
    const texts: Buffer[] = []
    for (const target of targets)
      for (let after = 0, isMore = true; isMore; ) {
        const [row] = db.rows<[number, number, Buffer]>(LINKED, kind, target, after)
        const [count, last, text] = row!
        texts.push(text)
        after = last
        isMore = count === BATCH
        yield
      }
    return texts
  }
  const lengthOf = (texts: Buffer[]) => texts.reduce((sum, { length }) => sum + length, 0)
  const readAll = <T extends RowSet>(texts: Buffer[], to: T): T => {
    for (const text of texts) addIds(text, toRows(calendar, to))
    return to
  }
  const many = (texts: Buffer[]) => readAll(texts, new Bitmap(calendar.size()))

  /** Keeps the members of a set that fulfil a condition on their texts, in all of which `part` stands. */
  function* narrow(members: RowSet, condition: TextCondition, part = ''): Task<void> {
    const rows: number[] = []
    members.each((row) => rows.push(row))
    const areCached = rows.length <= MOST_TEXTS_READ
    const step = areCached ? 1 : TEXTS
    for (let from = 0; from < rows.length; from += step) {
      const some = rows.slice(from, from + step)
      const ids = some.map(calendar.idOf)
      const right = areCached
        ? ids.filter((id) => fits.hasTexts(id, condition))
        : fits.among(ids, condition, part)
      const kept = new Set(right)
      for (const [at, row] of some.entries()) if (!kept.has(ids[at]!)) members.delete(row)
      yield
    }
  }

  /** The events that a search finds, among `among` or all of `every`. */
  function* searched(
    search: NonNullable<Selection['search']>,
    among: SparseSet | Bitmap | undefined,
    every: () => Bitmap,
  ): Task<SparseSet | Bitmap> {
    const { wanted, unwanted, caller } = search
    const isFound = inTexts(search)
    const isFew = (some: RowSet) => some.count() <= MOST_TEXTS_READ
    if (among && isFew(among)) {
      yield* narrow(among, isFound)
      return among
    }
    const waiting = yield* matches.waiting()
    const late = among ? waiting.filter((id) => among.has(calendar.rowOf(id))) : waiting
    let members = among
    const inexact = wanted.filter((word) => !isExact(within(word)))
    let isRight = inexact.length === 0
    if (wanted.length > 0) {
      const found: Bitmap = yield* matches.indexed(wanted.map(within), caller)
      members = members ? members.and(found) : found
    }
    members ??= every()
    for (const word of unwanted) {
      if (isFew(members)) {
        isRight = false
        break
      }
      const found: Bitmap = yield* matches.indexed([within(word)], caller)
      const alone = { wanted: [word], unwanted: [], caller }
      if (!isExact(within(word))) yield* narrow(found, inTexts(alone), word)
      members.without(found)
    }
    if (!isRight) yield* narrow(members, isFound, inexact[0])
    yield* matches.decide(members, late, (id) => fits.hasTexts(id, isFound))
    return members
  }

  /** Takes the events out of a set that only others see: neither published nor the author's, nor within the limits. */
  function* keepAllowed(members: RowSet, { author, limits }: NonNullable<Selection['limited']>): Task<void> {
    const isKept = calendar.isKeptFrom(author)
    const kept: number[] = []
    members.each((row) => {
      if (isKept(row)) kept.push(row)
    })
    if (kept.length === 0) return
    for (const { categories, venues } of limits.sets) {
      const texts: Buffer[] = [
        ...(yield* linked('category', categories)),
        ...(yield* linked('venue', venues)),
      ]
      const allowed = many(texts)
      for (const row of kept) if (!allowed.has(row)) members.delete(row)
      yield
    }
  }

  const { asked } = openAsked({ calendar, matches, fits, linked, narrow })

  /** A set in the form that takes less space. */
  const compact = (members: SparseSet | Bitmap) =>
    members instanceof Bitmap && isFew(members.count()) ? members.few() : members

  /** Keeps the events that fulfil the other conditions: those of a set that is mostly there already, unless they are few. */
  function* keepIn(found: RowSet, isIn: (row: number) => boolean, plain?: () => Task<RowSet>): Task<void> {
    const all = plain && !isFew(found.count()) ? yield* plain() : undefined
    if (all instanceof Bitmap) found.and(all)
    else found.filter(isIn)
  }

  return {
    compact,
    /** Reads what searches need, which the first would do otherwise. */
    load: matches.load,
    /** The events whose texts searches addIds, because they are not indexed yet. */
    waiting: matches.waiting,
    /**
     * The events of a selection without its dates: by links, place and search first, then by all other conditions. `plain` brings the events that
     * fulfil these alone, where they may be kept.
     */
    *select(
      selection: ResolvedSelection,
      isIn: (row: number) => boolean,
      plain?: () => Task<RowSet>,
    ): Task<SparseSet | Bitmap> {
      const { links, located, search, query, limited } = selection
      const texts: Buffer[][] = []
      for (const kind of LINK_KINDS) if (links[kind]) texts.push(yield* linked(kind, links[kind]))
      const atVenues = located && (yield* linked('venue', located.at))
      if (located?.is) texts.push(atVenues!)
      const [fewest, ...others] = texts.sort((a, b) => lengthOf(a) - lengthOf(b))
      const sets: Bitmap[] = []
      for (const other of others) {
        sets.push(many(other))
        yield
      }
      const isNarrow = fewest && isFew(lengthOf(fewest) / DIGITS)
      const first = fewest && (isNarrow ? readAll(fewest, new SparseSet()) : many(fewest))
      let members: SparseSet | Bitmap | undefined = first
      for (const set of sets) members!.and(set)
      members?.filter(isIn)
      yield
      const every = () => calendar.select(selection)
      if (search) {
        members = yield* searched(search, members, every)
        if (!first) yield* keepIn(members, isIn, plain)
      }
      if (query) {
        const before = members
        members = yield* asked(query, before, every)
        if (!before) yield* keepIn(members, isIn, plain)
      }
      members ??= every()
      if (located?.is === false) members.without(many(atVenues!))
      if (limited) yield* keepAllowed(members, limited)
      yield
      return compact(members)
    },
  }
}

type Parts = Pick<LiveIndex, 'calendar'> & {
  matches: TextMatches
  fits: {
    inText(term: TextTerm, caller: Caller): TextCondition
    inNames(query: ResolvedTerms): TextCondition
    hasTexts(id: number, condition: TextCondition): boolean
  }
  /** The events that are linked to one of these records, as texts. */
  linked(kind: LinkKind, targets: number[]): Task<Buffer[]>
  /** Keeps the members of a set that fulfil a condition on their texts, in all of which `part` stands. */
  narrow(members: RowSet, condition: TextCondition, part?: string): Task<void>
}

/** Finds the events of what people search for: in texts, and by the names of what events are linked to. */
export function openAsked({ calendar, matches, fits, linked, narrow }: Parts) {
  /** The events that are linked to records whose names have a term, as far as the caller sees that. */
  function* named({ targets }: ResolvedTerm, caller: Caller): Task<Bitmap> {
    const bits = new Bitmap(calendar.size())
    for (const kind of LINK_KINDS) {
      const texts = targets.links[kind] ? yield* linked(kind, targets.links[kind]) : []
      for (const text of texts) addIds(text, toRows(calendar, bits))
    }
    return bits.filter(calendar.opens(caller))
  }

  /** The events that have a term in their texts, among `among` or all. */
  function* inTexts(term: ResolvedTerm, caller: Caller, among: RowSet | undefined): Task<Bitmap> {
    const found: Bitmap = yield* matches.indexed([term], caller)
    if (among) found.filter((row) => among.has(row))
    if (!isExact(term)) yield* narrow(found, fits.inText(term, caller), term.text)
    return found
  }

  /** The events that have a term in their texts or in the names of what they are linked to, among `among` or all. */
  function* having(term: ResolvedTerm, caller: Caller, among?: RowSet): Task<Bitmap> {
    const texts: Bitmap = yield* inTexts(term, caller, among)
    return texts.or(yield* named(term, caller))
  }

  /** The events that a person finds, among `among` or all of `every`. */
  function* asked(
    query: ResolvedTerms,
    among: SparseSet | Bitmap | undefined,
    every: () => Bitmap,
  ): Task<SparseSet | Bitmap> {
    const { wanted, unwanted, caller } = query
    const isWanted = fits.inNames(query)
    if (among && among.count() <= MOST_TEXTS_READ) {
      yield* narrow(among, isWanted)
      return among
    }
    const waiting = yield* matches.waiting()
    const late = among ? waiting.filter((id) => among.has(calendar.rowOf(id))) : waiting
    let members = among
    for (const term of [...wanted].sort((a, b) => b.text.length - a.text.length)) {
      if (members && members.count() <= MOST_TEXTS_READ) break
      const found: Bitmap = yield* having(term, caller, members)
      members = members ? members.and(found) : found
    }
    members ??= every()
    for (const term of unwanted) {
      if (members.count() <= MOST_TEXTS_READ) break
      members.without(yield* having(term, caller, members))
    }
    // what was not asked of the index
    if (members.count() <= MOST_TEXTS_READ) yield* narrow(members, isWanted)
    yield* matches.decide(members, late, (id) => fits.hasTexts(id, isWanted))
    return members
  }

  return { asked }
}
