import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Store } from '../../../calendar/store.ts'
import { ApiError } from '../../../kernel/errors.ts'

/** Seconds after which the writer has been replaced. */
const RETRY_AFTER = 1
/** Milliseconds between two checks whether the writer has ended, and their number. */
const EVERY = 50
const LOOKS = 60

/** The 503 for a write that did not reach the writer. */
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

const notKnown = () =>
  new ApiError(
    'outcome_unknown',
    'The writer process ended before it responded, and PostgreSQL does not answer. The request was applied completely or not at all; check before you send it again.',
    { retry_after: 5 },
  )

/** The 500 for a write that was applied, with the URL of the request or of the created record. */
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
 * Determines the outcome of a write to which the writer at `socket` did not respond. After the writer has ended, nothing more can be
 * committed, and the database shows what was. Where the file is a copy, it shows what was written for sure, and PostgreSQL the rest.
 */
export async function findOutcome(
  receipts: Store['receipts'],
  request: FastifyRequest,
  socket: string,
  forwards: boolean,
): Promise<ApiError> {
  for (let look = 0; look < LOOKS; look++) {
    if (await isRefused(socket)) {
      try {
        const found = await receipts.find(request.id)
        if (found) return written(request, found.record)
        // the source of a mirror may have it
        return forwards ? unknown() : notReached()
      } catch {
        return notKnown()
      }
    }
    await pause(EVERY)
  }
  return unknown()
}

/** Errors that show that the writer has ended; others, such as a full backlog, do not. */
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
