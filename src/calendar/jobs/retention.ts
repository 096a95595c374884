import fp from 'fastify-plugin'
import type { Store } from '../store.ts'

/** Keeps the log of changes and the audit log for so many days each, undefined for all, and the answers to repeated requests for a day. */
export const keeping = fp<{
  store: Pick<Store, 'compaction' | 'audit' | 'kept'>
  changesDays: number | undefined
  auditDays: number | undefined
}>(
  async (app, { store: { compaction, audit, kept }, changesDays, auditDays }) => {
    if (changesDays !== undefined)
      app.retain({
        remove: () => compaction.compact(changesDays),
        failed: 'old changes could not be removed',
      })
    if (auditDays !== undefined)
      app.retain({
        remove: () => audit.removeOld(auditDays),
        failed: 'old entries of the audit log could not be removed',
      })
    app.retain({ remove: () => kept.removeOld(), failed: 'answers that are over could not be removed' })
  },
  { name: 'keeping', dependencies: ['retention'] },
)
