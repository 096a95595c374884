import { LRUCache } from 'lru-cache'
import type { Corrections, Term } from '../../../rules/text/query.ts'
import type { Span } from '../../../rules/time/month.ts'
import { finish, metered, type Scheduler, type Task } from '../../../support/scheduler.ts'
import type { Changes } from '../../changes/changes.ts'
import { Bits, Few, type Numbers } from '../../index/bits.ts'
import { type Histogram, windowOf } from '../../index/histogram.ts'
import type { Db } from '../../sqlite/db.ts'
import { openNames } from '../names.ts'
import { openSuggestions } from '../suggestions.ts'
import { openCorrections } from './corrections.ts'
import { openListed } from './listed.ts'
import { openFits, openMembers } from './members.ts'
import { openPages } from './pages.ts'
import type { Found, Occurrences, Page, Selection, Settled } from './selection.ts'
import { oneOfEach } from './series.ts'
import { openTitles } from './titles.ts'

/** Greatest size in bytes of all cached sets together. */
const MOST_BYTES = 24_000_000
const MOST_SETS = 500
/** IDs of the next events. */
const NEXT =
  'select json_group_array(event_id) from (select event_id from listings where event_id > ? order by event_id limit 1000)'
/** How often a set is counted in steps while others write; then all at once. */
const ATTEMPTS = 3
/** Events of a page that is made at once; those of a larger one are made in steps. */
const MOST_AT_ONCE = 1_000
/** Units of work that a step costs, and more for each word, which every text is searched for. */
const PRICE = 2
const PRICE_OF_WORD = 0.4
/** Approximate bytes of an entry of a map. */
const BYTES = 40

/** The events of a selection and their counts by day, as of a number of `journal`. Its dates apply as well, unless counts serve them. */
type CachedSelection = {
  selection: Settled
  at: number
  members: Numbers
  /** Undefined while it is being made. */
  histogram: Histogram | undefined
  /** Only if one event stands for each series. */
  occurrences?: Occurrences | undefined
  isIn(row: number): boolean
}

/** Whether the histogram of the set without dates can serve the dates, since it counts whole days. */
const isCounted = ({ order, dates, series }: Selection) =>
  !series && (dates.length === 0 || (order.by === 'start' && windowOf(dates) !== undefined))
/** The key of a cached set. */
function keyOf(selection: Settled): string {
  const { order: _, dates, ...filters } = selection
  return JSON.stringify(isCounted(selection) ? filters : { ...filters, dates })
}

/**
 * Counts and pages of all lists of events. The dates and flags of all events are in memory, and for each set of filters in use
 * its events and their counts by start and end. A set catches up with writes at its next use.
 */
