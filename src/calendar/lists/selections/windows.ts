import { LRUCache } from 'lru-cache'
import type { Task } from '../../../kernel/tasks/scheduler.ts'
import { Bits } from '../../index/bits.ts'
import type { Limit } from '../../index/histogram.ts'
import { NOWHERE } from '../../index/rows.ts'
import type { Listed } from './listed.ts'

/** Dates of lists that are remembered, each with a bit for each event. */
const MOST = 8
/** Events that one step looks at. */
const STEP = 20_000

/** All events within some dates, as of a number of `journal`. */
type Window = { at: number; rows: Bits }

/** The events within the dates that many lists share, such as the default ones: by them, what lies in a large set is counted at once. */
export function openWindows({ calendar, journal }: Pick<Listed, 'calendar' | 'journal'>) {
  /** By dates that were asked for; without a window if that was once. */
  const asked = new LRUCache<string, { window?: Window }>({ max: MOST })

  /** Moves written events to where they are; returns false if it is no longer known which were written. */
  function catchUp(window: Window, isWithin: (row: number) => boolean): boolean {
    for (; window.at < journal.end(); window.at++) {
      const move = journal.at(window.at)
      if (!move) return false
      window.rows.delete(move.row)
      const row = calendar.rowOf(move.id)
      if (row !== NOWHERE && isWithin(row)) window.rows.add(row)
    }
    return true
  }

  function* make(isWithin: (row: number) => boolean): Task<Window> {
    const window = { at: journal.end(), rows: new Bits(calendar.size()) }
    for (let row = 0; row < calendar.size(); row++) {
      if (isWithin(row)) window.rows.add(row)
      if (row % STEP === STEP - 1) yield
    }
    return window
  }

  return {
    /** Whether dates were asked for before. */
    has: (dates: Limit[]) => asked.has(JSON.stringify(dates)),
    /** The events within dates as of now; undefined if these are asked for the first time, since to look at all events would not pay. */
    *bring(dates: Limit[]): Task<Bits | undefined> {
      const known = asked.get(JSON.stringify(dates))
      if (!known) {
        asked.set(JSON.stringify(dates), {})
        return undefined
      }
      const isWithin = calendar.within(dates)
      while (!known.window || !catchUp(known.window, isWithin)) known.window = yield* make(isWithin)
      return known.window.rows
    },
  }
}
export type Windows = ReturnType<typeof openWindows>
