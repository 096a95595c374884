import { useState } from 'preact/hooks'
import type { Span } from '../../rules/month.ts'
import { type Entry, moveEntry } from './data.ts'

/** Where events are that were dropped or brought back, until they have been read again: what was read before has them elsewhere. */
export function useDropped(again: () => Promise<void>) {
  const [dropped, setDropped] = useState<Record<number, Span>>({})
  const drop = async (entry: Entry, to: Span) => {
    setDropped((before) => ({ ...before, [entry.id]: to }))
    await moveEntry(entry, to, drop)
    await again()
    // it may have been dropped once more meanwhile
    setDropped((before) => {
      const { [entry.id]: last, ...others } = before
      return last === to ? others : before
    })
  }
  return { dropped, drop }
}
