import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import type { Db } from '../../store/sqlite/db.ts'
import { findMark } from '../../store/sqlite/marks.ts'

/** Seconds after which a writer that ended is back. */
const RETRY_AFTER = 1
/** Milliseconds between two looks whether the writer has ended, and how many there are. */
const EVERY = 50
const LOOKS = 60

/** The 503 of a write that the process that writes has not done. */
export const notReached = () =>
  new ApiError(
    'rest_not_ready',
    `The writer process is not running; nothing was written. Try again in ${RETRY_AFTER} second.`,
    { retry_after: RETRY_AFTER },
  )

const unknown = () =>
  new ApiError(
    'internal_server_error',
    'The writer process did not respond. The request was applied completely or not at all; check before you send it again.',
  )

/** The address is that of the request, or of the record that it created. */
function written({ originalUrl, routeOptions }: FastifyRequest, record: number | null): ApiError {
  const [path] = originalUrl.split('?') as [string]
  const creates = routeOptions.config.operation === 'create'
  const address = creates && record !== null ? `${path.replace(/\/$/, '')}/${record}` : path
  return new ApiError(
    'internal_server_error',
    `The request was applied, but the writer process ended before it responded. Do not send it again; see ${address}.`,
    { written: true, address },
  )
}

/**
 * What became of a write whose answer the process that writes, which listens at `socket`, did not give. Once that has ended, nothing
 * of it can be committed any more, and what was is in the database.
 */
export async function findOutcome(db: Db, request: FastifyRequest, socket: string): Promise<ApiError> {
  for (let look = 0; look < LOOKS; look++) {
    if (await isRefused(socket)) {
      const found = findMark(db, request.id)
      return found ? written(request, found.record) : notReached()
    }
    await pause(EVERY)
  }
  return unknown()
}

/** Other failures, such as too many who wait to connect, say nothing of its end. */
const GONE = ['ECONNREFUSED', 'ENOENT']

const isRefused = (socket: string) =>
  new Promise<boolean>((resolve) => {
    const connection = connect(socket)
    connection.on('error', ({ code }: NodeJS.ErrnoException) => resolve(GONE.includes(code!)))
    connection.on('connect', () => {
      connection.destroy()
      resolve(false)
    })
  })
