import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { EVENT_STREAM, message } from '../../kernel/output/event-stream.ts'
import { errorBody, toApiError } from '../../kernel/server/errors.ts'

/** Milliseconds from one message of progress to the next. */
const EACH = 250

/**
 * Answers work that takes long with server-sent events: `progress` as far as it has come, then `report` with what came of it, or `failure`
 * with an ErrorBody. What fails before it has come anywhere is thrown, and so gets an answer of its own.
 */
export async function sendProgress(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (progress: (done: number, total: number) => void) => Promise<object>,
) {
  const stream = new Readable({ read() {} })
  const send = (event: string, data: object) => stream.push(message(event, Buffer.from(JSON.stringify(data))))
  let told = Number.NEGATIVE_INFINITY
  let begin!: () => void
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const worked = work((done, total) => {
    begin()
    if (performance.now() - told < EACH) return
    told = performance.now()
    send('progress', { done, total })
  })
  await Promise.race([begun, worked])
  const end = async () => {
    try {
      send('report', await worked)
    } catch (error) {
      const failure = toApiError(error as Error & { code: string }, request.id)
      if (failure.status === 500) request.log.error({ err: error }, 'request failed')
      send('failure', errorBody(failure))
    }
    stream.push(null)
  }
  end()
  return reply
    .type(EVENT_STREAM)
    .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    .send(stream)
}
