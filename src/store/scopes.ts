import { LRUCache } from 'lru-cache'
import { Bits, Few, type Numbers, read } from '../bits.ts'
import { FLAGS, halfLimit, type Limit, openCalendar, STATUSES, TRAIT_BITS, type Where } from '../calendar.ts'
import { ALWAYS, type Histogram, type Window } from '../histogram.ts'
import type { Caller } from '../roles.ts'
import type { SearchTerms } from '../search.ts'
import { type Changes, EVERYTHING } from './changes.ts'
import type { Db } from './db.ts'
import type { LinkKind } from './links.ts'
import { LINK_KINDS } from './listings.ts'
import { answers, found } from './search.ts'

/** What lists are filtered by, dates apart. */
export type Scope = {
  where: Where
  /** Of the IDs of a kind one has to match. */
  links: Partial<Record<LinkKind, number[]>>
  /** Whether it takes place at one of these venues. */
  located?: { at: number[]; is: boolean } | undefined
  /** `caller` may edit some of what passwords protect, and searches there as well. */
  search?: (SearchTerms & { caller: Caller }) | undefined
}
export type Page = { page: number; per_page: number }

/** Bytes that all kept scopes together may take. */
const MOST_BYTES = 24_000_000
const MOST_SCOPES = 500
/** A scope is narrow where fewer than one of so many events are in it: bits would take more room. */
const NARROW = 320
/** Of an ID and a comma, roughly. */
const DIGITS = 8
/** Changed events after which everything is read again instead of following each. */
const MOST_CHANGED = 2_000
/** Events that are read at a time. */
const BATCH = 5_000

/** The columns of a calendar, each as an array of JSON. */
const COLUMNS = [
  'event_id',
  `case status ${STATUSES.map((status) => `when '${status}' then ${TRAIT_BITS[status]}`).join(' ')} end + ${FLAGS.map((flag) => `${TRAIT_BITS[flag]} * ${flag}`).join(' + ')}`,
  'language',
  'author_id',
  'coalesce(parent_id, 0)',
  ...['starts', 'ends', 'utc_starts', 'utc_ends'],
]
const READ = `select ${COLUMNS.map((column) => `json_group_array(${column})`)} from listings where event_id between ? and ?`
const LINKED =
  "select coalesce(cast(group_concat(event_id) as blob), x'') from links where kind = ? and target_id in (select value from json_each(?))"

/** A scope with the events in it, and how many there are by day. */
type Kept = { scope: Scope; members: Numbers; histogram: Histogram; isIn(id: number): boolean }

/**
 * Counts and pages of all lists of events. Dates and flags of all events are held in memory, and of each scope that is asked
 * for, which events are in it and how many by start and end. Both follow the changes of this process and of others.
 */
