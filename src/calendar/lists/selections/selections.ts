import type { Changes } from '../../../kernel/database/changes.ts'
import type { Db } from '../../../kernel/database/db.ts'
import { finish, type Scheduler, type Task } from '../../../kernel/tasks/scheduler.ts'
import type { Corrections, Term } from '../../../kernel/text/search.ts'
import { Few } from '../../index/bits.ts'
import type { Span } from '../../time/month.ts'
import { openNames } from '../names.ts'
import { charged } from '../price.ts'
import { openSuggestions } from '../suggestions.ts'
import { openCorrections } from './corrections.ts'
import { openListed } from './listed.ts'
import { openFits, openMembers } from './members.ts'
import { openPages } from './pages.ts'
import type { Found, Page, Selection, Settled } from './selection.ts'
import { keyOf, openSets } from './sets.ts'
import { openTitles } from './titles.ts'
import { openWindows } from './windows.ts'

/** IDs of the next events. */
const NEXT =
  'select json_group_array(event_id) from (select event_id from listings where event_id > ? order by event_id limit 1000)'
/** Events of a page that is made at once; those of a larger one are made in steps. */
const MOST_AT_ONCE = 1_000

/**
 * Counts and pages of all lists of events. The dates and flags of all events are in memory, and for each set of filters in use
 * its events and their counts by start and end. A set catches up with writes at its next use.
 */
export function openSelections(db: Db, changes: Changes, scheduler: Scheduler) {
  const names = openNames(db, changes)
  const listed = openListed(db, changes)
  const { calendar } = listed
  const single = openFits(db, listed)
  const members = openMembers(db, listed, single)
  const windows = openWindows(listed)
  const { bring, counted, forPage, named, current } = openSets(listed, members, single.fits, windows)
  const pages = openPages(db, listed, windows)
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
  function chargedFor<T>({ spend, search, query }: Selection, task: Task<T>): Task<T> {
    const words = [search, query].reduce(
      (sum, asked) => sum + (asked ? asked.wanted.length + asked.unwanted.length : 0),
      0,
    )
    return charged(task, spend, words)
  }

  /** Runs a task after all earlier ones of the same name, even if those fail. */
  async function inOrder<T>(name: string, task: () => Task<T>): Promise<T> {
    while (making.has(name)) await Promise.allSettled([making.get(name)])
    const made = scheduler.run(task())
    if (!(made instanceof Promise)) return made
    making.set(name, made)
    return made.finally(() => making.delete(name))
  }

  function* answer(selection: Settled, page: Page): Task<Found> {
    const found = yield* pages.of(selection, yield* forPage(selection), page)
    return found ?? (yield* pages.byDay(selection, yield* counted(selection), page))
  }

  /** The events of a selection by ID, in any order of the selection. `ready` comes first; then all is of one moment, without steps. */
  const byId = {
    /** Follows the last writes, and with `all` finds the events of the selection, so that little is left for the moment itself. */
    async ready(given: Selection, all: boolean) {
      const behind = follow()
      if (behind) await behind
      const selection = await settled(given)
      if (!all || selection.include) return
      const key = keyOf(selection)
      if (!current(key)) await inOrder(key, () => chargedFor(selection, bring(selection)))
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
      return (yield* members.select(selection, calendar.compile(selection))).count()
    },
    waiting: members.waiting,
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
    const known = current(key)
    const isSmall = order.by === 'start' && page.per_page <= MOST_AT_ONCE
    if (isSmall && known?.histogram) return pages.byDayNow(selection, known, page)
    return inOrder(key, () => chargedFor(selection, answer(selection, page)))
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
      return scheduler.run(chargedFor(selection, corrections(selection, now)))
    },
    /** Reads the data that lists are made from, without steps. */
    load() {
      finish(listed.follow())
      finish(members.load())
    },
    /** When the events of a selection by start take place, whose limits are whole days. Throws like `list`. */
    async spans(given: Selection): Promise<Span[]> {
      await follow()
      const selection = await settled(given)
      function* found(): Task<Span[]> {
        return yield* pages.spans(selection, yield* counted(selection))
      }
      const key = keyOf(selection)
      return inOrder(key, () => (current(key)?.histogram ? found() : chargedFor(selection, found())))
    },
  }
}
