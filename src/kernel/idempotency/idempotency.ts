import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest, onSendAsyncHookHandler, preHandlerHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { SCOPES } from '../../../schemas/user.ts'
import { type Caller, hasScope } from '../access/roles.ts'
import { ApiError, invalid } from '../errors.ts'
import { givenOf } from '../input/validator.ts'
import type { Warnings } from '../server/warnings.ts'
import { inUse, type KeptAnswer, type openKeptAnswers, type Repeatable } from './answers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route understands `Idempotency-Key`. */
    repeatable?: true
  }
}

const HEADER = 'idempotency-key'
/** Longest key, in characters. */
const LONGEST = 255
/** The headers of an answer that are kept with it. */
const KEPT = ['content-type', 'location', 'etag', 'x-ignored-fields', 'x-created-terms']

/** The key of a request, which may be quoted (RFC 9651 §3.3.3); undefined if it has none. Throws 400. */
function keyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const sent = headers[HEADER]
  if (sent === undefined) return undefined
  const text = String(sent).trim()
  const [, quoted] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text) ?? []
  const key = quoted === undefined ? text : quoted.replace(/\\(.)/g, '$1')
  if (
    key.length > 0 &&
    key.length <= LONGEST &&
    /^[ -~]*$/.test(key) &&
    (quoted !== undefined || !key.includes('"'))
  )
    return key
  throw invalid({
    'Idempotency-Key': `must be 1 to ${LONGEST} ASCII characters, such as a UUID, with or without quotes around them.`,
  })
}

/** What a caller may do: of one user, a password may do more than a token. */
const rightsOf = (caller: NonNullable<Caller>) => [
  caller.role,
  SCOPES.filter((scope) => hasScope(caller, scope)),
  caller.limits,
]

/** What a request is, so that its repetitions are known. Who may do more or less asks for something else. */
function repeatable(request: FastifyRequest, key: string): Repeatable {
  const { body, given, caller, method, originalUrl, id } = request
  const [path] = originalUrl.split('?') as [string]
  const sent = JSON.stringify([givenOf(body ?? {}) ?? body, given, rightsOf(caller!)])
  const fingerprint = createHash('sha256').update(sent).digest('base64')
  return { user_id: caller!.id, route: `${method} ${path.replace(/\/$/, '')}`, key, fingerprint, request: id }
}

const nameOf = ({ user_id, route, key }: Repeatable) => `${user_id} ${route} ${key}`

/** Sends the answer to an earlier request, or throws 409 if that was another one, or if its answer is not known. */
function sendAgain(reply: FastifyReply, { fingerprint }: Repeatable, kept: KeptAnswer) {
  if (kept.fingerprint !== fingerprint)
    throw new ApiError(
      'idempotency_key_reused',
      'Another request to this address was sent with this key within a day, or the same one with other rights. Choose another key for this one.',
    )
  if (kept.status === null) throw inUse()
  reply
    .code(kept.status)
    .headers({ ...kept.headers, 'idempotency-replayed': 'true' })
    .send(kept.body)
}

/**
 * Gives a repeated request the answer of the first: one to a route that understands `Idempotency-Key`, with a key, of the same user with the
 * same rights, within a day. The write and the note that it was made are one transaction, so it is never made twice, by whichever process or node. A request
 * that was refused is not kept. Routes and requests without a key pay nothing.
 */
export const repeats = fp<{ store: { kept: ReturnType<typeof openKeptAnswers> }; warnings: Warnings }>(
  async (app, { store: { kept }, warnings }) => {
    /** Requests with keys that are under way in this process. */
    const running = new Map<string, Promise<void>>()
    const begun = new WeakMap<FastifyRequest, { own: Repeatable; end: () => void }>()

    /** Whether the request is to be handled: an answer may have been sent. */
    async function begin(
      request: FastifyRequest,
      reply: FastifyReply,
      key: string,
    ): Promise<Repeatable | undefined> {
      const own = repeatable(request, key)
      const name = nameOf(own)
      for (let other = running.get(name); other; other = running.get(name)) await other
      let end!: () => void
      running.set(
        name,
        new Promise((resolve) => {
          end = () => {
            running.delete(name)
            resolve()
          }
        }),
      )
      begun.set(request, { own, end })
      reply.raw.once('close', end)
      const found = await kept.find(own)
      if (!found) return own
      begun.delete(request)
      end()
      sendAgain(reply, own, found)
      return undefined
    }

    const before: preHandlerHookHandler = (request, reply, done) => {
      const key = request.validationError ? undefined : keyOf(request)
      if (key === undefined) return void done()
      begin(request, reply, key).then((own) => own && kept.carry(own, done), done)
    }
    const after: onSendAsyncHookHandler = async (request, reply, payload) => {
      const one = begun.get(request)
      if (!one) return payload
      const { statusCode: status } = reply
      if (status < 300) {
        const headers = Object.fromEntries(
          KEPT.flatMap((name) => (reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : [])),
        )
        await kept
          .keep(one.own, { status, headers, body: String(payload) })
          .catch((err) => warnings.warn('answer', request.log, { err }, 'an answer could not be kept'))
      }
      one.end()
      return payload
    }
    app.addHook('onRoute', (route) => {
      if (!route.config?.repeatable) return
      route.preHandler = [route.preHandler ?? [], before].flat()
      route.onSend = [route.onSend ?? [], after].flat() as never
    })
  },
  { name: 'repeats', dependencies: ['rights', 'parameters'] },
)
