import { ApiError } from '../../../kernel/errors.ts'
import { later } from '../../../kernel/tasks/jobs.ts'

/** Seconds after which a client may try again. */
const RETRY_AFTER = 10

/** The 503 of a mirror that can not pass a write on yet. */
export const notYet = (why: string) =>
  new ApiError('rest_not_ready', `${why} Nothing was written; try again in ${RETRY_AFTER} seconds.`, {
    retry_after: RETRY_AFTER,
  })

/**
 * Does one thing at a time, in the order in which they came: what was asked of a source before a write must not be taken after it. Throws a 503
 * with the words of `lack` if the turn does not come in so many milliseconds.
 */
export function openTurns() {
  let last = Promise.resolve()
  return async <T>(work: () => Promise<T>, patience?: number, lack = ''): Promise<T> => {
    const before = last
    let end!: () => void
    const own = new Promise<void>((resolve) => {
      end = resolve
    })
    last = before.then(() => own)
    try {
      await (patience === undefined ? before : orTired(before, patience, lack))
      return await work()
    } finally {
      end()
    }
  }
}
export type Turns = ReturnType<typeof openTurns>

const orTired = (before: Promise<void>, patience: number, lack: string) =>
  new Promise<void>((resolve, reject) => {
    const timer = later(() => reject(notYet(lack)), patience)
    before.then(() => {
      timer.clear()
      resolve()
    })
  })
