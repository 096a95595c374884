import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BatchInput, BatchOperation, type BatchResult, type Operation } from '../../../schemas/batch.ts'
import { bodyOf, family } from '../../calendar/resource/service.ts'
import { REPEATED } from '../../calendar/resource/single.ts'
import { RIGHTS } from '../../calendar/rights.ts'
import type { Store } from '../../calendar/store.ts'
import { ApiError } from '../../kernel/errors.ts'
import { mergeParameters } from '../../kernel/input/bodies.ts'
import { isObject } from '../../kernel/input/readers.ts'
import { publishBody, refuseUnread } from '../../kernel/input/validator.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { errorBody } from '../../kernel/server/errors.ts'
import type { Answered, RequestContext } from './dispatch.ts'

/** The members of bodies that take IDs of records. */
const TAKE_IDS = ['venue', 'organizer', 'translation_of', 'post_parent', 'parent', 'categories', 'tags']

/** The number of the operation that a text refers to, among those before one; undefined if it is none. */
export type Find = (text: unknown) => number | undefined

/** Returns what finds the operation that a text such as `#hall` refers to, among those before one. */
function openReferences(operations: readonly Operation[]): (at: number) => Find {
  const numbers = new Map(operations.flatMap(({ id }, at) => (id === undefined ? [] : [[`#${id}`, at]])))
  return (at) => (text) => {
    const found = numbers.get(text as string)
    return found !== undefined && found < at ? found : undefined
  }
}

/** Replaces what refers to operations in a value: a text, those of a list, that in the ID of an object. */
function replaced(value: unknown, find: Find, idOf: (at: number) => number): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, find, idOf))
  if (isObject(value)) return 'id' in value ? { ...value, id: replaced(value.id, find, idOf) } : value
  const at = find(value)
  return at === undefined ? value : idOf(at)
}