export function openScopes(db: Db, changes: Changes) {
  const calendar = openCalendar()
  const scopes = new LRUCache<string, Kept>({
    max: MOST_SCOPES,
    maxSize: MOST_BYTES,
    sizeCalculation: ({ members, histogram }, key) => members.bytes() + histogram.bytes() + key.length + 1,
  })
  let seen: number | undefined

  function readCalendar(first: number, last: number) {
    const [row] = db.rows<string[]>(READ, first, last)
    const [ids, traits, languages, authors, parents, starts, ends, utcStarts, utcEnds] = row!.map((column) =>
      JSON.parse(column),
    )
    for (let at = 0; at < ids.length; at++)
      calendar.put({
        id: ids[at],
        traits: traits[at],
        language: languages[at],
        author: authors[at],
        parent: parents[at],
        starts: starts[at],
        ends: ends[at],
        utcStarts: utcStarts[at],
        utcEnds: utcEnds[at],
      })
  }

  function load() {
    scopes.clear()
    const [[last]] = db.rows<[number]>('select coalesce(max(event_id), 0) from listings') as [[number]]
    calendar.clear(last)
    for (let first = 1; first <= last; first += BATCH) readCalendar(first, first + BATCH - 1)
    calendar.fill()
  }

  /** Brings everything up to what is committed. */
  function follow() {
    const { seq } = changes.latest()
    if (seq === seen) return
    const missed = seen === undefined ? [] : changes.after(seen)
    const changed = new Set(missed.filter(({ kind }) => kind === 'event').map(({ id }) => id))
    if (seen === undefined || changed.size > MOST_CHANGED || missed.some(({ kind }) => kind === EVERYTHING))
      load()
    else move([...changed])
    seen = seq
  }

  /** Takes events out of where they were, and puts them where they are now. */
  function move(ids: number[]) {
    const kept = [...scopes.values()]
    const count = (id: number, histogram: Histogram, by: number) =>
      histogram.add(calendar.startOf(id), calendar.lengthOf(id), by)
    for (const id of ids) {
      for (const { members, histogram } of kept)
        if (members.has(id)) {
          count(id, histogram, -1)
          members.delete(id)
        }
      calendar.remove(id)
      readCalendar(id, id)
    }
    for (const { scope, isIn, members, histogram } of kept)
      for (const id of ids)
        if (isIn(id) && hasLinks(scope, id) && hasTexts(scope, id)) {
          members.add(id)
          count(id, histogram, 1)
        }
  }

  /** The events that are linked to one of these records, as text. */
  const linked = (kind: LinkKind, targets: number[]): Buffer =>
    db.rows<[Buffer]>(LINKED, kind, JSON.stringify(targets))[0]![0]
  const mayEdit = (caller: Caller) => (id: number) => calendar.mayEdit(caller, id)

  /** The events in which words occur, for a caller. */
  function matching(words: string[], all: boolean, caller: Caller): Bits {
    const size = calendar.size()
    const open = found(db, words, { sealed: false, all, size })
    if (caller) open.or(found(db, words, { sealed: true, all, size }).keep(mayEdit(caller)))
    return open
  }

  /** The events of a scope: what is linked, there and found, of that what fulfils all else. */
  function select({ where, links, located, search }: Scope, isIn: (id: number) => boolean): Few | Bits {
    const size = calendar.size()
    const many = (text: Buffer) => read(text, new Bits(size))
    const [fewest, ...others] = LINK_KINDS.flatMap((kind) =>
      links[kind] ? [linked(kind, links[kind])] : [],
    ).sort((a, b) => a.length - b.length)
    const sets = others.map(many)
    const there = located && many(linked('venue', located.at))
    if (located?.is) sets.push(there!)
    if (search && search.wanted.length > 0) sets.push(matching(search.wanted, true, search.caller))
    const isNarrow = fewest && isFew(fewest.length / DIGITS)
    const first = fewest ? (isNarrow ? read(fewest, new Few()) : many(fewest)) : sets.shift()
    const members = first ?? calendar.select(where)
    for (const set of sets) members.and(set)
    if (located?.is === false) members.without(there!)
    if (search && search.unwanted.length > 0) members.without(matching(search.unwanted, false, search.caller))
    return first ? members.keep(isIn) : members
  }
  const isFew = (count: number) => count * NARROW < calendar.size()

  function keep(scope: Scope): Kept {
    const key = JSON.stringify(scope)
    const known = scopes.get(key)
    if (known) return known
    const isIn = calendar.compile(scope.where)
    const all = select(scope, isIn)
    const members = all instanceof Bits && isFew(all.count()) ? all.few() : all
    const kept = { scope, members, isIn, histogram: calendar.tally(members) }
    scopes.set(key, kept)
    return kept
  }

  /** Those of a set that lie within limits which cut days. */
  function within(members: Numbers, limits: Limit[]): Bits {
    const isWithin = calendar.within(limits)
    const bits = new Bits(calendar.size())
    members.each((id) => {
      if (isWithin(id)) bits.add(id)
    })
    return bits
  }

  /** Whether one event's links are in a scope; what `keep` asks of all events at once. */
  function hasLinks({ links, located }: Scope, id: number): boolean {
    if (!located && LINK_KINDS.every((kind) => !links[kind])) return true
    const own = db.rows<[LinkKind, number]>('select kind, target_id from links where event_id = ?', id)
    const has = (kind: LinkKind, targets: number[]) =>
      own.some(([at, target]) => at === kind && targets.includes(target))
    return (
      LINK_KINDS.every((kind) => !links[kind] || has(kind, links[kind])) &&
      (!located || has('venue', located.at) === located.is)
    )
  }
  /** The same of its texts. */
  function hasTexts({ search }: Scope, id: number): boolean {
    if (!search) return true
    const [row] = db.rows<[string, string, string | null]>(
      'select folded, folded_title, password_hash from posts where id = ?',
      id,
    )
    const [folded, folded_title, password_hash] = row!
    return answers({ id, folded, folded_title, password_hash }, search, mayEdit(search.caller)(id))
  }

  return {
    follow,
    /** A page of IDs by local start, then ID (R7), and how many match. */
    list(scope: Scope, limits: Limit[], { page, per_page }: Page): { total: number; ids: number[] } {
      follow()
      const kept = keep(scope)
      const halves = windowOf(limits)
      const window = halves ?? ALWAYS
      const members = halves ? kept.members : within(kept.members, limits)
      const counts = halves ? kept.histogram : calendar.tally(members)
      const isWithin = calendar.within(limits)
      return {
        total: counts.count(window),
        ids: counts
          .slice(window, (page - 1) * per_page, per_page)
          .flatMap(({ day, skip, take }) =>
            [...calendar.at(day)].filter((id) => members.has(id) && isWithin(id)).slice(skip, skip + take),
          ),
      }
    },
    /** The same of events that are named. */
    pick(scope: Scope, ids: number[], { page, per_page }: Page): { total: number; ids: number[] } {
      follow()
      const isIn = calendar.compile(scope.where)
      const matches = [...new Set(ids)].filter(
        (id) => calendar.has(id) && isIn(id) && hasLinks(scope, id) && hasTexts(scope, id),
      )
      matches.sort(calendar.byStart)
      return { total: matches.length, ids: matches.slice((page - 1) * per_page, page * per_page) }
    },
  }
}

/** The window of halves of days that limits stand for, where they cut none. */
function windowOf(limits: Limit[]): Window | undefined {
  const window = { ...ALWAYS }
  for (const limit of limits) {
    const half = halfLimit(limit)
    if (!half) return undefined
    const [from, to] = limit.side === 'start' ? (['from', 'to'] as const) : (['endFrom', 'endTo'] as const)
    window[from] = Math.max(window[from], half.least ?? -Infinity)
    window[to] = Math.min(window[to], half.most ?? Infinity)
  }
  return window
}
