import { type Work, type WriteContext, withoutWriteContext } from '../../kernel/database/context.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { openPauses } from '../../kernel/database/queue.ts'

/** A write that was begun, and waits for its turn in the transaction. */
type Part = { work: Work<unknown>; resolve(value: unknown): void; reject(error: unknown): void }

/** The record that a write gives: its ID, or something that has one. */
const idOf = (value: unknown): number => (typeof value === 'number' ? value : (value as { id: number }).id)

/**
 * Makes several writes in one transaction, in their order. Each is begun by itself, with its context, its checks and the pictures that it needs, and comes
 * here instead of to the queue. Who began it gets the result after the commit. If one fails, none is made.
 */
export function openBatchTransaction(db: Pick<Db, 'write'>) {
  const parts: Part[] = []
  let isOver = false
  let failed: number | undefined

  /** What the next write carries, and a promise that it has come. */
  function next(): { carried: WriteContext; arrived: Promise<void> } {
    let come!: () => void
    const arrived = new Promise<void>((resolve) => {
      come = resolve
    })
    const at = parts.length
    const join = <T>(work: Work<T>): Promise<T> => {
      // what a request writes after its record stands alone
      if (isOver || parts[at]) return withoutWriteContext(() => db.write(work))
      return new Promise((resolve, reject) => {
        parts[at] = { work, resolve: resolve as Part['resolve'], reject }
        come()
      })
    }
    return { carried: { marker: undefined, around: undefined, join }, arrived }
  }

  async function runAll(tx: Queries, before: (at: number, ids: number[]) => void): Promise<unknown[]> {
    const pause = openPauses(tx)
    const done: unknown[] = []
    for (const [at, { work }] of parts.entries()) {
      before(at, done.map(idOf))
      try {
        done.push(await work(tx))
      } catch (error) {
        failed = at
        throw error
      }
      await pause()
    }
    return done
  }

  /** Refuses all writes that have come. */
  function giveUp(why: (at: number) => unknown) {
    isOver = true
    for (const [at, { reject }] of parts.entries()) reject(why(at))
  }

  return {
    next,
    giveUp,
    /**
     * Makes all writes that have come; `before` gets the number of each before its turn, and the IDs of the records before it. Returns the number of
     * the write that failed, undefined if all are made. Throws if the transaction as a whole could not be made.
     */
    async run(
      before: (at: number, ids: number[]) => void,
      why: (failed: number) => unknown,
    ): Promise<number | undefined> {
      try {
        const done = await db.write((tx) => runAll(tx, before), true)
        isOver = true
        for (const [at, { resolve }] of parts.entries()) resolve(done[at])
      } catch (error) {
        giveUp((at) => (failed === undefined || at === failed ? error : why(failed)))
        if (failed === undefined) throw error
      }
      return failed
    },
  }
}
