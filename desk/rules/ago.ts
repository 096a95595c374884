const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long ago a moment was, in the largest unit of which it is at least one; `since` is `YYYY-MM-DD HH:MM:SS` in UTC, `now` in milliseconds. */
export function agoOf(since: string, now: number): [count: number, unit: 'day' | 'hour' | 'minute'] {
  const seconds = Math.max(0, (now - Date.parse(`${since.replace(' ', 'T')}Z`)) / 1000)
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? UNITS[2]
  return [Math.floor(seconds / length), unit]
}