/** An operation with IDs in place of what refers to others, and the numbers of these. */
export function resolve(operation: Operation, find: Find, idOf: (at: number) => number) {
  const needs = new Set<number>()
  const id = (at: number) => {
    needs.add(at)
    return idOf(at)
  }
  const path = operation.path.replace(/#[\w-]+/, (name) => String(id(find(name)!)))
  const body =
    operation.body &&
    Object.fromEntries(
      Object.entries(operation.body).map(([name, value]) => [
        name,
        TAKE_IDS.includes(name) ? replaced(value, find, id) : value,
      ]),
    )
  return { operation: { ...operation, path, body }, needs: [...needs] }
}

/** IDs that no record has, for those that are not made yet: of fifteen digits, the most that an ID is read with. */
const PLACEHOLDERS = 999_999_999_999_000
const placeholderOf = (at: number) => PLACEHOLDERS + at

/** Puts the IDs of records in the place of those that stood for them, in what was read of a request. */
function insertIds(read: unknown, ids: readonly number[]) {
  if (typeof read !== 'object' || read === null) return
  const members = read as Record<string, unknown>
  for (const [name, value] of Object.entries(members)) {
    const id = typeof value === 'number' && value >= PLACEHOLDERS ? ids[value - PLACEHOLDERS] : undefined
    if (id === undefined) insertIds(value, ids)
    else members[name] = id
  }
}

const DESCRIPTION =
  'Makes up to 100 writes of events, series, venues, organizers, categories and tags, in their order. Each is done as if it were sent by itself: with its rights, its checks, its `If-Match` (`if_match`), its response. `"#hall"` in a later operation stands for the ID of the record that the operation `hall` wrote. With `atomic` all are made in one transaction: if one is refused, none is made, and the response is 424 with all results in `data.results`. Otherwise the response is 200, whatever came of each.'

/** The 424 of an operation that was not made because of another. */
const notMade = (why: string) => new ApiError('batch_operation_not_made', why)
const answerOf = (error: ApiError): Answered => ({
  status: error.status,
  headers: {},
  body: errorBody(error),
})
const isDone = ({ status }: Answered) => status < 400

const withName = ({ id }: Operation, answer: Answered): BatchResult => ({
  ...(id !== undefined && { id }),
  ...answer,
})

/** Many writes in one request. */
export const batchRoutes = family('batches', async (app, service) => {
  const { store } = service
  app.addSchema(BatchOperation)
  publishBody(app, BatchInput)
  app.route({
    method: 'POST',
    url: '/batch',
    config: {
      operation: 'update',
      permission: { right: RIGHTS['create records'], to: 'write records' },
      repeatable: true,
    },
    schema: {
      operationId: 'batch',
      tags: ['Batch'],
      summary: 'Make many writes in one request',
      description: DESCRIPTION,
      querystring: Type.Object({}),
      body: Type.Ref('BatchInput') as TSchema,
      ...responses('update', 'BatchAnswer', [
        'rest_missing_callback_param',
        'batch_not_applied',
        ...REPEATED,
      ]),
    },
    preValidation: mergeParameters,
    attachValidation: true,
    async handler(request, reply) {
      await refuseUnread(request, async () => ({}))
      const { operations, atomic } = request.body as BatchInput
      const results = await (atomic ? runAtomic : runEach)(app, store, request, operations)
      return bodyOf(request, reply, [Buffer.from(JSON.stringify({ results }))])
    },
  })
})

/** Makes each write by itself, after the one before it was answered. */
async function runEach(
  app: FastifyInstance,
  { carrying }: Pick<Store, 'carrying'>,
  request: FastifyRequest,
  operations: Operation[],
): Promise<BatchResult[]> {
  const referencesBefore = openReferences(operations)
  const carried = carrying.here() ?? {}
  const answers: Answered[] = []
  for (const [at, one] of operations.entries()) {
    const { operation, needs } = resolve(one, referencesBefore(at), (other) =>
      Number(answers[other]!.body.id),
    )
    const lacking = needs.find((other) => !isDone(answers[other]!))
    answers.push(
      lacking === undefined
        ? await app.dispatch(request, operation, { carried })
        : answerOf(notMade(`It needs operation ${lacking + 1}, which was refused.`)),
    )
  }
  return answers.map((answer, at) => withName(operations[at]!, answer))
}

/**
 * Makes all writes in one transaction, or throws 424. Each request goes as far as its write, in its turn and outside of the transaction, as it may have to
 * download pictures. Then the writes are made, and the requests go on with their answers.
 */
async function runAtomic(
  app: FastifyInstance,
  { batchTransaction: open }: Pick<Store, 'batchTransaction'>,
  request: FastifyRequest,
  operations: Operation[],
): Promise<BatchResult[]> {
  const referencesBefore = openReferences(operations)
  const transaction = open()
  const contexts: RequestContext[] = []
  const running: Promise<Answered>[] = []
  let failed: number | undefined
  for (const [at, one] of operations.entries()) {
    const { carried, arrived } = transaction.next()
    const context: RequestContext = { carried }
    contexts.push(context)
    const answer = app.dispatch(request, resolve(one, referencesBefore(at), placeholderOf).operation, context)
    running.push(answer)
    const early = await Promise.race([arrived, answer])
    if (!early) continue
    failed = at
    break
  }
  const why = (at: number) => notMade(`Operation ${at + 1} was refused, so nothing was written.`)
  if (failed === undefined) failed = await transaction.run(prepare, why)
  else transaction.giveUp(() => why(failed!))
  const answers = await Promise.all(running)
  const results = operations.map((operation, at) =>
    withName(operation, answers[at] ?? answerOf(why(failed!))),
  )
  if (failed === undefined) return results
  const { id } = operations[failed]!
  throw new ApiError(
    'batch_not_applied',
    `Operation ${failed + 1}${id === undefined ? '' : ` ("${id}")`} was refused, so nothing was written: ${answers[failed]!.body.message}`,
    { operation: failed + 1, results },
  )

  /** Puts the IDs of the records before it into what was read of a request. */
  function prepare(at: number, ids: number[]) {
    const { params, body } = contexts[at]!.request!
    insertIds(params, ids)
    insertIds(body, ids)
  }
}
