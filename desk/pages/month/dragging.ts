import { useEffect, useRef, useState } from 'preact/hooks'
import { movedBy, type Span } from '../../rules/month.ts'
import { daysBetween } from '../../rules/wall.ts'
import type { Entry } from './data.ts'

/** An event that is being moved or stretched, and by how many days. */
type Drag = { entry: Entry; stretched: boolean; days: number }

/** Pixels that a pointer moves before it drags. */
const SLACK = 5
/** The day under a point of the window. */
const dayAt = (x: number, y: number): string | undefined =>
  document
    .elementsFromPoint(x, y)
    .map((element) => (element as HTMLElement).dataset.day)
    .find((day) => day !== undefined)

/** Moves events by pointer and by keyboard. `drop` gets the dates that an event is given. */
export function useDragging(drop: (entry: Entry, to: Span) => void) {
  const [drag, setDrag] = useState<Drag>()
  const stop = useRef<() => void>(undefined)
  /** A click that ends a drag opens nothing. */
  const dragged = useRef(false)
  useEffect(() => () => stop.current?.(), [])

  const grab = (entry: Entry, stretched: boolean, event: PointerEvent) => {
    const from = dayAt(event.clientX, event.clientY)
    if (event.button !== 0 || from === undefined) return
    const { clientX, clientY } = event
    let current: Drag | undefined
    dragged.current = false
    const move = ({ clientX: x, clientY: y }: PointerEvent) => {
      if (!current && Math.hypot(x - clientX, y - clientY) < SLACK) return
      const day = dayAt(x, y)
      if (day === undefined) return
      dragged.current = true
      current = { entry, stretched, days: daysBetween(from, day) }
      setDrag(current)
    }
    const end = () => {
      stop.current!()
      if (current && current.days !== 0) drop(entry, movedBy(entry, current.days, stretched))
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
  /** Alt with an arrow moves an event by a day or a week; with Shift as well, its end. */
  const press = (entry: Entry, event: KeyboardEvent) => {
    const days = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key]
    if (days === undefined || !event.altKey) return
    event.preventDefault()
    drop(entry, movedBy(entry, days, event.shiftKey))
  }
  return { drag, grab, press, dragged }
}
