import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import fp from 'fastify-plugin'
import { LATE, type NodeStatus, type Store } from '../../../calendar/store.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { isRead } from '../../../kernel/limits.ts'
import { COPY_AGE } from '../../../kernel/output/header-values.ts'
import { CLIENT, type Link, socketIn } from './relay.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether it is not known that the copy of this node has every write that was answered before the request. */
    inDoubt?: boolean
  }
}

/** Milliseconds for which a process believes what its writer told it. */
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
      (told) => {
        known = told.role === 'node' && LATE.includes(told.state) ? told.age : 0
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
export const replica = fp<{ fresh: NonNullable<Store['db']['fresh']>; lag: Lag; staleReads: boolean }>(
  async (app, { fresh, lag, staleReads }) => {
    app.addHook('onRequest', async (request, reply) => {
      // who signs in sends no credentials yet, and may have chosen the password at another node
      const isSigned = request.raw.headers.authorization !== undefined || !isRead(request)
      const age = isSigned ? await fresh(isRead(request)) : lag()
      if (age === 0) return
      request.inDoubt = true
      const { operation, page } = request.routeOptions.config
      const isShown = operation !== undefined || page !== undefined
      if (!staleReads && isRead(request) && (isSigned || isShown))
        throw new ApiError('database_unavailable', isSigned ? UNKNOWN : LACKING, { retry_after: 2 })
      reply.header(COPY_AGE, String(age))
    })
  },
  { name: 'replica', dependencies: ['headers'] },
)

const UNKNOWN =
  'This node does not know whether it has every write, because it can not ask PostgreSQL, which keeps the truth, or can not follow it; reads without credentials may still work.'
const LACKING =
  'This node lacks writes that others have, and shows nothing until it has them; another node may answer.'

/** What is told of a service: a single one, or a node, how it stands to the others. `lag` is in groups, `age` in seconds. */
type Status =
  | { role: 'single'; state?: undefined }
  | {
      role: 'node'
      state: NodeStatus['state']
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
export type ReadStatus = () => Promise<Status>

/** Milliseconds for an answer of the writer. */
const ANSWER = 2_000

function statusOf({ node }: Pick<Store['db'], 'node'>): Status {
  if (!node) return { role: 'single' }
  const { state, trouble, seq, head, age, leads, clock } = node.status()
  const time = { clock: clock.offset / 1_000, publishes: clock.state !== 'wrong' }
  return { role: 'node', state, ...(trouble && { trouble }), seq, head, lag: head - seq, age, leads, ...time }
}

/** Reads how this process stands. With `link` it is one of several, of which the writer knows that. */
export const openStatus = (db: Pick<Store['db'], 'node'>, link: Link | undefined): ReadStatus =>
  link && !link.writes ? () => askWriter(link) : async () => statusOf(db)

async function askWriter({ folder }: Link): Promise<Status> {
  try {
    const answer = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
      const options = {
        ...{ socketPath: socketIn(folder), path: '/health', headers: { [CLIENT]: '127.0.0.1' } },
        signal: AbortSignal.timeout(ANSWER),
      }
      get(options, resolve).on('error', reject)
    })
    const { status: _, ...rest } = (await json(answer)) as Status & { status: string }
    return rest
  } catch {
    throw new ApiError(
      'rest_not_ready',
      'The writer process, which follows the other nodes or the source of a mirror, does not answer.',
    )
  }
}
