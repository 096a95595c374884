import { rightsOf } from '../../kernel/access/rights.ts'

/** The rights of submissions. The desk asks for them as well. */
export const SUBMISSIONS_RIGHTS = rightsOf({
  'decide on submissions': { role: 'editor', ofAll: true },
})
