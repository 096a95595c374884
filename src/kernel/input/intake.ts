import type { Server } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { refusalOf } from '../access/rights.ts'
import { type ApiError, overloaded } from '../errors.ts'
import { openBudget } from '../limits/budgets.ts'
import { tooMany } from '../limits/limits.ts'
import { refusalBeside } from '../server/methods.ts'
import { linger } from '../server/rests.ts'
import { hasParts, MAX_BODY, mostOf, tooLarge } from './body.ts'

const MIB = 2 ** 20
/**
 * Greatest size in bytes of a body that is read from a caller who may not use the route, so that invalid parameters are reported
 * first (R3). The connection stays open for the rest of a refused body up to this size.
 */
const SMALL = 2 ** 16
/** Greatest size in bytes of a multipart form from a caller who may not use the route: its parser takes half a millisecond of CPU for each KiB of empty parts, before it counts them. */
const SMALL_FORM = 2 ** 13

/** Responses to requests that wait for 100 (`Expect: 100-continue`, RFC 9110 §10.1.1). */
const expecting = new WeakSet<object>()

/** Leaves it to `intake` whether a client that asks first may send its body. */
export const heedExpect = (server: Server) =>
  server.on('checkContinue', (request, response) => {
    expecting.add(response)
    server.emit('request', request, response)
  })

/** The size of a body in bytes according to its headers; infinite if it is chunked. */
const lengthOf = ({ raw: { headers } }: FastifyRequest) =>
  headers['transfer-encoding'] === undefined
    ? Number(headers['content-length'] ?? 0)
    : Number.POSITIVE_INFINITY
const isParsed = (request: FastifyRequest) => request.method !== 'GET' && request.method !== 'HEAD'

/**
 * Accepts or refuses a body by its headers, before it is read. A body that is too large gets 413. From a caller who may not use the
 * route, only small bodies are read, and no uploads. The bytes in memory are limited for the process and for each credential.
 */
export const intake = fp(
  async (app) => {
    const uploads = openBudget(64 * MIB, 32 * MIB)
    const records = openBudget(64 * MIB, 32 * MIB)
    const refused = openBudget(16 * MIB, 16 * MIB)
    heedExpect(app.server)

    /** Reserves memory for a body until its response is sent; returns the error if there is none, or the body is refused. */
    function refusalToAdmit(request: FastifyRequest, reply: FastifyReply): ApiError | undefined {
      if (request.is404) return refusalBeside(request, reply)
      const isUpload = request.routeOptions.bodyLimit! > MAX_BODY
      const length = lengthOf(request)
      const most = mostOf(request)
      // a body without a known length may become as long as allowed
      const bytes = Number.isFinite(length) ? length : most
      const refusal = refusalOf(request)
      const small = hasParts(request) ? SMALL_FORM : SMALL
      if (refusal && (isUpload || bytes > small)) return refusal
      if (bytes > most) return tooLarge()
      const budget = refusal ? refused : isUpload ? uploads : records
      const credential = request.caller?.credential ?? ''
      const lack = budget.take(bytes, credential)
      if (lack) return refusal ?? (lack === 'own' ? tooMany(1) : overloaded())
      reply.raw.once('close', () => budget.give(bytes, credential))
      return undefined
    }

    app.addHook('preParsing', (request, reply, _payload, done) => {
      const refusal = isParsed(request) && lengthOf(request) > 0 ? refusalToAdmit(request, reply) : undefined
      if (refusal) return done(refusal)
      if (expecting.has(reply.raw)) reply.raw.writeContinue()
      done()
    })
    app.addHook('onSend', (request, reply, _payload, done) => {
      if (request.raw.complete === false && lengthOf(request) > SMALL) hangUp(request, reply)
      done()
    })
  },
  { name: 'intake', dependencies: ['limits', 'auth'] },
)

/** Closes the connection after the response, because the rest of the body is not read. */
function hangUp({ raw: { socket } }: FastifyRequest, reply: FastifyReply) {
  reply.header('connection', 'close')
  linger(socket)
}
