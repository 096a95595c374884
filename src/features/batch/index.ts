import { BatchAnswer, BatchResult } from '../../../schemas/batch.ts'
import { declareErrors } from '../../kernel/errors.ts'
import { declareReaders } from '../../kernel/input/readers.ts'
import type { ServiceFeature } from '../host.ts'
import { readOperations } from './operations.ts'
import { batchRoutes } from './routes.ts'

/** The errors of batches: code, status and meaning. */
const BATCH_ERRORS = declareErrors({
  batch_not_applied: [
    424,
    'An operation of an atomic batch was refused, so none was made. `data.operation` is its number, `data.results` has all responses.',
  ],
  batch_operation_not_made: [424, 'This operation of a batch was not made, because another one was refused.'],
})

type Errors = typeof BATCH_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}

declareReaders({ operations: readOperations })

/** Many writes in one request. */
export const batch: ServiceFeature = {
  name: 'batch',
  tags: {
    Batch: 'Many writes of records in one request.',
  },
  answers: [BatchResult, BatchAnswer],
  errors: BATCH_ERRORS,
  async plugin(app, { service, warnings }) {
    app.register(batchRoutes(warnings), { service })
  },
}
