import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { BatchInput, BatchOperation, type BatchResult, type Operation } from '../../../schemas/batch.ts'
import { REPEATED } from '../../calendar/resource/resource.ts'
import { bodyOf, family, type RecordRequest } from '../../calendar/resource/service.ts'
import { RIGHTS } from '../../calendar/rights.ts'
import type { Join, Store } from '../../calendar/store.ts'
import { type Work, withoutWriteContext } from '../../kernel/database/context.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { openPauses, openTurns } from '../../kernel/database/queue.ts'
import { ApiError } from '../../kernel/errors.ts'
import { mergeParameters } from '../../kernel/input/bodies.ts'
import { publishBody, refuseUnread } from '../../kernel/input/validator.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import type { Warnings } from '../../kernel/server/log.ts'
import { insertIds, openReferences, placeholderOf, resolve } from './operations.ts'
import { openPerforming, type Result, refused } from './perform.ts'

const DESCRIPTION =
  'Makes up to 100 writes of events, series, venues, organizers, categories and tags, in their order. Each is done as if it were sent by itself: with its rights, its checks, its `If-Match` (`if_match`), its response. `"#hall"` in a later operation stands for the ID of the record that the operation `hall` wrote. With `atomic` all are made in one transaction: if one is refused, none is made, and the response is 424 with all results in `data.results`. Otherwise the response is 200, whatever came of each.'

/** The 424 of an operation that was not made because of another. */
const notMade = (why: string) => new ApiError('batch_operation_not_made', why)
const isDone = ({ status }: Result) => status < 400

const withName = ({ id }: Operation, result: Result): BatchResult => ({
  ...(id !== undefined && { id }),
  ...result,
})

/** Many writes in one request. */
export const batchRoutes = (warnings: Warnings) =>
  family('batches', async (app, service) => {
    const perform = openPerforming(app, warnings)
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
        app.countRequests(request, operations.length)
        const results = await (atomic ? runAtomic : runEach)(perform, service.store, request, operations)
        return bodyOf(request, reply, [Buffer.from(JSON.stringify({ results }))])
      },
    })
  })

type Perform = ReturnType<typeof openPerforming>

/** Makes each write by itself, after the one before it was answered. */
async function runEach(
  perform: Perform,
  { limits }: Pick<Store, 'limits'>,
  request: FastifyRequest,
  operations: Operation[],
): Promise<BatchResult[]> {
  const referencesBefore = openReferences(operations)
  const caller = request.caller!
  const results: Result[] = []
  for (const [at, one] of operations.entries()) {
    const { operation, needs } = resolve(one, referencesBefore(at), (other) =>
      Number(results[other]!.body.id),
    )
    const lacking = needs.find((other) => !isDone(results[other]!))
    results.push(
      lacking === undefined
        ? // limits name what the operations before have changed
          await perform(request, operation, {
            caller: { ...caller, limits: caller.limits && limits.of(...caller.limits.given) },
          })
        : refused(notMade(`It needs operation ${lacking + 1}, which was refused.`)),
    )
  }
  return results.map((result, at) => withName(operations[at]!, result))
}

/**
 * Makes all writes in one transaction, or throws 424. Each operation goes as far as its write, in its turn and outside of the transaction, as it may have to
 * download pictures. Then the writes are made, and the operations go on with their results.
 */
async function runAtomic(
  perform: Perform,
  { db }: Pick<Store, 'db'>,
  request: FastifyRequest,
  operations: Operation[],
): Promise<BatchResult[]> {
  const referencesBefore = openReferences(operations)
  const transaction = openTransaction(db)
  const { caller } = request
  const running: Promise<Result>[] = []
  const pause = openTurns()
  let failed: number | undefined
  for (const [at, one] of operations.entries()) {
    const { joins, arrived } = transaction.next()
    const { operation } = resolve(one, referencesBefore(at), placeholderOf)
    // only the transaction notes an `Idempotency-Key`
    const result = withoutWriteContext(() => perform(request, operation, { caller, joins }))
    running.push(result)
    const early = await Promise.race([arrived, result])
    await pause()
    if (!early) continue
    failed = at
    break
  }
  const why = (at: number) => notMade(`Operation ${at + 1} was refused, so nothing was written.`)
  if (failed === undefined)
    failed = await transaction.run(why, async (at) => {
      await running[at]
      await pause()
    })
  else transaction.giveUp(() => why(failed!))
  const made = await Promise.all(running)
  const results = operations.map((operation, at) => withName(operation, made[at] ?? refused(why(failed!))))
  if (failed === undefined) return results
  const { id } = operations[failed]!
  throw new ApiError(
    'batch_not_applied',
    `Operation ${failed + 1}${id === undefined ? '' : ` ("${id}")`} was refused, so nothing was written: ${made[failed]!.body.message}`,
    { operation: failed + 1, results },
  )
}

/** A write that was begun, and waits for its turn in the transaction. */
type Part = {
  request: RecordRequest
  work: Work<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** The record that a write gives: its ID, or something that has one; undefined of one that is deleted permanently. */
const idOf = (value: unknown) =>
  typeof value === 'number' ? value : (value as { id: number } | undefined)?.id

/** Makes several writes in one transaction, in their order. Who began one gets its result after the commit. If one fails, none is made. */
function openTransaction(db: Pick<Db, 'write'>) {
  const parts: Part[] = []
  let failed: number | undefined

  /** How the next write joins the transaction, and a promise that it has. */
  function next(): { joins(request: RecordRequest): Join; arrived: Promise<void> } {
    let come!: () => void
    const arrived = new Promise<void>((resolve) => {
      come = resolve
    })
    const joins =
      (request: RecordRequest): Join =>
      <T>(work: Work<T>) =>
        new Promise<T>((resolve, reject) => {
          parts.push({ request, work, resolve: resolve as Part['resolve'], reject })
          come()
        })
    return { joins, arrived }
  }

  async function runAll(tx: Queries): Promise<unknown[]> {
    const pause = openPauses(tx)
    const done: unknown[] = []
    const ids: (number | undefined)[] = []
    for (const [at, { request, work }] of parts.entries()) {
      insertIds(request.params, ids)
      insertIds(request.body, ids)
      try {
        const value = await work(tx)
        done.push(value)
        ids.push(idOf(value))
      } catch (error) {
        failed = at
        throw error
      }
      await pause()
    }
    return done
  }

  /** Refuses all writes that have come. */
  function giveUp(why: (at: number) => unknown) {
    for (const [at, { reject }] of parts.entries()) reject(why(at))
  }

  return {
    next,
    giveUp,
    /** Makes all writes that have come, and waits with `finish` for the rest of each operation. Returns the number of the one that failed, undefined if all are made. Throws if the transaction as a whole could not be made. */
    async run(
      why: (failed: number) => unknown,
      finish: (at: number) => Promise<unknown>,
    ): Promise<number | undefined> {
      try {
        const done = await db.write((tx) => runAll(tx), true)
        for (const [at, { resolve }] of parts.entries()) {
          resolve(done[at])
          await finish(at)
        }
      } catch (error) {
        giveUp((at) => (failed === undefined || at === failed ? error : why(failed)))
        if (failed === undefined) throw error
      }
      return failed
    },
  }
}
