import type { ClockState, ClockStatus } from '../../kernel/database/replica.ts'
import type { NodeLog } from './node-log.ts'

/** Milliseconds beyond which a clock is off, and beyond which nothing is stamped or published by it. */
export const OFF = 2_000
const WRONG = 60_000

const LEVELS: ClockState[] = ['right', 'off', 'wrong']
const levelOf = (milliseconds: number) => Number(milliseconds > OFF) + Number(milliseconds > WRONG)

/** How a clock differs, in words. */
export const tellOffset = (offset: number) =>
  `${Math.round(Math.abs(offset) / 1_000)} s ${offset > 0 ? 'behind' : 'ahead of'}`

const tell = ({ state, offset }: ClockStatus): string | undefined => {
  const differs = `the clock of this node is ${tellOffset(offset)} that of PostgreSQL`
  if (state === 'right') return undefined
  return state === 'off'
    ? `${differs}; set it, by NTP for example`
    : `${differs}: it publishes nothing that is scheduled, and stamps with the time of PostgreSQL, until one of the two is set`
}

/**
 * Compares the clock of this machine with PostgreSQL's. Between question and answer that was read at any moment, so a difference
 * counts only beyond the half of that time; while the two can not be told apart, it is taken to be as before.
 */
export function openClock(machine: () => number, log?: Pick<NodeLog, 'warn'>) {
  let level = 0
  let offset = 0
  const status = (): ClockStatus => ({ state: LEVELS[level]!, offset })
  return {
    status,
    /** What is wrong with it, for everybody; undefined if nothing is known to be. */
    trouble: () => tell(status()),
    /** Unix milliseconds to stamp with. */
    now: () => machine() + (LEVELS[level] === 'wrong' ? offset : 0),
    /** Notes the time of PostgreSQL in an answer that has just come, and how long it was waited for, in milliseconds. */
    heard(there: number, waited: number) {
      const half = waited / 2
      const seen = Math.round(there + half - machine())
      const [least, most] = [levelOf(Math.abs(seen) - half), levelOf(Math.abs(seen) + half)]
      const now = Math.min(Math.max(level, least), most)
      offset = seen
      if (now === level) return
      level = now
      const message = tell(status()) ?? 'the clock of this node agrees with that of PostgreSQL again'
      log?.warn({ seconds: Math.round(offset / 1_000) }, message)
    },
  }
}
export type Clock = ReturnType<typeof openClock>
