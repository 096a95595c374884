import { LRUCache } from 'lru-cache'
import { Bits, type Numbers } from '../index/bits.ts'
import { halfLimit, type Limit } from '../index/calendar.ts'
import { ALWAYS, type Histogram, type Window } from '../index/histogram.ts'
import type { Changes } from '../sqlite/changes.ts'
import type { Db } from '../sqlite/db.ts'
import { openFits } from './fits.ts'
import { openListed } from './listed.ts'
import { openMembers, type Scope } from './members.ts'
import { finish, type Slices, type Steps } from './slices.ts'

type Page = { page: number; per_page: number }
type Found = { total: number; ids: number[] }

/** Bytes that all kept scopes together may take. */
const MOST_BYTES = 24_000_000
const MOST_SCOPES = 500
/** How often a scope is counted in steps while others write; then all at once. */
const ATTEMPTS = 3

/** A scope with the events in it, and how many there are by day, as of a number of `moves`. */
type Kept = {
  scope: Scope
  at: number
  members: Numbers
  histogram: Histogram | undefined
  isIn(id: number): boolean
}

/**
 * Counts and pages of all lists of events. Dates and flags of all events are held in memory, and of each scope that is asked
 * for, which events are in it and how many by start and end. A scope catches up with what was written when it is asked for again.
 */
export function openScopes(db: Db, changes: Changes, slices: Slices) {
  const listed = openListed(db, changes)
  const { calendar, moves } = listed
  const single = openFits(db, listed)
  const { fits } = single
  const { select } = openMembers(db, listed, single)
  const scopes = new LRUCache<string, Kept>({
    max: MOST_SCOPES,
    maxSize: MOST_BYTES,
    sizeCalculation: ({ members, histogram }, key) => members.bytes() + histogram!.bytes() + key.length + 1,
  })
  /** Scopes that are being made. */
  const making = new Map<string, Promise<unknown>>()
  let following: Promise<void> | undefined

  /** Brings the calendar up to what is committed; undefined where it is. */
  function follow(): Promise<void> | undefined {
    if (following || !listed.isBehind()) return following
    const run = slices.runFirst(listed.follow())
    if (run instanceof Promise)
      following = run.finally(() => {
        following = undefined
      })
    return following
  }

  /** Takes events out of where they were, and puts them where they are now; gives whether it is known what was written. */
  function* catchUp(kept: Kept): Steps<boolean> {
    const { scope, members, histogram, isIn } = kept
    while (kept.at < moves.end()) {
      const number = kept.at
      const move = moves.at(number)
      if (!move) return false
      const { id, start, length } = move
      if (members.has(id)) {
        members.delete(id)
        histogram?.add(start, length, -1)
      }
      // of several writes the last tells what is
      if (moves.latest(id) === number && isIn(id) && fits(scope, id)) {
        members.add(id)
        histogram?.add(calendar.startOf(id), calendar.lengthOf(id), 1)
      }
      kept.at++
      yield
    }
    return true
  }

  /** Makes a scope anew: what was written meanwhile is decided at the end. */
  function* make(scope: Scope): Steps<Kept> {
    for (;;) {
      const at = moves.end()
      const isIn = calendar.compile(scope.where)
      const members = yield* select(scope, isIn)
      const kept: Kept = { scope, at, members, isIn, histogram: undefined }
      for (let attempts = ATTEMPTS; yield* catchUp(kept); attempts--) {
        const histogram = attempts > 0 ? yield* calendar.tally(members) : finish(calendar.tally(members))
        if (moves.end() === kept.at) return Object.assign(kept, { histogram })
      }
    }
  }

  /** A scope as of now. */
  function* bring(key: string, scope: Scope): Steps<Kept> {
    const known = scopes.get(key)
    if (known && (yield* catchUp(known))) return known
    const kept = yield* make(scope)
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

  /** A page by local start, then ID (R7), and how many match. */
  function pageOf(
    { members, histogram }: Pick<Kept, 'members' | 'histogram'>,
    limits: Limit[],
    window: Window,
    { page, per_page }: Page,
  ): Found {
    const isWithin = calendar.within(limits)
    return {
      total: histogram!.count(window),
      ids: histogram!
        .slice(window, (page - 1) * per_page, per_page)
        .flatMap(({ day, skip, take }) =>
          [...calendar.at(day)].filter((id) => members.has(id) && isWithin(id)).slice(skip, skip + take),
        ),
    }
  }

  function* answer(key: string, scope: Scope, limits: Limit[], page: Page): Steps<Found> {
    const kept = yield* bring(key, scope)
    const window = windowOf(limits)
    if (window) return pageOf(kept, limits, window, page)
    const members = within(kept.members, limits)
    // where something is written meanwhile, the read is made again
    return pageOf({ members, histogram: yield* calendar.tally(members) }, limits, ALWAYS, page)
  }

  function* pickAll(scope: Scope, ids: number[], { page, per_page }: Page): Steps<Found> {
    const isIn = calendar.compile(scope.where)
    const matches: number[] = []
    for (const id of new Set(ids)) {
      if (calendar.has(id) && isIn(id) && fits(scope, id)) matches.push(id)
      yield
    }
    matches.sort(calendar.byStart)
    return { total: matches.length, ids: matches.slice((page - 1) * per_page, page * per_page) }
  }

  return {
    /** Reads what lists are made from, all at once. */
    load: () => finish(listed.follow()),
    /** A page of IDs by local start, then ID (R7), and how many match. Throws 503 where too many lists wait to be made. */
    async list(scope: Scope, limits: Limit[], page: Page): Promise<Found> {
      const key = JSON.stringify(scope)
      const behind = follow()
      if (behind) await behind
      const known = scopes.get(key)
      const window = windowOf(limits)
      if (known && window && known.at === moves.end()) return pageOf(known, limits, window, page)
      // what others make already is waited for, whatever becomes of it
      while (making.has(key)) await Promise.allSettled([making.get(key)])
      const found = slices.run(answer(key, scope, limits, page))
      if (!(found instanceof Promise)) return found
      making.set(key, found)
      return found.finally(() => making.delete(key))
    },
    /** A page of events that are named. */
    async pick(scope: Scope, ids: number[], page: Page): Promise<Found> {
      const behind = follow()
      if (behind) await behind
      return slices.run(pickAll(scope, ids, page))
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
