import { rightsOf } from '../../kernel/access/rights.ts'

/** The rights of imports. The desk asks for them as well. */
export const IMPORTS_RIGHTS = rightsOf({
  'import events': { role: 'editor', ofAll: true },
})
