import type { FastifyContextConfig, FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { BatchResult, Operation } from '../../../schemas/batch.ts'
import { bodyOf, type RecordRequest } from '../../calendar/resource/service.ts'
import type { WriteOperation } from '../../calendar/resource/writes.ts'
import type { Join } from '../../calendar/store.ts'
import { refusalOf } from '../../kernel/access/permissions.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import type { ApiError } from '../../kernel/errors.ts'
import { mergeBody } from '../../kernel/input/bodies.ts'
import { excessOf, parseQuery, readGivenQuery } from '../../kernel/input/query.ts'
import { validate } from '../../kernel/input/validator.ts'
import type { ResponseHead } from '../../kernel/output/header-values.ts'
import { errorBody, openErrorLog } from '../../kernel/server/errors.ts'
import type { Warnings } from '../../kernel/server/log.ts'
import { refusalBeside } from '../../kernel/server/methods.ts'
import { isOverridden, overrideMethod, refusedOverride } from '../../kernel/server/mounts.ts'
import { readAddress } from './operations.ts'

/** What came of an operation. */
export type Result = Omit<BatchResult, 'id'> & { body: Record<string, unknown> }
/** Who makes an operation, and in which transaction, if it has not one of its own. */
type How = { caller: Caller; joins?: (request: RecordRequest) => Join }

/** The headers of a response that matter. */
const SHOWN = [
  'Location',
  'ETag',
  'X-Ignored-Fields',
  'X-Ignored-Parameters',
  'X-Created-Terms',
  'X-Translations-Differ',
  'Retry-After',
]

/** The status and headers of a result, while it is made. */
function openHead() {
  let status = 200
  const headers = new Map<string, string>()
  return {
    code(value: number) {
      status = value
    },
    header(name: string, value: string) {
      headers.set(name, value)
    },
    removeHeader(name: string) {
      headers.delete(name)
    },
    resultOf: (body: Result['body']): Result => ({
      status,
      headers: Object.fromEntries(
        SHOWN.flatMap((name) => {
          const value = headers.get(name.toLowerCase())
          return value === undefined ? [] : [[name, value]]
        }),
      ),
      body,
    }),
  }
}

/** The result of an operation that was refused. */
export function refused(error: ApiError, head = openHead()): Result {
  const { status, data } = error
  head.code(status)
  if (data.retry_after !== undefined) head.header('retry-after', String(data.retry_after))
  return head.resultOf(errorBody(error))
}

/**
 * Returns what makes an operation of a batch, as its route does for a request: with the same checks and rights, and the same response, for
 * the client that sent the batch.
 */
export function openPerforming(app: FastifyInstance, warnings: Warnings) {
  const log = openErrorLog(warnings)
  const writes = new Map<
    string,
    { write: WriteOperation; config: FastifyContextConfig; schema: FastifySchema }
  >()
  app.addHook('onReady', async () => {
    for (const { method, url, config, schema } of app.routesAdded)
      if (config?.write) writes.set(`${method} ${url}`, { write: config.write, config, schema: schema! })
  })

  async function make(
    batch: FastifyRequest,
    operation: Operation,
    { caller, joins }: How,
    head: ResponseHead,
  ) {
    const { path, body, if_match } = operation
    const { url, params } = readAddress(path)
    const given = parseQuery(path.split(/\?(.*)/s)[1] ?? '')
    const sent = { method: operation.method as string, url: path, headers: {} }
    if (sent.method === 'POST') overrideMethod(sent)
    const refused = refusedOverride(sent)
    if (refused) throw refused
    const { method } = sent
    const routeOptions = writes.get(`${method} ${url}`)
    if (!routeOptions) throw refusalBeside({ method, raw: sent, server: app }, head)
    const excess = excessOf(given)
    if (excess) throw excess
    // it says the method, and nothing else
    if (isOverridden(sent)) delete given._method
    const { ip, raw, log } = batch
    const request: RecordRequest = {
      method,
      headers: { 'if-match': if_match },
      params,
      query: {},
      given,
      body: operation.method === 'DELETE' ? undefined : body,
      caller,
      ip,
      raw,
      server: app,
      log,
      latest: batch.latest,
      routeOptions,
    }
    if (joins) request.join = joins(request)
    readGivenQuery(request, head)
    const { write, schema } = routeOptions
    write.refuse?.(request.body)
    if (schema.body) {
      mergeBody(request, request.body)
      await write.prepare?.(request)
    }
    try {
      validate(request)
    } catch (error) {
      // what is refused is refused with all that is wrong, where there is a body
      if (!schema.body) throw error
      request.validationError = error as NonNullable<typeof request.validationError>
    }
    const refusal = refusalOf(request)
    if (refusal) throw request.validationError ?? refusal
    return bodyOf(request, head, await write.make(request, head))
  }

  return async (batch: FastifyRequest, operation: Operation, how: How): Promise<Result> => {
    const head = openHead()
    try {
      const json = await make(batch, operation, how, head)
      return head.resultOf(JSON.parse(json.toString()))
    } catch (error) {
      return refused(log(error as ApiError, batch), head)
    }
  }
}
