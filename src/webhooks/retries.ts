const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long a message is tried, and how long a webhook may fail, in milliseconds. */
export const PATIENCE = 72 * HOUR
/** The time after a try in which nothing else was tried because the service did not run. */
export const DOWNTIME = 8 * HOUR

/** Milliseconds between one try of a message and the next; the last one repeats. */
const DELAYS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 1 * HOUR, 2 * HOUR, 4 * HOUR]
/** A delay is up to so much shorter or longer, so that receivers are not hit by all messages at once. */
const JITTER = 0.2

/** Milliseconds until the next try after so many; `random` is from 0 to 1. */
export const delayAfter = (attempts: number, random: number) =>
  Math.round(DELAYS[Math.min(attempts, DELAYS.length) - 1]! * (1 + JITTER * (2 * random - 1)))

/** Failures in a row, of any messages, from which on a webhook rests. */
export const MANY = 5
const FIRST_REST = 5 * SECOND
const LONGEST_REST = 10 * MINUTE

/** Milliseconds for which nothing is sent after so many failures in a row. */
export const restAfter = (failures: number) =>
  failures < MANY ? 0 : Math.min(FIRST_REST * 2 ** (failures - MANY), LONGEST_REST)

/** The longest wait that a receiver can ask for. */
const MOST_ASKED = 24 * HOUR

/** Milliseconds that `Retry-After` asks for, at most a day: seconds or a date (RFC 9110 §10.2.3). 0 if it says nothing. */
export function readRetryAfter(text: string | undefined, now: number): number {
  if (text === undefined) return 0
  const asked = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now
  return asked > 0 ? Math.min(asked, MOST_ASKED) : 0
}
