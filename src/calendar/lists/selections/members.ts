import { LRUCache } from 'lru-cache'
import type { Caller } from '../../../kernel/access/roles.ts'
import type { Db } from '../../../kernel/database/db.ts'
import type { Task } from '../../../kernel/tasks/scheduler.ts'
import { hasTerm } from '../../../kernel/text/search.ts'
import type { Post } from '../../formats/records.ts'
import { Bits, Few, type Numbers, read } from '../../index/bits.ts'
import { LINK_KINDS, type LinkKind } from '../../records/projection/links.ts'
import { matches as hasAll } from '../../search/unindexed.ts'
import { openAsked } from './asked.ts'
import type { Listed } from './listed.ts'
import { isExact, MOST_READ, openMatches, type Sought, TEXTS, toRows } from './matches.ts'
import type { NamedTerm, NamedTerms, Selection, Settled } from './selection.ts'

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

const within = (text: string): Sought => ({ text, how: 'within' })

/** Finds the events of selections, as sets of rows. */
export function openMembers(db: Db, listed: Listed, fits: Fits) {
  const { calendar } = listed
  const { inTexts } = fits
  const matches = openMatches(db, listed, fits)
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
  const readAll = <T extends Numbers>(texts: Buffer[], to: T): T => {
    for (const text of texts) read(text, toRows(calendar, to))
    return to
  }
  const many = (texts: Buffer[]) => readAll(texts, new Bits(calendar.size()))

  /** Keeps the members of a set that fulfil a condition on their texts, in all of which `part` stands. */
  function* narrow(members: Numbers, condition: TextCondition, part = ''): Task<void> {
    const rows: number[] = []
    members.each((row) => rows.push(row))
    const areCached = rows.length <= MOST_READ
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
    among: Few | Bits | undefined,
    every: () => Bits,
  ): Task<Few | Bits> {
    const { wanted, unwanted, caller } = search
    const isFound = inTexts(search)
    const isFew = (some: Numbers) => some.count() <= MOST_READ
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
      const found: Bits = yield* matches.indexed(wanted.map(within), caller)
      members = members ? members.and(found) : found
    }
    members ??= every()
    for (const word of unwanted) {
      if (isFew(members)) {
        isRight = false
        break
      }
      const found: Bits = yield* matches.indexed([within(word)], caller)
      const alone = { wanted: [word], unwanted: [], caller }
      if (!isExact(within(word))) yield* narrow(found, inTexts(alone), word)
      members.without(found)
    }
    if (!isRight) yield* narrow(members, isFound, inexact[0])
    yield* matches.decide(members, late, (id) => fits.hasTexts(id, isFound))
    return members
  }

  /** Takes the events out of a set that only others see: neither published nor the author's, nor within the limits. */
  function* keepAllowed(members: Numbers, { author, limits }: NonNullable<Selection['limited']>): Task<void> {
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
  const compact = (members: Few | Bits) =>
    members instanceof Bits && isFew(members.count()) ? members.few() : members

  /** Keeps the events that fulfil the other conditions: those of a set that is mostly there already, unless they are few. */
  function* keepIn(found: Numbers, isIn: (row: number) => boolean, plain?: () => Task<Numbers>): Task<void> {
    const all = plain && !isFew(found.count()) ? yield* plain() : undefined
    if (all instanceof Bits) found.and(all)
    else found.filter(isIn)
  }

  return {
    compact,
    /** Reads what searches need, which the first would do otherwise. */
    load: matches.load,
    /** The events whose texts searches read, because they are not indexed yet. */
    waiting: matches.waiting,
    /**
     * The events of a selection without its dates: by links, place and search first, then by all other conditions. `plain` brings the events that
     * fulfil these alone, where they may be kept.
     */
    *select(
      selection: Settled,
      isIn: (row: number) => boolean,
      plain?: () => Task<Numbers>,
    ): Task<Few | Bits> {
      const { links, located, search, query, limited } = selection
      const texts: Buffer[][] = []
      for (const kind of LINK_KINDS) if (links[kind]) texts.push(yield* linked(kind, links[kind]))
      const atVenues = located && (yield* linked('venue', located.at))
      if (located?.is) texts.push(atVenues!)
      const [fewest, ...others] = texts.sort((a, b) => lengthOf(a) - lengthOf(b))
      const sets: Bits[] = []
      for (const other of others) {
        sets.push(many(other))
        yield
      }
      const isNarrow = fewest && isFew(lengthOf(fewest) / DIGITS)
      const first = fewest && (isNarrow ? readAll(fewest, new Few()) : many(fewest))
      let members: Few | Bits | undefined = first
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

type Texts = Pick<Post, 'id' | 'folded' | 'folded_title' | 'password_hash'>
/** A condition on the texts of an event. */
export type TextCondition = (own: Texts) => boolean
type Links = [LinkKind, number][]

const TEXTS_OF = 'select id, folded, folded_title, password_hash from posts where id'

/** Limits of the caches of single events: entries with links, and characters of texts. */
const MOST_EVENTS = 5_000
const MOST_CHARACTERS = 4_000_000

/** Checks whether the links and texts of single events match a selection. */
export function openFits({ rows }: Db, { calendar, journal }: Listed) {
  const links = new LRUCache<string, Links>({ max: MOST_EVENTS })
  const texts = new LRUCache<string, Texts>({
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
  const read = (query: string, ...values: (string | number)[]): Texts[] =>
    rows<[number, string, string, string | null]>(query, ...values).map(
      ([id, folded, folded_title, password_hash]) => ({ id, folded, folded_title, password_hash }),
    )
  const textsOf = (id: number) => once(texts, `${id} ${versionOf(id)}`, () => read(`${TEXTS_OF} = ?`, id)[0])

  const mayEdit = (caller: Caller, id: number) => calendar.mayEdit(caller, id)

  function hasLinks({ links, located }: Settled, id: number): boolean {
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
  function isAllowed({ limited }: Settled, id: number): boolean {
    if (!limited || !calendar.isKeptFrom(limited.author)(calendar.rowOf(id))) return true
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
  const inTexts =
    (search: NonNullable<Selection['search']>): TextCondition =>
    (own) =>
      hasAll(own, search, mayEdit(search.caller, own.id))

  const isOpenTo = (caller: Caller, { id, password_hash }: Texts) =>
    password_hash === null || mayEdit(caller, id)
  const textFor = (caller: Caller, own: Texts) => (isOpenTo(caller, own) ? own.folded : own.folded_title)

  /** That an event has terms in its texts, or in the names of what it is linked to, as far as the caller sees these. */
  const inNames =
    ({ wanted, unwanted, caller }: NamedTerms): TextCondition =>
    (own) => {
      const text = textFor(caller, own)
      const links = isOpenTo(caller, own) ? linksOf(own.id) : []
      const has = (term: NamedTerm) =>
        hasTerm(text, term) || links.some(([kind, target]) => term.targets.has(kind, target))
      return wanted.every(has) && !unwanted.some(has)
    }

  return {
    mayEdit,
    hasTexts,
    inTexts,
    inNames,
    /** That the text of an event that the caller sees has a term. */
    inText:
      (term: Sought, caller: Caller): TextCondition =>
      (own) =>
        hasTerm(textFor(caller, own), term),
    /**
     * Those of some events whose texts fulfil a condition, in all of which `part` stands. These are too many for the cache: SQLite looks for the
     * part, so that no other text is copied.
     */
    among: (ids: number[], condition: TextCondition, part: string): number[] =>
      read(`${TEXTS_OF} in (select value from json_each(?)) and instr(folded, ?)`, JSON.stringify(ids), part)
        .filter(condition)
        .map(({ id }) => id),
    /** Whether the links and texts of an event match a selection. */
    fits: (selection: Settled, id: number): boolean =>
      hasLinks(selection, id) &&
      isAllowed(selection, id) &&
      (!selection.search || hasTexts(id, inTexts(selection.search))) &&
      (!selection.query || hasTexts(id, inNames(selection.query))),
  }
}
export type Fits = ReturnType<typeof openFits>
