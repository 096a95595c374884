import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ChangesQuery } from '../../../schemas/changes.ts'
import type { Service } from '../../calendar/resource/service.ts'
import type { Json } from '../../calendar/store.ts'
import { openCredentialCheck } from '../../kernel/access/auth.ts'
import type { Channel } from '../../kernel/listeners.ts'
import { EVENT_STREAM, message } from '../../kernel/output/event-stream.ts'
import { trimFields } from '../../kernel/output/fields.ts'
import type { Cursor, Interest } from './sources.ts'
import type { SyncChange } from './sync.ts'

/** The greatest number of changes in one message, of which each listener may hold one. */
const MOST_TOLD = 25

/** Sends changes as server-sent events for as long as the client stays. */
export function openListening(app: FastifyInstance, { store, view }: Service) {
  const { sync } = store
  const stands = openCredentialCheck(store)

  /** What a request hears; it does not hold on to the request. */
  function channelOf(request: FastifyRequest, interest: Interest): Channel<Cursor> {
    const { per_page, _fields } = request.query as ChangesQuery & { _fields?: string }
    const { caller, origin } = view(request, false)
    const most = Math.min(per_page, MOST_TOLD)
    return {
      key: JSON.stringify([
        interest,
        caller?.credential,
        caller?.role,
        caller?.limits,
        origin.root,
        _fields,
        most,
      ]),
      async read(cursor) {
        const { changes, next, hasMore } = await sync.read(interest, cursor, { caller, origin }, most)
        const token = await sync.tokens.write(interest, next, caller)
        const json = Buffer.concat(composeChanges(changes, hasMore, token))
        const data = _fields ? trimFields(json, _fields) : json
        return { message: message('changes', data, token), isEmpty: changes.length === 0, cursor: next }
      },
      token: (cursor) => sync.tokens.write(interest, cursor, caller),
      check: async () => caller && stands(caller),
    }
  }

  return async (request: FastifyRequest, reply: FastifyReply, interest: Interest, cursor: Cursor) => {
    const stream =
      request.method === 'HEAD'
        ? Readable.from([])
        : await app.listeners.join(request, channelOf(request, interest), cursor)
    return reply.type(EVENT_STREAM).header('x-accel-buffering', 'no').send(stream)
  }
}

const END = Buffer.from('}')

/** The JSON of changes: the body of a response, or the data of a message. */
export function composeChanges(changes: SyncChange[], has_more: boolean, next_sync_token: string): Json {
  const json: Json = [Buffer.from('{"changes":[')]
  for (const [at, { kind, id, operation, record }] of changes.entries()) {
    const head = JSON.stringify({ kind, id, operation })
    json.push(Buffer.from((at > 0 ? ',' : '') + (record ? `${head.slice(0, -1)},"record":` : head)))
    if (record) json.push(...record, END)
  }
  json.push(Buffer.from(`],${JSON.stringify({ has_more, next_sync_token }).slice(1)}`))
  return json
}
