import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import { inNextTurn } from './semaphore.ts'

/** Work that pauses every few milliseconds at most, so that others get their turn. Between two pauses it makes a step. */
export type Task<T> = Generator<void, T, void>

type Waiting = {
  task: Task<unknown>
  /** Milliseconds that each task would have had until it came, if all had the same. */
  from: number
  /** Milliseconds used so far. */
  used: number
  resolve(value: never): void
  reject(error: unknown): void
}

/** Milliseconds of each turn of the event loop for waiting tasks, and for each that nobody shares a scheduler with. */
const SLICE = 2
/** Milliseconds between two turns for tasks that arrive when nothing waits; most of these finish at once. */
const AT_ONCE = 2
const MOST_WAITING = 100
/** Seconds to wait before trying again. */
const RETRY_AFTER = 2

const overloaded = () =>
  new ApiError('rest_overloaded', `Too many searches are running; try again in ${RETRY_AFTER} seconds.`, {
    retry_after: RETRY_AFTER,
  })

/** What decides which task runs: the time that it has had, and before it came a fair share. */
const timeOf = ({ from, used }: Waiting) => from + used

/**
 * Shares the event loop among the long tasks of many clients, one slice a turn. The task that has had the least time runs
 * first, so that short tasks do not wait for long ones; new tasks count as if they had had a fair share before they came, so that no task
 * waits for ever while others keep coming. If too many wait, the one that has had the most is refused (503). `now` returns
 * milliseconds.
 */
export function openScheduler(now = () => performance.now()) {
  const jobs: Waiting[] = []
  /** Milliseconds that each task would have had until now, if all had the same. */
  let share = 0
  let left = AT_ONCE
  const plan = inNextTurn(tick)

  /** Continues a job for so many milliseconds; returns the time it took, and its result if it ended. */
  function advance<T>(task: Task<T>, milliseconds: number) {
    const began = now()
    for (;;) {
      const { done, value } = task.next()
      const took = now() - began
      if (done) return { took, ended: { value } }
      if (took >= milliseconds) return { took }
    }
  }

  function tick() {
    for (let rest = SLICE; rest > 0 && jobs.length > 0; ) {
      const job = jobs.reduce((first, other) => (timeOf(other) < timeOf(first) ? other : first))
      try {
        const { took, ended } = advance(job.task, rest)
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

  function wait<T>(task: Task<T>, used: number): Promise<T> {
    return new Promise((resolve, reject) => {
      jobs.push({ task, from: share, used, resolve, reject })
      plan()
      if (jobs.length <= MOST_WAITING) return
      const longest = jobs.reduce((most, other) => (other.used >= most.used ? other : most))
      jobs.splice(jobs.indexOf(longest), 1)
      longest.reject(overloaded())
    })
  }

  return {
    /** Returns the result of a task, at once if nothing waits and it is short. Rejects with 503 if too many tasks wait. */
    run<T>(task: Task<T>): T | Promise<T> {
      if (jobs.length > 0 || left <= 0) return wait(task, 0)
      const { took, ended } = advance(task, left)
      left -= took
      plan()
      return ended ? ended.value : wait(task, took)
    },
    /** Runs a task before all others, because they wait for it. It is never refused. */
    runFirst<T>(task: Task<T>): T | Promise<T> {
      const { ended } = advance(task, AT_ONCE)
      return ended ? ended.value : wait(task, -Infinity)
    },
  }
}
export type Scheduler = ReturnType<typeof openScheduler>

/** A task each step of which takes so many units from the budget of whom it is for. */
export function* metered<T>(task: Task<T>, price: number, spend: (units: number) => void): Task<T> {
  for (;;) {
    spend(price)
    const { done, value } = task.next()
    if (done) return value
    yield
  }
}

/** Characters or bytes of a long text that are read in one step. */
export const PIECE = 16_384

/** Bytes in pieces, with a turn of the event loop for others before each. */
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    await nextTurn()
    yield bytes.subarray(at, at + PIECE)
  }
}

/** Tasks that run in turns now. */
let running = 0

/**
 * Runs a task that nobody else waits for, such as the reading of a long file, with turns of the event loop for others. Several share what one
 * would have of each turn. `now` returns milliseconds.
 */
export async function inTurns<T>(task: Task<T>, now = () => performance.now()): Promise<T> {
  running++
  try {
    for (;;) {
      const began = now()
      do {
        const { done, value } = task.next()
        if (done) return value
      } while (now() - began < SLICE / running)
      await nextTurn()
    }
  } finally {
    running--
  }
}

/** Runs a task to its end at once. */
export function finish<T>(task: Task<T>): T {
  for (;;) {
    const { done, value } = task.next()
    if (done) return value
  }
}