export function openSelections(db: Db, changes: Changes, scheduler: Scheduler) {
  const names = openNames(db, changes)
  const listed = openListed(db, changes)
  const { calendar, journal } = listed
  const single = openFits(db, listed)
  const { fits } = single
  const { select, compact } = openMembers(db, listed, single)
  const pages = openPages(db, listed)
  const sets = new LRUCache<string, CachedSelection>({
    max: MOST_SETS,
    maxSize: MOST_BYTES,
    sizeCalculation: ({ members, histogram, occurrences }, key) =>
      members.bytes() + histogram!.bytes() + (occurrences ? occurrences.size * BYTES : 0) + key.length + 1,
  })
  /** The sets and orders that are being made. */
  const making = new Map<string, Promise<unknown>>()
  let following: Promise<void> | undefined

  /** Updates the calendar to the committed state; undefined if it is current. */
  function follow(): Promise<void> | undefined {
    if (following || !listed.isBehind()) return following
    const run = scheduler.runFirst(listed.follow())
    if (run instanceof Promise)
      following = run.finally(() => {
        following = undefined
      })
    return following
  }

  /** A selection with the records that have its words in their names, as of the last names. */
  function settle(selection: Selection): Settled {
    const { query, ...rest } = selection
    if (!query) return selection as Settled
    const withTargets = (term: Term) => ({ ...term, targets: names.targets(term, query.caller) })
    const { wanted, unwanted, caller } = query
    return {
      ...rest,
      query: { wanted: wanted.map(withTargets), unwanted: unwanted.map(withTargets), caller },
    }
  }

  /** A selection as of now. */
  async function settled(selection: Selection): Promise<Settled> {
    if (selection.query) await scheduler.run(names.follow())
    return settle(selection)
  }
  /** A selection as of now, at once. */
  function settledNow(selection: Selection): Settled {
    if (selection.query) finish(names.follow())
    return settle(selection)
  }

  /** A task for a selection, which is charged to whoever asks. */
  function charged<T>({ spend, search, query }: Selection, task: Task<T>): Task<T> {
    const words = [search, query].reduce(
      (sum, asked) => sum + (asked ? asked.wanted.length + asked.unwanted.length : 0),
      0,
    )
    return spend ? metered(task, PRICE + words * PRICE_OF_WORD, spend) : task
  }

  /** Runs a task after all earlier ones of the same name, even if those fail. */
  async function inOrder<T>(name: string, task: () => Task<T>): Promise<T> {
    while (making.has(name)) await Promise.allSettled([making.get(name)])
    const made = scheduler.run(task())
    if (!(made instanceof Promise)) return made
    making.set(name, made)
    return made.finally(() => making.delete(name))
  }

  /**
   * Moves written events to their current position; returns false if it is no longer known which were written, or if another event may
   * have to stand for a series.
   */
  function* catchUp(cached: CachedSelection): Task<boolean> {
    const { selection, members, histogram, isIn } = cached
    while (cached.at < journal.end()) {
      const number = cached.at
      const move = journal.at(number)
      if (!move) return false
      const { id, start, length } = move
      if (selection.series && (move.series || calendar.seriesOf(calendar.rowOf(id)))) return false
      if (members.has(move.row)) {
        members.delete(move.row)
        histogram?.add(start, length, -1)
      }
      const row = calendar.rowOf(id)
      // only the last of several writes counts
      if (journal.latest(id) === number && isIn(row) && fits(selection, id)) {
        members.add(row)
        histogram?.add(calendar.startOf(row), calendar.lengthOf(row), 1)
      }
      cached.at++
      yield
    }
    return true
  }

  /** Makes a set again; one with dates starts from the set without. Events written meanwhile are checked at the end. */
  function* make(selection: Settled): Task<CachedSelection> {
    const { dates } = selection
    const withDates = !isCounted(selection)
    const isWanted = calendar.compile(selection)
    const isWithin = calendar.within(dates)
    const isIn = withDates ? (row: number) => isWanted(row) && isWithin(row) : isWanted
    for (;;) {
      const at = journal.end()
      const all = withDates
        ? within((yield* bring({ ...selection, dates: [], series: undefined })).members, isWithin)
        : yield* select(selection, isIn)
      const { members, occurrences } = selection.series
        ? yield* stand(all, selection.series)
        : { members: all, occurrences: undefined }
      const cached: CachedSelection = { selection, at, members, isIn, histogram: undefined, occurrences }
      for (let attempts = ATTEMPTS; yield* catchUp(cached); attempts--) {
        const histogram = attempts > 0 ? yield* calendar.tally(members) : finish(calendar.tally(members))
        if (journal.end() === cached.at) return Object.assign(cached, { histogram })
      }
    }
  }

  /** The current state of a set. */
  function* bring(selection: Settled): Task<CachedSelection> {
    const key = keyOf(selection)
    const known = sets.get(key)
    if (known && (yield* catchUp(known))) return known
    const cached = yield* make(selection)
    sets.set(key, cached)
    return cached
  }

  /** The members of a set that fulfil a condition. */
  function within(members: Numbers, isWithin: (row: number) => boolean): Numbers {
    const bits = new Bits(calendar.size())
    members.each((row) => {
      if (isWithin(row)) bits.add(row)
    })
    return compact(bits)
  }

  /** The events of a set of which one stands for each series. */
  function* stand(all: Numbers, which: 'first' | 'last') {
    const found: number[] = []
    all.each((row) => found.push(row))
    const { rows, occurrences } = yield* oneOfEach(calendar, found, which)
    const bits = new Bits(calendar.size())
    for (const row of rows) bits.add(row)
    return { members: compact(bits), occurrences }
  }

  function* answer(selection: Settled, page: Page): Task<Found> {
    return yield* pages.of(selection, yield* bring(selection), page)
  }

  /** The rows of the events that are named and selected. Their dates do not matter. */
  function* named(selection: Settled, ids: number[]): Task<number[]> {
    const isWanted = calendar.compile(selection)
    const isWithin = calendar.within(selection.dates.filter(({ side }) => side === 'modified'))
    const rows: number[] = []
    for (const id of new Set(ids)) {
      const row = calendar.rowOf(id)
      if (isWanted(row) && isWithin(row) && fits(selection, id)) rows.push(row)
      yield
    }
    return rows
  }

  /** The events of a selection by ID, in any order of the selection. `ready` comes first; then all is of one moment, without steps. */
  const byId = {
    /** Follows the last writes, and with `all` finds the events of the selection, so that little is left for the moment itself. */
    async ready(given: Selection, all: boolean) {
      const behind = follow()
      if (behind) await behind
      const selection = await settled(given)
      if (all && !selection.include) await inOrder(keyOf(selection), () => bring(selection))
    },
    /** Those of these events that are selected now. */
    among(given: Selection, ids: number[]): Set<number> {
      finish(listed.follow())
      const selection = settledNow(given)
      const isWithin = calendar.within(selection.include ? [] : selection.dates)
      const wanted = selection.include ? ids.filter((id) => selection.include!.includes(id)) : ids
      return new Set(finish(named(selection, wanted)).filter(isWithin).map(calendar.idOf))
    },
    /** The first `most` selected events after this ID, by ID. */
    after(given: Selection, after: number, most: number): number[] {
      const { include } = given
      const first = (ids: Iterable<number>) =>
        [...ids]
          .filter((id) => id > after)
          .sort((a, b) => a - b)
          .slice(0, most)
      if (include) return first(byId.among(given, include))
      finish(listed.follow())
      const selection = settledNow(given)
      const { members } = finish(bring(selection))
      const isWithin = calendar.within(selection.dates)
      const isIn = (row: number) => members.has(row) && isWithin(row)
      if (members instanceof Few) return first([...members].filter(isWithin).map(calendar.idOf))
      const found: number[] = []
      for (let last = after; found.length < most; ) {
        const [[text]] = db.rows<[string]>(NEXT, last) as [[string]]
        const ids: number[] = JSON.parse(text)
        if (ids.length === 0) break
        for (const id of ids) if (isIn(calendar.rowOf(id))) found.push(id)
        last = ids.at(-1)!
      }
      return found.slice(0, most)
    },
  }

  const titles = openTitles(db, listed, scheduler, (selection, page) => answer(settle(selection), page))
  const corrections = openCorrections({
    changes,
    names,
    settle,
    *find(selection) {
      return (yield* bring(selection)).members.count()
    },
    *count(selection) {
      return (yield* select(selection, calendar.compile(selection))).count()
    },
    nearest: titles.near,
  })

  /** A page of IDs in the order of the selection, and the total. Throws 503 if too many lists are waiting. */
  async function list(given: Selection, page: Page): Promise<Found> {
    const behind = follow()
    if (behind) await behind
    const selection = given.query ? await settled(given) : (given as Settled)
    const { include, order } = selection
    if (order.by !== 'start') await inOrder(`by ${order.by}`, () => pages.prepare(order.by))
    if (include) return scheduler.run(pages.ofSome(selection, () => named(selection, include), page))
    const key = keyOf(selection)
    const known = sets.get(key)
    const isSmall = order.by === 'start' && page.per_page <= MOST_AT_ONCE
    if (isSmall && known?.at === journal.end()) return pages.byStart(selection, known, page)
    return inOrder(key, () => charged(selection, answer(selection, page)))
  }

  return {
    byId,
    list,
    /** What visitors may mean by what they typed. Throws like `list`. */
    suggest: openSuggestions(names, titles, async () => {
      await follow()
      await scheduler.run(names.follow())
    }),
    /** What the words that a person typed are taken as, where they occur nowhere. Throws like `list`. */
    async correct(selection: Selection, now: number): Promise<Corrections> {
      await follow()
      await settled(selection)
      return scheduler.run(charged(selection, corrections(selection, now)))
    },
    /** Reads the data that lists are made from, without steps. */
    load: () => finish(listed.follow()),
    /** When the events of a selection by start take place, whose limits are whole days. Throws like `list`. */
    async spans(given: Selection): Promise<Span[]> {
      await follow()
      const selection = await settled(given)
      return inOrder(keyOf(selection), function* () {
        return pages.spans(selection, yield* bring(selection))
      })
    },
  }
}
