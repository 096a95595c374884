import { useEffect, useRef, useState } from 'preact/hooks'
import type { Span } from '../../rules/month.ts'
import { daysBetween } from '../../rules/wall.ts'
import { DAY, STEP, shiftedBy, stepped } from '../../rules/week.ts'
import type { Entry } from '../month/data.ts'

/** An event that is being moved or stretched, and by how many minutes. */
type Drag = { entry: Entry; stretched: boolean; minutes: number }

/** Pixels that a pointer moves before it drags. */
const SLACK = 5

/** The column of a day under a point of the window. */
const columnAt = (x: number, y: number) =>
  document.elementsFromPoint(x, y).find((element) => element.matches('.column')) as HTMLElement | undefined

/** The minute of a day that a point of the window is at. */
export function minuteAt(column: HTMLElement, y: number): number {
  const { top, height } = column.getBoundingClientRect()
  return ((y - top) / height) * DAY
}

/** Moves and stretches events in hours, by pointer and by keyboard. `drop` gets the dates that an event is given. */
export function useHours(drop: (entry: Entry, to: Span) => void) {
  const [drag, setDrag] = useState<Drag>()
  const stop = useRef<() => void>(undefined)
  /** A click that ends a drag opens nothing. */
  const dragged = useRef(false)
  useEffect(() => () => stop.current?.(), [])

  const grab = (entry: Entry, stretched: boolean, event: PointerEvent) => {
    const from = columnAt(event.clientX, event.clientY)
    if (event.button !== 0 || !from) return
    const { clientX, clientY } = event
    const [day, minute] = [from.dataset.day!, minuteAt(from, clientY)]
    let current: Drag | undefined
    dragged.current = false
    const move = ({ clientX: x, clientY: y }: PointerEvent) => {
      if (!current && Math.hypot(x - clientX, y - clientY) < SLACK) return
      const column = columnAt(x, y)
      if (!column) return
      dragged.current = true
      const days = stretched ? 0 : daysBetween(day, column.dataset.day!)
      current = { entry, stretched, minutes: days * DAY + stepped(minuteAt(column, y) - minute) }
      setDrag(current)
    }
    const end = () => {
      stop.current!()
      if (current && current.minutes !== 0) drop(entry, shiftedBy(entry, current.minutes, stretched))
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
  /** Alt with an arrow moves an event by a day or a quarter of an hour; with Shift as well, its end. */
  const press = (entry: Entry, event: KeyboardEvent) => {
    const minutes = { ArrowLeft: -DAY, ArrowRight: DAY, ArrowUp: -STEP, ArrowDown: STEP }[event.key]
    if (minutes === undefined || !event.altKey) return
    event.preventDefault()
    drop(entry, shiftedBy(entry, minutes, event.shiftKey))
  }
  return { drag, grab, press, dragged }
}
