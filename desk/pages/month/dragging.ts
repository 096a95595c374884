import { useEffect, useRef, useState } from 'preact/hooks'
import { SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { colored } from '../../rules/hues.ts'
import type { Span } from '../../rules/month.ts'
import { rowsOf } from '../../rules/sets.ts'
import { language as spoken } from '../../words/words.ts'
import { type Entry, moveEntry, readCategorySets, readMonth } from './data.ts'

/** How events are moved and stretched: by days in a month, by minutes in a week. */
export type Scale<Place> = {
  /** The place under a point of the window. */
  placeAt(x: number, y: number): Place | undefined
  /** How far the second place is from the first. */
  between(from: Place, to: Place, stretched: boolean): number
  /** When an event is that is moved or stretched so far. */
  shifted(entry: Span, by: number, stretched: boolean): Span
  /** How far each arrow key goes. */
  keys: Record<string, number>
}

/** An event that is being moved or stretched, and how far. */
type Drag = { entry: Entry; stretched: boolean; by: number }

/** Pixels that a pointer moves before it drags. */
const SLACK = 5

/** Moves and stretches events by pointer and by keyboard. `drop` gets the dates that an event is given. */
function useDragging<Place>(
  { placeAt, between, shifted, keys }: Scale<Place>,
  drop: (entry: Entry, to: Span) => void,
) {
  const [drag, setDrag] = useState<Drag>()
  const stop = useRef<() => void>(undefined)
  /** A click that ends a drag opens nothing. */
  const dragged = useRef(false)
  useEffect(() => () => stop.current?.(), [])

  const grab = (entry: Entry, stretched: boolean, { button, clientX, clientY }: PointerEvent) => {
    const from = placeAt(clientX, clientY)
    if (button !== 0 || from === undefined) return
    let current: Drag | undefined
    dragged.current = false
    const move = ({ clientX: x, clientY: y }: PointerEvent) => {
      if (!current && Math.hypot(x - clientX, y - clientY) < SLACK) return
      const to = placeAt(x, y)
      if (to === undefined) return
      dragged.current = true
      current = { entry, stretched, by: between(from, to, stretched) }
      setDrag(current)
    }
    const end = () => {
      stop.current!()
      if (current && current.by !== 0) drop(entry, shifted(entry, current.by, stretched))
    }
    const press = ({ key }: KeyboardEvent) => key === 'Escape' && stop.current!()
    stop.current = () => {
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', stop.current!)
      removeEventListener('keydown', press)
      setDrag(undefined)
    }
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', stop.current)
    addEventListener('keydown', press)
  }
  /** Alt with an arrow moves an event; with Shift as well, its end. */
  const press = (entry: Entry, event: KeyboardEvent) => {
    const by = keys[event.key]
    if (by === undefined || !event.altKey) return
    event.preventDefault()
    drop(entry, shifted(entry, by, event.shiftKey))
  }
  return { drag, grab, press, dragged }
}
export type Dragging = ReturnType<typeof useDragging>

/** Where events are that were dropped or brought back, until they have been read again: what was read before has them elsewhere. */
function useDropped(again: () => Promise<void>) {
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

/** The events of some days, which are moved and stretched: one for all of its languages, and where it is held or was dropped. */
export function useEntries<Place>(
  [first, last]: [first: string, last: string],
  language: string | undefined,
  scale: Scale<Place>,
) {
  const { value, failure, again, loading } = useLoaded(`${first} ${last} ${language}`, () =>
    readMonth(first, last, language),
  )
  const { value: categories = [] } = useLoaded('category sets', readCategorySets)
  const known = colored(categories, spoken.get())
  const { dropped, drop } = useDropped(again)
  const dragging = useDragging(scale, drop)
  const { drag } = dragging
  const sets = rowsOf(value ?? [], SITE.languages, ({ start_date, end_date }) => `${start_date} ${end_date}`)
  const entries: Entry[] = sets.map((entry) => ({
    ...entry,
    // as every language calls them, or as the event does
    categories: entry.categories.map((one) => known.get(one.id) ?? { ...one, key: one.id }),
    ...dropped[entry.id],
    ...(drag?.entry.id === entry.id && scale.shifted(entry, drag.by, drag.stretched)),
  }))
  return { value, failure, again, loading, entries, dragging }
}
