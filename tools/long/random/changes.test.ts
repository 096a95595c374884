import fc from 'fast-check'
import t from 'tap'
import { build, NOW } from '../../../test/support/app.ts'
import { follow, way } from '../../../test/support/sync.ts'

t.test('copies are what crawls show, on other ways', async (t) => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(way, fc.boolean(), async (one, isCompacted) => {
      const api = await build(t, { now: NOW })
      const compact = async () => void (isCompacted && (await api.app.store.compaction.compact(20 / 86_400)))
      compared += (await follow(() => api, one, compact)).compared
      await api.app.close()
    }),
    { numRuns: 12, endOnFailure: true, seed: 2026 },
  )
  t.ok(compared > 100, `${compared} copies`)
})
