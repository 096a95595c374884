import { createHash } from 'node:crypto'
import { and, asc, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest, onSendAsyncHookHandler, preHandlerHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { kept_answers } from '../../drizzle/tables.ts'
import { SCOPES } from '../../schemas/user.ts'
import { type Caller, hasScope } from './access/rights.ts'
import { type Work, withoutWriteContext, withWriteContext } from './database/context.ts'
import { type Db, prepared, type Queries } from './database/db.ts'
import { ApiError, invalid } from './errors.ts'
import { givenOf } from './input/validator.ts'
import type { Warnings } from './server/log.ts'
import type { Site } from './site.ts'
import { toWall } from './time/dates.ts'

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
export const idempotency = fp<{ store: { kept: ReturnType<typeof openKeptAnswers> }; warnings: Warnings }>(
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
  { name: 'idempotency', dependencies: ['permissions', 'parameters'] },
)

/** A request that may be repeated: who sends what to where, under which key. `request` is the ID of this one of the repetitions. */
export type Repeatable = Pick<
  typeof kept_answers.$inferSelect,
  'user_id' | 'route' | 'key' | 'fingerprint' | 'request'
>
export type KeptAnswer = typeof kept_answers.$inferSelect

/** Milliseconds for which answers are kept. */
const KEPT_FOR = 86_400_000
/** Most answers that are kept for a user; the number is looked at once for so many new ones. */
export const MOST_KEPT = 10_000
const LOOK_EACH = 100
/** Rows that are removed in one transaction. */
const BATCH = 100

const placeholders = () => [
  eq(kept_answers.user_id, sql.placeholder('user_id')),
  eq(kept_answers.route, sql.placeholder('route')),
  eq(kept_answers.key, sql.placeholder('key')),
]
const current = prepared((db) =>
  db
    .select()
    .from(kept_answers)
    .where(and(...placeholders(), gte(kept_answers.at_utc, sql.placeholder('since'))))
    .prepare(),
)

/** The 409 of a request that is under way, or whose answer was lost. */
export const inUse = () =>
  new ApiError(
    'idempotency_key_in_use',
    'A request with this key is under way or was applied, and its answer is not kept. Try again in a second; if this does not change, the service ended before it answered: look for the record.',
    { retry_after: 1 },
  )

/** The answers to requests with an `Idempotency-Key`, for a day. */
export function openKeptAnswers(db: Db, { clock }: Pick<Site, 'clock'>) {
  const since = () => toWall(clock() - KEPT_FOR, 'UTC')
  const find = async (tx: Queries, { user_id, route, key }: Repeatable): Promise<KeptAnswer | undefined> =>
    (await current(tx).execute({ user_id, route, key, since: since() }))[0]

  /** Removes what is over, and of a user the oldest beyond what is kept for one; gives whether there may be more. */
  async function removeOver(tx: Queries): Promise<boolean> {
    const over = tx
      .select({ id: kept_answers.id })
      .from(kept_answers)
      .where(lt(kept_answers.at_utc, since()))
      .orderBy(asc(kept_answers.at_utc))
      .limit(BATCH)
    return (await tx.delete(kept_answers).where(inArray(kept_answers.id, over))).changes === BATCH
  }

  /** Notes in the transaction of a write that the request was applied. Throws 409 if another one with its key was. */
  async function claim(tx: Queries, own: Repeatable) {
    const found = await find(tx, own)
    if (found && found.request !== own.request) throw inUse()
    if (found) return
    await removeOver(tx)
    const { user_id, route, key } = own
    const same = [eq(kept_answers.user_id, user_id), eq(kept_answers.route, route), eq(kept_answers.key, key)]
    await tx.delete(kept_answers).where(and(...same))
    const [made] = await tx
      .insert(kept_answers)
      .values({ ...own, at_utc: toWall(clock(), 'UTC') })
      .returning({ id: kept_answers.id })
    if (made!.id % LOOK_EACH === 0)
      tx.run(
        sql`delete from kept_answers where user_id = ${user_id} and id <= (select id from kept_answers where user_id = ${user_id} order by id desc limit 1 offset ${MOST_KEPT})`,
      )
  }

  return {
    /** The answer to an earlier request with this key, in committed data; without a status if nobody knows it. */
    find: (own: Repeatable) => find(db.read, own),
    /** Runs `work`; its writes note in their transactions that the request was applied. */
    carry: (own: Repeatable, work: () => void) =>
      withWriteContext(
        {
          around:
            <T>(write: Work<T>): Work<T> =>
            async (tx) => {
              await claim(tx, own)
              return write(tx)
            },
        },
        work,
      ),
    /** Keeps an answer, for repetitions of its request. */
    keep: (own: Repeatable, answer: Pick<KeptAnswer, 'status' | 'headers' | 'body'>): Promise<void> =>
      withoutWriteContext(() =>
        db.write(async (tx) => {
          await claim(tx, own)
          const { user_id, route, key } = own
          await tx
            .update(kept_answers)
            .set(answer)
            .where(
              and(
                eq(kept_answers.user_id, user_id),
                eq(kept_answers.route, route),
                eq(kept_answers.key, key),
              ),
            )
        }),
      ),
    /** Removes a batch of what is over; returns whether there may be more. */
    removeOld: (): Promise<boolean> => db.write(removeOver),
  }
}
