import { isRefusal, type Outage } from './outage.ts'
import type { Pace } from './pace.ts'
import { connect, isSaid, Lost, type Session } from './session.ts'

/** Milliseconds between tries to reach PostgreSQL, after the first, and at most. */
const FIRST = 250
const LONGEST = 4_000

/** SQLSTATEs that tell of a server which is not the primary, or is starting or stopping: another connection may lead to another one. */
const ELSEWHERE = ['25006', '25P03', '57P01', '57P02', '57P03', '57P05']

/** SQLSTATE of a statement that PostgreSQL ended because it took too long: it may wait for a lock that others hold for long. */
const ENDED = '57014'

/** A connection that is made when it is needed, and again when it broke. `prepare` is run on each new one. */
export function openLink(
  url: string,
  outage: Outage,
  pace: Pace,
  prepare: (session: Session) => Promise<unknown> = async () => {},
) {
  let session: Session | undefined
  let connecting: Promise<Session> | undefined
  let wait = FIRST
  let notBefore = 0
  let failure: unknown
  let ended = false

  async function begin(): Promise<Session> {
    try {
      const made = await connect(url, pace.connect)
      await prepare(made)
      if (ended) made.cut()
      wait = FIRST
      session = made
      return made
    } catch (error) {
      notBefore = performance.now() + wait
      wait = Math.min(wait * 2, LONGEST)
      failure = error
      outage.failed(error)
      if (isRefusal(error)) outage.refused(error)
      throw error
    }
  }

  return {
    /** The connection. Throws, without trying, if the last try has just failed. */
    async get(): Promise<Session> {
      if (session && !session.isOver()) return session
      if (!connecting && performance.now() < notBefore) throw failure
      connecting ??= begin().finally(() => {
        connecting = undefined
      })
      return connecting
    },
    /** Notes what came of a question, and gives the connection up if nothing more can be asked on it. */
    note(error?: unknown) {
      if (error === undefined) return outage.answered()
      const code = isSaid(error) ? error.code! : undefined
      const isElsewhere = code === undefined ? error instanceof Lost : ELSEWHERE.includes(code)
      if (isElsewhere) session?.cut()
      if (isRefusal(error)) outage.refused(error)
      else if (isElsewhere || code === ENDED) outage.failed(error)
    },
    /** Ends the connection for good, after a last statement if one is given. */
    end(last?: string) {
      ended = true
      const leaving = session
      if (last && leaving && !leaving.isOver())
        leaving
          .run(last, 500)
          .catch(() => {})
          .finally(leaving.cut)
      else leaving?.cut()
    },
  }
}
export type PostgresLink = ReturnType<typeof openLink>
