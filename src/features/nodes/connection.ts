import type { DatabaseLog } from '../host.ts'
import {
  ConnectionLost,
  connect,
  isPostgresError,
  NoUsableHost,
  type Session,
  type Timing,
} from './session.ts'

/** Milliseconds between tries to reach PostgreSQL, after the first, and at most. */
const FIRST = 250
const LONGEST = 4_000

/** SQLSTATEs that tell of a server which is not the primary, or is starting or stopping: another connection may lead to another one. */
const ELSEWHERE = ['25006', '25P03', '57P01', '57P02', '57P03', '57P05']

/** SQLSTATE of a statement that PostgreSQL ended because it took too long: it may wait for a lock that others hold for long. */
const ENDED = '57014'

/** A connection that is made when it is needed, and again when it broke. `prepare` is run on each new one. */
export function openConnection(
  url: string,
  outage: Outage,
  timing: Timing,
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
      const made = await connect(url, timing.connect)
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
      const code = isPostgresError(error) ? error.code! : undefined
      const isElsewhere = code === undefined ? error instanceof ConnectionLost : ELSEWHERE.includes(code)
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
export type Connection = ReturnType<typeof openConnection>

/** What is logged once, however long it lasts. */
const SILENT = 'PostgreSQL does not answer: reads go on, writes are refused'
const BACK = 'PostgreSQL answers again: writes are accepted'

/**
 * What both connections of a node know of PostgreSQL: whether it answers, and whether it takes writes. Each cause is logged once, and
 * its end only after a write, or the attempt of one, has succeeded.
 */
export function openOutage(log?: Pick<DatabaseLog, 'warn'>) {
  let silence: { since: number; error: unknown } | undefined
  let refusal: string | undefined
  let began = 0
  const reported = new Set<string>()

  function report(kind: string, err: unknown, message: string) {
    if (reported.has(kind)) return
    if (reported.size === 0) began = performance.now()
    reported.add(kind)
    log?.warn({ err }, message)
  }

  return {
    /** Since which moment of `performance.now` it has not answered; undefined while it does. */
    since: () => silence?.since,
    /** Why writes are refused, for everybody; undefined if nothing is known against them. */
    why: () => refusal ?? (silence && causeOf(silence.error)),
    /** Whether it is still to be found out by an attempt that writes are accepted again. */
    isDoubtful: () => silence === undefined && reported.size > 0,
    /** PostgreSQL answered a query. */
    answered() {
      silence = undefined
    },
    /** PostgreSQL did not answer. */
    failed(error: unknown) {
      silence = { since: silence?.since ?? performance.now(), error }
      if (!isRefusal(error)) refusal = undefined
    },
    /** PostgreSQL refused a write, as a standby does. */
    refused(error: unknown) {
      refusal = causeOf(error)
      const kind = refusal.replace(/^.*\((\w+)\)$/s, '$1')
      report(kind, error, `writes are refused because ${refusal}; reads go on`)
    },
    /** Logs a silence that goes on. */
    reportSilence(error: unknown) {
      if (!isRefusal(error)) report('silence', error, SILENT)
    },
    /** PostgreSQL accepted a write, or a test of one. */
    wrote() {
      refusal = undefined
      if (reported.size === 0) return
      const message = reported.has('silence') ? BACK : 'writes are accepted again'
      reported.clear()
      log?.warn({ seconds: Math.round((performance.now() - began) / 1_000) }, message)
    },
  }
}
export type Outage = ReturnType<typeof openOutage>

/** SQLSTATEs of a server that answers and takes no writes: it is read-only, its disk is full or fails, it has no memory or connection left. */
const REFUSING = /^(25006|53|58)/

/** Of several hosts, the failure that counts. */
const mainOf = (error: unknown) => (error instanceof NoUsableHost ? error.main : error)

/** Whether PostgreSQL says that it can not take writes now, whoever sends them. */
export function isRefusal(error: unknown): boolean {
  const main = mainOf(error)
  return isPostgresError(main) && REFUSING.test(main.code!)
}

/** Why PostgreSQL can not be written to, for everybody: in its own words, without the names of hosts and users. */
function causeOf(error: unknown): string {
  const main = mainOf(error)
  const { code } = main as { code?: string }
  const more = code === undefined ? '' : ` (${code})`
  if (!isPostgresError(main)) return `PostgreSQL does not answer${more}`
  return code!.startsWith('28')
    ? `PostgreSQL refuses the login${more}`
    : `PostgreSQL says: ${main.message}${more}`
}
