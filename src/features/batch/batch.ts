import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BatchInput, BatchOperation, type BatchResult, type Operation } from '../../../schemas/batch.ts'
import { bodyOf, family } from '../../calendar/resource/service.ts'
import { REPEATED } from '../../calendar/resource/single.ts'
import type { Store } from '../../calendar/store.ts'
import { ApiError } from '../../kernel/errors.ts'
import { mergeParameters } from '../../kernel/input/bodies.ts'
import { publishBody, refuseUnread } from '../../kernel/input/validator.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { errorBody } from '../../kernel/server/errors.ts'
import type { Answered, Course } from './dispatch.ts'
import { openFind, placeOf, resolve, settle } from './references.ts'

const DESCRIPTION =
  'Makes up to 100 writes of events, series, venues, organizers, categories and tags, in their order. Each is done as if it were sent by itself: with its rights, its checks, its `If-Match` (`if_match`), its response. `"#hall"` in a later operation stands for the ID of the record that the operation `hall` wrote. With `atomic` all are made in one transaction: if one is refused, none is made, and the response is 424 with all results in `data.results`. Otherwise the response is 200, whatever came of each.'

/** The 424 of an operation that was not made because of another. */
const notMade = (why: string) => new ApiError('batch_operation_not_made', why)
const given = (error: ApiError): Answered => ({ status: error.status, headers: {}, body: errorBody(error) })
const isDone = ({ status }: Answered) => status < 400

const named = ({ id }: Operation, answer: Answered): BatchResult => ({
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
      permission: { right: 'create records', to: 'write records' },
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
      const results = await (atomic ? makeTogether : makeApart)(app, store, request, operations)
      return bodyOf(request, reply, [Buffer.from(JSON.stringify({ results }))])
    },
  })
})

/** Makes each write by itself, after the one before it was answered. */
async function makeApart(
  app: FastifyInstance,
  { carrying }: Pick<Store, 'carrying'>,
  request: FastifyRequest,
  operations: Operation[],
): Promise<BatchResult[]> {
  const findBefore = openFind(operations)
  const carried = carrying.here() ?? {}
  const answers: Answered[] = []
  for (const [at, one] of operations.entries()) {
    const { operation, needs } = resolve(one, findBefore(at), (other) => Number(answers[other]!.body.id))
    const lacking = needs.find((other) => !isDone(answers[other]!))
    answers.push(
      lacking === undefined
        ? await app.dispatch(request, operation, { carried })
        : given(notMade(`It needs operation ${lacking + 1}, which was refused.`)),
    )
  }
  return answers.map((answer, at) => named(operations[at]!, answer))
}

/**
 * Makes all writes in one transaction, or throws 424. Each request goes as far as its write, in its turn and outside of the transaction, as it may have to
 * download pictures. Then the writes are made, and the requests go on with their answers.
 */
async function makeTogether(
  app: FastifyInstance,
  { together: open }: Pick<Store, 'together'>,
  request: FastifyRequest,
  operations: Operation[],
): Promise<BatchResult[]> {
  const findBefore = openFind(operations)
  const together = open()
  const courses: Course[] = []
  const running: Promise<Answered>[] = []
  let failed: number | undefined
  for (const [at, one] of operations.entries()) {
    const { carried, arrived } = together.next()
    const course: Course = { carried }
    courses.push(course)
    const answer = app.dispatch(request, resolve(one, findBefore(at), placeOf).operation, course)
    running.push(answer)
    const early = await Promise.race([arrived, answer])
    if (!early) continue
    failed = at
    break
  }
  const why = (at: number) => notMade(`Operation ${at + 1} was refused, so nothing was written.`)
  if (failed === undefined) failed = await together.run(prepare, why)
  else together.giveUp(() => why(failed!))
  const answers = await Promise.all(running)
  const results = operations.map((operation, at) => named(operation, answers[at] ?? given(why(failed!))))
  if (failed === undefined) return results
  const { id } = operations[failed]!
  throw new ApiError(
    'batch_not_applied',
    `Operation ${failed + 1}${id === undefined ? '' : ` ("${id}")`} was refused, so nothing was written: ${answers[failed]!.body.message}`,
    { operation: failed + 1, results },
  )

  /** Puts the IDs of the records before it into what was read of a request. */
  function prepare(at: number, ids: number[]) {
    const { params, body } = courses[at]!.request!
    settle(params, ids)
    settle(body, ids)
  }
}
