import type { Server } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { overloaded } from '../../errors.ts'
import { MAX_BODY, mostOf, tooLarge } from '../input/body.ts'
import { openBudget } from './budget.ts'
import { noRoute } from './errors.ts'
import { tooMany } from './limits.ts'
import { refusalOf } from './rights.ts'

const MIB = 2 ** 20
/**
 * Largest body, in bytes, of who may not use a route that is read, so that what is wrong with it is said first (R3). For the
 * rest of a refused one that is no longer, the connection is kept.
 */
const SMALL = 2 ** 16
/** Milliseconds for which what is still sent is thrown away after an answer: a connection that is reset at once may lose it. */
const LINGER = 1_000

/** Answers that wait for a word to go on (`Expect: 100-continue`, RFC 9110 §10.1.1). */
const expecting = new WeakSet<object>()

/** Leaves it to `intake` whether a client that asks first may send its body. */
export const heedExpect = (server: Server) =>
  server.on('checkContinue', (request, response) => {
    expecting.add(response)
    server.emit('request', request, response)
  })

/** Bytes of a body as far as its headers tell; without an end where it comes in chunks. */
const lengthOf = ({ raw: { headers } }: FastifyRequest) =>
  headers['transfer-encoding'] === undefined
    ? Number(headers['content-length'] ?? 0)
    : Number.POSITIVE_INFINITY
const isParsed = (request: FastifyRequest) => request.method !== 'GET' && request.method !== 'HEAD'

/**
 * Decides about a body by its headers, before any of it is read: what is too large is 413; of who may not use the route
 * only small ones are read, and no uploads; and all that are in memory at a time are bounded, for the process and for each credential.
 */
export const intake = fp(
  async (app) => {
    const uploads = openBudget(64 * MIB, 32 * MIB)
    const records = openBudget(64 * MIB, 32 * MIB)
    const refused = openBudget(16 * MIB, 16 * MIB)
    heedExpect(app.server)

    /** Takes room for a body of so many bytes until its answer is sent; throws where there is none. */
    function admit(request: FastifyRequest, reply: FastifyReply) {
      if (request.is404) throw noRoute()
      const isUpload = request.routeOptions.bodyLimit! > MAX_BODY
      const length = lengthOf(request)
      const most = mostOf(request)
      // what does not say how long it is may become as long as is allowed
      const bytes = Number.isFinite(length) ? length : most
      const refusal = refusalOf(request)
      if (refusal && (isUpload || bytes > SMALL)) throw refusal
      if (bytes > most) throw tooLarge()
      const budget = refusal ? refused : isUpload ? uploads : records
      const credential = request.caller?.credential ?? ''
      const lack = budget.take(bytes, credential)
      if (lack) throw refusal ?? (lack === 'own' ? tooMany(1) : overloaded())
      reply.raw.once('close', () => budget.give(bytes, credential))
    }

    app.addHook('preParsing', async (request, reply) => {
      if (isParsed(request) && lengthOf(request) > 0) admit(request, reply)
      if (expecting.has(reply.raw)) reply.raw.writeContinue()
    })
    app.addHook('onSend', async (request, reply) => {
      if (request.raw.complete === false && lengthOf(request) > SMALL) hangUp(request, reply)
    })
  },
  { name: 'intake', dependencies: ['limits', 'auth'] },
)

/** Ends the connection after the answer, since what comes on it is the rest of a body that nobody reads. */
function hangUp({ raw: { socket } }: FastifyRequest, reply: FastifyReply) {
  reply.header('connection', 'close')
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), LINGER).unref()
  }
}
