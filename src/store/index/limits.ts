import { ALWAYS, type Window } from './histogram.ts'

/** A limit for the start or end of an event, in seconds of its own wall clock or of UTC, or for its last change, always in UTC. */
export type Limit = {
  side: 'start' | 'end' | 'modified'
  than: '>=' | '<=' | '<' | '>'
  value: number
  utc: boolean
}

const DAY = 86_400
/**
 * The half of a day in which a time lies, counted from 1970: all of a day but its last second, or that second. Windows of
 * whole days end on last seconds, and so do events that last all day: halves tell `<` from `<=` there.
 */
export const halfOf = (time: number) =>
  2 * Math.floor(time / DAY) + (((time % DAY) + DAY) % DAY === DAY - 1 ? 1 : 0)

/** The smallest or largest half of a day within a limit; undefined if the limit cuts a half. */
function halfLimit({ than, value, utc }: Limit): { least?: number; most?: number } | undefined {
  if (utc) return undefined
  const half = halfOf(value)
  const isLast = half % 2 !== 0
  if (than === '>=' && (isLast || value % DAY === 0)) return { least: half }
  if (than === '<=' && isLast) return { most: half }
  if (than === '<' && (isLast || value % DAY === 0)) return { most: half - 1 }
  return than === '>' && isLast ? { least: half + 1 } : undefined
}

/** The window of halves of days within limits; undefined if a limit cuts one. */
export function windowOf(limits: Limit[]): Window | undefined {
  const window = { ...ALWAYS }
  for (const limit of limits) {
    const half = halfLimit(limit)
    if (!half) return undefined
    const [from, to] = limit.side === 'start' ? (['from', 'to'] as const) : (['endFrom', 'endTo'] as const)
    window[from] = Math.max(window[from], half.least ?? -Infinity)
    window[to] = Math.min(window[to], half.most ?? Infinity)
  }
  return window
}
