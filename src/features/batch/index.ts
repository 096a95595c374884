import { BatchAnswer, BatchResult } from '../../../schemas/batch.ts'
import type { ServiceFeature } from '../host.ts'
import { batchRoutes } from './batch.ts'
import { BATCH_ERRORS } from './declarations.ts'
import { dispatching } from './dispatch.ts'
import { readOperations } from './operations.ts'
import { openTogether } from './transaction.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    /** Several writes in one transaction. */
    together(): ReturnType<typeof openTogether>
  }
}

/** Many writes in one request. */
export const batch: ServiceFeature = {
  name: 'batch',
  tags: {
    Batch: 'Many writes of records in one request.',
  },
  answers: [BatchResult, BatchAnswer],
  errors: BATCH_ERRORS,
  readers: { operations: readOperations },
  openStore: ({ db }) => ({ together: () => openTogether(db) }),
  async plugin(app, { service }) {
    app.register(dispatching, service)
    app.register(batchRoutes, { service })
  },
}
