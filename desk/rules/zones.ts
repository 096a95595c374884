import { asUtc, type Moment } from './wall.ts'

/** The day and time by the clocks of a zone; undefined if there is no such zone. */
function wallIn(timeZone: string, at: number): string | undefined {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at)
  } catch {
    return undefined // what is being typed
  }
}

/** The time that a wall-clock time becomes which the clocks of a zone skip, as the API takes it: later by the gap. Undefined for one that they show. */
export function settled({ day, time }: Moment, zone: string): Moment | undefined {
  const wall = `${day} ${time}:00`
  const at = asUtc(wall)
  // a year that is being typed is long ago
  if (!(at >= 0)) return undefined
  // the clocks before and after the day
  const shown = [at - DAY, at + DAY].map((one) => {
    const there = wallIn(zone, one)
    return there === undefined ? wall : wallIn(zone, at - (asUtc(there) - one))
  })
  if (shown.includes(wall)) return undefined
  return { day: shown[0]!.slice(0, 10), time: shown[0]!.slice(11, 16) }
}
const DAY = 86_400_000

/** Whether the clocks of two zones show another time at noon of a day. A zone that does not exist differs from none. */
export function differOn(day: string, one: string, other: string): boolean {
  const at = Date.parse(`${day}T12:00:00Z`)
  if (Number.isNaN(at)) return false
  const [here, there] = [wallIn(one, at), wallIn(other, at)]
  return here !== undefined && there !== undefined && here !== there
}
