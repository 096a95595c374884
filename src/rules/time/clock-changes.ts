import { offsetAt, type Zone, zoned } from './zones.ts'

/** A change of the clocks of a zone: the instant in epoch milliseconds, and the offsets from UTC before and after it in milliseconds. */
export type ClockChange = { at: number; from: number; to: number }

/** The changes of the clocks of a zone after `since` and before `until`, in epoch milliseconds, in order. */
export function clockChanges(zone: Zone, since: number, until: number): ClockChange[] {
  const changes: ClockChange[] = []
  let from = offsetAt(since, zone)
  let next = zoned(since, zone).getTimeZoneTransition('next')
  while (next && next.epochMilliseconds < until) {
    const to = next.offsetNanoseconds / 1e6
    changes.push({ at: next.epochMilliseconds, from, to })
    from = to
    next = next.getTimeZoneTransition('next')
  }
  return changes
}
