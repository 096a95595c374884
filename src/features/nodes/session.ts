import { Socket } from 'node:net'
import type pg from 'pg'
import { parse, toClientConfig } from 'pg-connection-string'
import { urlsOf } from '../../kernel/settings.ts'

/** Milliseconds of what a node does with PostgreSQL. */
export const TIMING = {
  /** For a connection. */
  connect: 3_000,
  /** For an answer to a question for the head, which readers wait for, and for rows of the log. */
  answer: 2_000,
  read: 30_000,
  /** For the lock of the head; until PostgreSQL ends a transaction whose node says nothing any more; for the answer to a commit. */
  lock: 5_000,
  silent: 10_000,
  commit: 8_000,
  /** For which a request waits for what other nodes wrote, before it is answered otherwise. */
  patience: 2_000,
  /** In which it has to become known whether a group was kept, and between two questions for that. */
  unknown: 30_000,
  again: 250,
  /** Between questions for the head, between heartbeats, and between removals of old rows. */
  every: 1_000,
  heartbeat: 5_000,
  pruning: 600_000,
  /** After which a copy that lacks something is far behind. */
  far: 60_000,
  /** For which a lease holds unless it is renewed, and by which its holder stops before. */
  lease: 15_000,
  margin: 3_000,
}
export type Timing = typeof TIMING

/** What one statement gave. */
export type Result = { command: string; rows: Record<string, unknown>[] }

/** A connection to PostgreSQL. */
export type Session = {
  /**
   * Runs statements, separated by semicolons, in one transaction, and returns what each gave: one message there, one back. Throws what PostgreSQL says, or
   * `ConnectionLost` if the connection broke or nothing came back for `deadline` milliseconds; then the session is at its end.
   */
  run(statements: string, deadline?: number): Promise<Result[]>
  /** The rows that one statement gives. */
  ask<T>(statement: string, deadline?: number): Promise<T[]>
  /** Calls `listener` with the payload of each notification of the channels that were listened to. */
  onNotification(listener: (payload: string) => void): void
  /** Whether nothing can be run any more. */
  isOver(): boolean
  /** Ends the connection without waiting for what runs. */
  cut(): void
}

/** The connection broke, or was never made: what PostgreSQL did with the last statements is not known. */
export class ConnectionLost extends Error {}

const silent = (deadline: number) => new ConnectionLost(`PostgreSQL did not answer for ${deadline / 1000} s`)
/** Nothing answered at the address, not even by a refusal; the system would go on trying for minutes. */
export class Unreachable extends ConnectionLost {
  readonly code = 'ETIMEDOUT'

  constructor(deadline: number) {
    super(
      `no connection was made within ${deadline / 1000} s: the host does not answer, or a firewall drops what is sent to it`,
    )
  }
}

/** Milliseconds for statements. */
const DEADLINE = 5_000

/**
 * The part of a deadline after which PostgreSQL ends a statement by itself: before it is given up here. A connection that is only
 * dropped leaves a process behind there, which goes on waiting for its lock. A commit that waits for a standby is not ended: it would
 * count as done. The setting travels with each message, because poolers share connections and refuse options of the start.
 */
const THERE = 0.9
const limited = (statements: string, deadline: number) =>
  // after an error nothing else is heeded before a rollback, which waits for nothing
  /^rollback/.test(statements)
    ? statements
    : `set local statement_timeout = ${Math.ceil(deadline * THERE)}; ${statements}`

/** IDs and numbers as numbers; rows of the log as text, which SQLite reads. */
const PARSERS: Record<number, (text: string) => unknown> = { 20: Number, 114: String }
const typesOf = ({ types }: typeof pg) => ({
  getTypeParser: (oid: number, format: 'text') => PARSERS[oid] ?? types.getTypeParser(oid, format),
})

let library: typeof pg | undefined
/** The client, loaded with the first connection: a service on one file, and most commands, start a tenth faster without it. */
const load = async () => {
  library ??= (await import('pg')).default
  return library
}

/** No host of several can be used. Its message names each with its own; `main` is the one that counts. */
export class NoUsableHost extends ConnectionLost {
  readonly main: Error
  readonly failures: [host: string, error: Error][]
  readonly code: string | undefined

