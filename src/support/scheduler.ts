import { ApiError } from './errors.ts'
import { inNextTurn } from './semaphore.ts'

/** Work in steps of a few milliseconds at most, so that others get their turn between them. */
export type Steps<T> = Generator<void, T, void>

type Job = {
  steps: Steps<unknown>
  /** Milliseconds that each job would have had until it came, if all had the same. */
  from: number
  /** Milliseconds used so far. */
  used: number
  resolve(value: never): void
  reject(error: unknown): void
}

/** Milliseconds of each turn of the event loop for waiting jobs. */
const SLICE = 4
/** Milliseconds between two turns for jobs that arrive when nothing waits; most of these finish at once. */
const AT_ONCE = 2
const MOST_WAITING = 100
/** Seconds to wait before trying again. */
const RETRY_AFTER = 2

const overloaded = () =>
  new ApiError('rest_overloaded', `Too many searches are running; try again in ${RETRY_AFTER} seconds.`, {
    retry_after: RETRY_AFTER,
  })

/** What decides which job runs: the time that it has had, and before it came a fair share. */
const timeOf = ({ from, used }: Job) => from + used

/**
 * Shares the event loop among the long jobs of many clients, one slice a turn. The job that has had the least time runs
 * first, so that short jobs do not wait for long ones; new jobs count as if they had had a fair share before they came, so that no job
 * waits for ever while others keep coming. If too many wait, the one that has had the most is refused (503). `now` returns
 * milliseconds.
 */
export function openSlices(now = () => performance.now()) {
  const jobs: Job[] = []
  /** Milliseconds that each job would have had until now, if all had the same. */
  let share = 0
  let left = AT_ONCE
  const plan = inNextTurn(turn)

  /** Continues a job for so many milliseconds; returns the time it took, and its result if it ended. */
  function advance<T>(steps: Steps<T>, milliseconds: number) {
    const began = now()
    for (;;) {
      const { done, value } = steps.next()
      const took = now() - began
      if (done) return { took, ended: { value } }
      if (took >= milliseconds) return { took }
    }
  }

  function turn() {
    for (let rest = SLICE; rest > 0 && jobs.length > 0; ) {
      const job = jobs.reduce((first, other) => (timeOf(other) < timeOf(first) ? other : first))
      try {
        const { took, ended } = advance(job.steps, rest)
        rest -= took
        job.used += took
        share += took / jobs.length
        if (!ended) break
        job.resolve(ended.value as never)
      } catch (error) {
        job.reject(error)
      }
      jobs.splice(jobs.indexOf(job), 1)
    }
    if (jobs.length > 0 || left < AT_ONCE) plan()
    left = AT_ONCE
  }

  function wait<T>(steps: Steps<T>, used: number): Promise<T> {
    return new Promise((resolve, reject) => {
      jobs.push({ steps, from: share, used, resolve, reject })
      plan()
      if (jobs.length <= MOST_WAITING) return
      const longest = jobs.reduce((most, other) => (other.used >= most.used ? other : most))
      jobs.splice(jobs.indexOf(longest), 1)
      longest.reject(overloaded())
    })
  }

  return {
    /** Returns the result of the steps, at once if nothing waits and they are short. Rejects with 503 if too many jobs wait. */
    run<T>(steps: Steps<T>): T | Promise<T> {
      if (jobs.length > 0 || left <= 0) return wait(steps, 0)
      const { took, ended } = advance(steps, left)
      left -= took
      plan()
      return ended ? ended.value : wait(steps, took)
    },
    /** Runs a job before all others, because they wait for it. It is never refused. */
    runFirst<T>(steps: Steps<T>): T | Promise<T> {
      const { ended } = advance(steps, AT_ONCE)
      return ended ? ended.value : wait(steps, -Infinity)
    },
  }
}
export type Slices = ReturnType<typeof openSlices>

/** The same steps, each of which costs whom they are for so many units. */
export function* metered<T>(steps: Steps<T>, price: number, spend: (units: number) => void): Steps<T> {
  for (;;) {
    spend(price)
    const { done, value } = steps.next()
    if (done) return value
    yield
  }
}

/** Runs all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
