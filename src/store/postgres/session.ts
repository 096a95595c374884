import { Socket } from 'node:net'
import pg from 'pg'
import { parse, toClientConfig } from 'pg-connection-string'
import { urlsOf } from './url.ts'

/** What one statement gave. */
export type Result = { command: string; rows: Record<string, unknown>[] }

/** A connection to PostgreSQL. */
export type Session = {
  /**
   * Runs statements, separated by semicolons, and returns what each gave: one message there, one back. Throws what PostgreSQL says, or
   * `Lost` if the connection broke or nothing came back for `deadline` milliseconds; then the session is at its end.
   */
  run(statements: string, deadline?: number): Promise<Result[]>
  /** The rows that one statement gives. */
  ask<T>(statement: string, deadline?: number): Promise<T[]>
  /** Calls `heard` for each notification of the channels that were listened to. */
  onNotification(heard: () => void): void
  /** Whether nothing can be run any more. */
  isOver(): boolean
  /** Ends the connection without waiting for what runs. */
  cut(): void
}

/** The connection broke, or was never made: what PostgreSQL did with the last statements is not known. */
export class Lost extends Error {}

/** Milliseconds for a connection, and for statements. */
const CONNECT = 3_000
const DEADLINE = 5_000

/** IDs and numbers as numbers; rows of the log as text, which SQLite reads. */
const PARSERS: Record<number, (text: string) => unknown> = { 20: Number, 114: String }
const types = {
  getTypeParser: (oid: number, format: 'text') => PARSERS[oid] ?? pg.types.getTypeParser(oid, format),
}

/** Connects to PostgreSQL: to the first host of the URL that answers and can be written to. TLS is as the URL says (sslmode). */
export async function connect(url: string): Promise<Session> {
  let refused: unknown
  for (const one of urlsOf(url)) {
    try {
      const session = await connectTo(one)
      if (!(await isReadOnly(session))) return session
      session.cut()
      refused ??= new ReadOnly('')
    } catch (error) {
      refused = error
    }
  }
  throw refused
}

/** The server can not be written to: it is a standby. */
export class ReadOnly extends Error {}

async function isReadOnly(session: Session): Promise<boolean> {
  const [row] = await session.ask<{ standby: boolean }>('select pg_is_in_recovery() as standby')
  return row!.standby
}

async function connectTo(url: string): Promise<Session> {
  const socket = new Socket()
  const client = new pg.Client({
    ...toClientConfig(parse(url, { useLibpqCompat: true })),
    ...{ stream: () => socket, types: types as never, keepAlive: true, application_name: 'almanac' },
  })
  let over = false
  const end = () => {
    over = true
    socket.destroy()
  }
  client.on('error', end)
  client.on('end', end)
  const within = async <T>(deadline: number, work: Promise<T>): Promise<T> => {
    let late: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      late = setTimeout(() => {
        end()
        reject(new Lost(`PostgreSQL did not answer for ${deadline / 1000} s`))
      }, deadline)
    })
    try {
      return await Promise.race([work, tooLate])
    } catch (error) {
      if (isSaid(error) && !isFatal(error)) throw error
      end()
      if (isSaid(error) || error instanceof Lost) throw error
      throw Object.assign(new Lost((error as Error).message), { code: (error as NodeJS.ErrnoException).code })
    } finally {
      clearTimeout(late)
    }
  }
  await within(CONNECT, client.connect())
  async function run(statements: string, deadline = DEADLINE): Promise<Result[]> {
    if (over) throw new Lost('the connection to PostgreSQL is at its end')
    const results = (await within(deadline, client.query(statements))) as unknown as Result | Result[]
    return Array.isArray(results) ? results : [results]
  }
  return {
    run,
    ask: async (statement, deadline) => (await run(statement, deadline)).at(-1)!.rows as never,
    onNotification: (heard) => void client.on('notification', heard),
    isOver: () => over,
    cut: end,
  }
}

/** Whether PostgreSQL itself said what went wrong. */
export const isSaid = (error: unknown): error is pg.DatabaseError => error instanceof pg.DatabaseError
/** Whether what it said ends the connection, so that the last statements may have been done. */
export const isFatal = (error: pg.DatabaseError) => error.severity === 'FATAL' || error.severity === 'PANIC'
