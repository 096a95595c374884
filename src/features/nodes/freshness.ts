import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LAGGING, type ReplicaStatus, type Store } from '../../calendar/store.ts'
import { ApiError, tokenAhead } from '../../kernel/errors.ts'
import { isRead } from '../../kernel/limits.ts'
import { COPY_AGE } from '../../kernel/output/header-values.ts'
import { CLIENT, socketIn, type WorkerRole } from './forwarding.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Waits until this node has the row of the log with this number, or knows that nobody has it. Returns false if another process
     * answers the request. Throws `sync-token-ahead` if the row does not come in time.
     */
    awaitChange(request: FastifyRequest, reply: FastifyReply, seq: number): Promise<boolean>
    /** Runs long work with a signal that the client has left, or that the service is stopping. */
    whileConnected<T>(reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  }
  interface FastifyRequest {
    /** Whether it is not known that the copy of this node has every write that was answered before the request. */
    mayLack?: boolean
  }
}

/** Milliseconds for which a process believes what its writer answered. */
const BELIEVED = 1_000

/** Seconds for which what this process answers may be out of date, while it knows that other nodes may have more; else 0. */
type Lag = () => number

/** The lag of this process; one that is not the writer asks that, not more than once a second, and meanwhile believes what it knows. */
export function openLag(
  { fresh, lag }: Pick<Store['db'], 'fresh' | 'lag'>,
  readStatus: ReadStatus,
): Lag | undefined {
  if (!fresh || lag) return lag
  let known = 0
  let asked = -Infinity
  return () => {
    if (performance.now() - asked < BELIEVED) return known
    asked = performance.now()
    readStatus().then(
      (status) => {
        known = status.role === 'node' && LAGGING.includes(status.state) ? status.age : 0
      },
      () => {}, // reads go on without the writer
    )
    return known
  }
}

/**
 * Requests with credentials, and those that write, see every write that was answered anywhere before: they wait until this node's copy has it. While
 * PostgreSQL does not answer, reads go on with the age of the copy in a header, or are refused. So do those without credentials while the
 * node knows that it lacks what others have.
 */
export const freshness = fp<{ fresh: NonNullable<Store['db']['fresh']>; lag: Lag; staleReads: boolean }>(
  async (app, { fresh, lag, staleReads }) => {
    app.addHook('onRequest', async (request, reply) => {
      // who signs in sends no credentials yet, and may have chosen the password at another node
      const isSigned = request.raw.headers.authorization !== undefined || !isRead(request)
      const age = isSigned ? await fresh(isRead(request)) : lag()
      if (age === 0) return
      request.mayLack = true
      const { operation, page } = request.routeOptions.config
      const isShown = operation !== undefined || page !== undefined
      if (!staleReads && isRead(request) && (isSigned || isShown))
        throw new ApiError('database_unavailable', isSigned ? UNKNOWN : LACKING, { retry_after: 2 })
      reply.header(COPY_AGE, String(age))
    })
  },
  { name: 'freshness', dependencies: ['headers'] },
)

const UNKNOWN =
  'This node does not know whether it has every write, because it can not ask PostgreSQL, which keeps the truth, or can not follow it; reads without credentials may still work.'
const LACKING =
  'This node lacks writes that others have, and shows nothing until it has them; another node may answer.'

/** What `/health` says of a service: a single one, or a node, how it stands to the others. `lag` is in groups, `age` in seconds. */
type ServiceStatus =
  | { role: 'single'; state?: undefined }
  | {
      role: 'node'
      state: ReplicaStatus['state']
      trouble?: string
      seq: number
      head: number
      lag: number
      age: number
      leads: boolean
      /** Seconds by which PostgreSQL's clock is ahead of this node's, and whether it publishes what is scheduled. */
      clock: number
      publishes: boolean
    }
export type ReadStatus = () => Promise<ServiceStatus>

/** Milliseconds for an answer of the writer. */
const ANSWER = 2_000

function statusOf({ replica }: Pick<Store['db'], 'replica'>): ServiceStatus {
  if (!replica) return { role: 'single' }
  const { state, trouble, seq, head, age, leads, clock } = replica.status()
  const time = { clock: clock.offset / 1_000, publishes: clock.state !== 'wrong' }
  return { role: 'node', state, ...(trouble && { trouble }), seq, head, lag: head - seq, age, leads, ...time }
}

/** Reads how this process stands. With `worker` it is one of several, of which the writer knows that. */
export const openStatusReader = (
  db: Pick<Store['db'], 'replica'>,
  worker: WorkerRole | undefined,
): ReadStatus => (worker && !worker.writes ? () => askWriter(worker) : async () => statusOf(db))

async function askWriter({ folder }: WorkerRole): Promise<ServiceStatus> {
  try {
    const answer = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
      const options = {
        socketPath: socketIn(folder),
        path: '/health',
        headers: { [CLIENT]: '127.0.0.1' },
        signal: AbortSignal.timeout(ANSWER),
      }
      get(options, resolve).on('error', reject)
    })
    const { status: _, ...rest } = (await json(answer)) as ServiceStatus & { status: string }
    return rest
  } catch {
    throw new ApiError(
      'rest_not_ready',
      'The writer process, which follows the other nodes or the source of a mirror, does not answer.',
    )
  }
}

/**
 * Lets requests wait that continue what another node began, where this node's copy is behind. Of several processes the one that follows
 * the other nodes answers them. Where there is one file, everything is here.
 */
export const awaiting = fp<{ store: Pick<Store, 'db' | 'changes'> }>(
  async (app, { store: { db, changes } }) => {
    const waiting = new Set<AbortController>()
    app.addHook('preClose', async () => {
      for (const one of waiting) one.abort()
    })

    app.decorate('whileConnected', async ({ raw }, work) => {
      const one = new AbortController()
      const leave = () => one.abort()
      waiting.add(one)
      raw.once('close', leave)
      if (raw.destroyed) leave()
      try {
        return await work(one.signal)
      } finally {
        raw.off('close', leave)
        waiting.delete(one)
      }
    })

    app.decorate('awaitChange', async (request: FastifyRequest, reply: FastifyReply, seq: number) => {
      const isHere = () => seq <= changes.latest().seq
      if (isHere()) return true
      await turn() // this one may have begun before another process wrote
      const { fresh, waitUntil } = db
      if (isHere() || !fresh) return true
      if (!waitUntil) {
        await app.forwardToWriter!(request, reply)
        return false
      }
      if ((await app.whileConnected(reply, (signal) => waitUntil(isHere, signal))) === 'late')
        throw tokenAhead()
      return true
    })
  },
  { name: 'awaiting' },
)

/**
 * A write is never refused for what the copy of a node lacks: a record that another node has just created is not 404, and an ETag that
 * it has just given is not 412. Where it is in doubt whether the copy has everything, it is brought first on the way of a write, and
 * the request gets the 503 of a write if that is not possible. All other requests pay nothing.
 */
export const catchingUp = fp<{ catchUp: NonNullable<Store['db']['catchUp']> }>(
  async (app, { catchUp }) => {
    app.addHook('preHandler', async (request, reply) => {
      const { mayLack, routeOptions, validationError } = request
      // what is invalid is refused whatever the copy has
      if (!mayLack || isRead(request) || !routeOptions.config.operation || validationError) return
      await catchUp()
      reply.removeHeader(COPY_AGE)
    })
  },
  { name: 'catchingUp', dependencies: ['rights'] },
)