  constructor(failures: [host: string, error: Error][]) {
    super(failures.map(([host, error]) => `${host}: ${messageOf(error)}`).join('; '))
    this.failures = failures
    // of two hosts, the one that does not answer may be the primary
    this.main = (failures.findLast(([, error]) => !(error instanceof ReadOnly)) ?? failures[0]!)[1]
    this.code = (this.main as { code?: string }).code
  }
}

/** What an error says; one that stands for several addresses says nothing by itself. */
const messageOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : error.message

/**
 * Connects to PostgreSQL: to the first host of the URL that answers and can be written to. If there is none, to a primary that is
 * read-only, which still tells what there is. TLS is as the URL says (sslmode).
 */
export async function connect(url: string, deadline = TIMING.connect): Promise<Session> {
  const failures: [host: string, error: Error][] = []
  let readOnly: Session | undefined
  for (const one of urlsOf(url))
    try {
      const { session, isReadOnly } = await connectToPrimary(one, deadline)
      if (!isReadOnly) {
        readOnly?.cut()
        return session
      }
      if (readOnly) session.cut()
      else readOnly = session
    } catch (error) {
      failures.push([new URL(one).host, error as Error])
    }
  if (readOnly) return readOnly
  throw failures.length > 1 ? new NoUsableHost(failures) : failures[0]![1]
}

/** The server can not be written to: it is a standby. */
export class ReadOnly extends ConnectionLost {}

async function connectToPrimary(url: string, deadline: number) {
  const session = await connectTo(url, deadline)
  try {
    const [row] = await session.ask<{ standby: boolean; read_only: boolean }>(
      "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only",
    )
    if (row!.standby) throw new ReadOnly('is a standby')
    return { session, isReadOnly: row!.read_only }
  } catch (error) {
    session.cut()
    throw error
  }
}

async function connectTo(url: string, patience: number): Promise<Session> {
  const pg = await load()
  const socket = new Socket()
  const client = new pg.Client({
    ...toClientConfig(parse(url, { useLibpqCompat: true })),
    stream: () => socket,
    types: typesOf(pg) as never,
    keepAlive: true,
    application_name: 'almanac',
  })
  let over = false
  const end = () => {
    over = true
    socket.destroy()
  }
  client.on('error', end)
  client.on('end', end)
  const within = <T>(deadline: number, work: Promise<T>): Promise<T> => {
    let late: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      late = setTimeout(() => {
        const lost = socket.connecting ? new Unreachable(deadline) : silent(deadline)
        end()
        reject(lost)
      }, deadline)
    })
    return Promise.race([work, tooLate])
      .catch((error) => {
        if (isPostgresError(error) && !isFatal(error)) throw error
        end()
        if (isPostgresError(error) || error instanceof ConnectionLost) throw error
        throw Object.assign(new ConnectionLost(messageOf(error)), { code: error.code })
      })
      .finally(() => clearTimeout(late))
  }
  await within(patience, client.connect())
  let last: Promise<unknown> = Promise.resolve()
  async function runNow(statements: string, deadline: number): Promise<Result[]> {
    if (over) throw new ConnectionLost('the connection to PostgreSQL is at its end')
    const sent = limited(statements, deadline)
    const results = (await within(deadline, client.query(sent))) as unknown as Result | Result[]
    return [results].flat().slice(sent === statements ? 0 : 1)
  }
  /** One after the other: the time of statements begins when it is their turn. */
  function run(statements: string, deadline = DEADLINE): Promise<Result[]> {
    const results = last.then(() => runNow(statements, deadline))
    last = results.catch(() => {})
    return results
  }
  return {
    run,
    ask: async <T>(statement: string, deadline?: number) =>
      (await run(statement, deadline)).at(-1)!.rows as T[],
    onNotification: (listener) => void client.on('notification', ({ payload = '' }) => listener(payload)),
    isOver: () => over,
    cut: end,
  }
}

/** Whether PostgreSQL itself said what went wrong. */
export const isPostgresError = (error: unknown): error is pg.DatabaseError =>
  library !== undefined && error instanceof library.DatabaseError
/** Whether what it said ends the connection, so that the last statements may have been done. */
export const isFatal = (error: pg.DatabaseError) => error.severity === 'FATAL' || error.severity === 'PANIC'
/** SQLSTATEs, and classes of them, of a server that can not serve now: another time, or another server, may. */
const PASSING = /^(08|25006|25P0[34]|40|53|55|57|58)/
/** Whether the same statements may succeed later. */
export const isTransient = (error: pg.DatabaseError) => PASSING.test(error.code!)
