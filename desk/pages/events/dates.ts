import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { tellFailure } from '../../parts/notice.tsx'
import type { Place } from '../../rules/places.ts'
import { datesOf, type Row } from './query.ts'

/** A row with all of its languages. */
export type Shown = Row & { all: Row[] }

/** The dates of series that are unfolded, by the IDs of their series. They are read again when the list was, and folded with another one. */
export function useDates(place: Place, list: unknown) {
  const [dates, setDates] = useState<Record<number, Row[]>>({})
  const [reading, setReading] = useState(0)
  const key = JSON.stringify(place.query)
  const latest = useRef(key)
  const open = useRef(new Map<number, Shown>())
  const load = async (row: Shown): Promise<Row[]> => {
    setReading((before) => before + 1)
    try {
      const found = await datesOf(row, place)
      if (latest.current === key && open.current.has(row.series!))
        setDates((before) => ({ ...before, [row.series!]: found }))
      return found
    } catch (failure) {
      tellFailure(failure)
      return []
    } finally {
      setReading((before) => before - 1)
    }
  }
  const fold = (row: Row) => {
    open.current.delete(row.series!)
    setDates(({ [row.series!]: _, ...others }) => others)
  }
  useLayoutEffect(() => {
    if (latest.current === key) return
    latest.current = key
    open.current.clear()
    setDates({})
  }, [key])
  useLayoutEffect(() => {
    for (const row of open.current.values()) void load(row)
  }, [list])
  /** Reads the dates of a row, or gives those that are there. */
  const unfold = async (row: Shown): Promise<Row[]> => {
    open.current.set(row.series!, row)
    return dates[row.series!] ?? load(row)
  }
  return { dates, unfold, fold, reading: reading > 0 }
}
