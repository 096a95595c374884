import { asUtc, type Moment } from './wall.ts'

const clocks = new Map<string, Intl.DateTimeFormat>()
/** The day and time by the clocks of a zone; undefined if there is no such zone. */
function wallIn(timeZone: string, at: number): string | undefined {
  try {
    const clock =
      clocks.get(timeZone) ??
      new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    clocks.set(timeZone, clock)
    return clock.format(at)
  } catch {
    return undefined // what is being typed
  }
}

const DAY = 86_400_000

/** The instants at which a wall-clock time is shown, by the offsets before and after its day: two of them differ where the clocks change. */
function instantsOf(wall: string, zone: string): number[] {
  const at = asUtc(wall)
  return [at - DAY, at + DAY].map((one) => {
    const there = wallIn(zone, one)
    return there === undefined ? at : at - (asUtc(there) - one)
  })
}

/** When a day begins in a zone, in epoch milliseconds. */
export const beginningOf = (day: string, zone: string): number => instantsOf(`${day} 00:00:00`, zone)[0]!

/**
 * What the clocks of a zone make of a wall-clock time when they are changed: the time that one becomes which they skip, as the API takes it,
 * later by the gap; or `twice`, of which the API takes the first. Undefined for one that they show once.
 */
export function clockChangeAt({ day, time }: Moment, zone: string): Moment | 'twice' | undefined {
  const wall = `${day} ${time}:00`
  // a year that is being typed is long ago
  if (!(asUtc(wall) >= 0)) return undefined
  const [first, second] = instantsOf(wall, zone) as [number, number]
  if (first === second) return undefined
  const [shown, later] = [wallIn(zone, first)!, wallIn(zone, second)!]
  if (shown === wall) return later === wall ? 'twice' : undefined
  return later === wall ? undefined : { day: shown.slice(0, 10), time: shown.slice(11, 16) }
}

/** Whether the clocks of two zones show another time at noon of a day. A zone that does not exist differs from none. */
export function differOn(day: string, one: string, other: string): boolean {
  const at = Date.parse(`${day}T12:00:00Z`)
  if (Number.isNaN(at)) return false
  const [here, there] = [wallIn(one, at), wallIn(other, at)]
  return here !== undefined && there !== undefined && here !== there
}
