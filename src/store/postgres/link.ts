import type { Pace } from './pace.ts'
import { connect, isSaid, Lost, type Session } from './session.ts'

/** Milliseconds between tries to reach PostgreSQL, after the first, and at most. */
const FIRST = 250
const LONGEST = 4_000

/** SQLSTATEs that tell of a server which is not the primary, or is starting or stopping: another connection may lead to another one. */
const ELSEWHERE = ['25006', '25P03', '57P01', '57P02', '57P03', '57P05']

/** What both connections of a node know of PostgreSQL. */
export function openOutage() {
  let since: number | undefined
  let told: ((seconds: number) => void) | undefined
  return {
    /** Since which moment of `performance.now` it has not answered; undefined while it does. */
    since: () => since,
    /** Whether an outage is told of for the first time. `isBack` hears after how many seconds it ended. */
    isNew(isBack: (seconds: number) => void) {
      const isNew = !told
      told = isBack
      return isNew
    },
    answered() {
      told?.(Math.round((performance.now() - since!) / 1_000))
      since = undefined
      told = undefined
    },
    failed() {
      since ??= performance.now()
    },
  }
}
export type Outage = ReturnType<typeof openOutage>

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
      outage.failed()
      throw error
    }
  }

  return {
    /** The connection. Throws, without trying, if the last try has just failed. */
    async get(): Promise<Session> {
      if (session && !session.isOver()) return session
      if (!connecting && performance.now() < notBefore) throw new Lost('PostgreSQL does not answer')
      connecting ??= begin().finally(() => {
        connecting = undefined
      })
      return connecting
    },
    /** Notes what came of a question, and gives the connection up if nothing more can be asked on it. */
    note(error?: unknown) {
      if (error === undefined) return outage.answered()
      if (isSaid(error) ? ELSEWHERE.includes(error.code!) : error instanceof Lost) {
        outage.failed()
        session?.cut()
      }
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
