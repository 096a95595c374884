import { useEffect } from 'preact/hooks'
import { list } from '../api/client.ts'
import { signal } from '../api/signal.ts'
import { fill, number, w } from '../words/words.ts'

const waiting = signal(0)

/** Reads how many submissions wait; where that fails the number stays as it was. */
export const countWaiting = () =>
  list('/submissions', 'submissions', { state: 'waiting', per_page: 1 }).then(
    ({ total }) => waiting.set(total),
    () => {},
  )

/** Milliseconds between looks. */
const EVERY = 120_000

/** How many submissions wait, beside their entry in the menu; nothing if there are none. */
export function Waiting() {
  const total = waiting.use()
  useEffect(() => {
    countWaiting()
    const timer = setInterval(countWaiting, EVERY)
    return () => clearInterval(timer)
  }, [])
  if (total === 0) return null
  return (
    <>
      {' '}
      <span class="badge" aria-hidden="true">
        {number(total)}
      </span>
      <span class="unseen">{fill(w.submissions_waiting, { count: number(total) })}</span>
    </>
  )
}
