import t from 'tap'
import { openEarlyLog } from '../../../src/database.ts'

t.test('what a node tells before its service has a log is in the log', async (t) => {
  const { open, warn, error } = openEarlyLog()
  const told: string[] = []
  error({}, 'stale')
  warn({}, 'silent')
  open({
    warn: (_what, message) => told.push(`warning: ${message}`),
    error: (_what, message) => told.push(`error: ${message}`),
  })
  t.same(told, ['error: stale', 'warning: silent'])
  warn({}, 'back')
  t.same(told.slice(2), ['warning: back'])
})
