/** Returns the current value of the Date header, formatted at most once a second. */
export function openDate(clock: () => number) {
  let second = Number.NaN
  let text = ''
  return () => {
    const now = Math.floor(clock() / 1000)
    if (now !== second) {
      second = now
      text = new Date(now * 1000).toUTCString()
    }
    return text
  }
}
