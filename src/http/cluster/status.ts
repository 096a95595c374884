import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import type { NodeStatus, Store } from '../../store/store.ts'
import { ApiError } from '../../support/errors.ts'
import { CLIENT, type Link, socketIn } from './relay.ts'

/** What is told of a service: a single one, or a node, how it stands to the others. `lag` is in groups, `age` in seconds. */
export type Status =
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

/** Reads how this process stands. With `link` it is one of several on a copy, of which the writer knows that. */
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
      'The writer process, which follows the other nodes, does not answer.',
    )
  }
}
