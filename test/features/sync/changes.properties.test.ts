import fc from 'fast-check'
import t from 'tap'
import { build, NOW } from '../../support/app.ts'
import { follow, type Tally, way } from '../../support/sync.ts'

/** Seconds for which changes are kept while others follow them: some steps of the way. */
const KEPT = 20 / 86_400

t.test('a copy that follows the changes is what a full crawl shows, after any writes', async (t) => {
  const all: Tally = { compared: 0, told: 0, needless: 0 }
  await fc.assert(
    fc.asyncProperty(way, fc.boolean(), async (one, isCompacted) => {
      const api = await build(t, { now: NOW })
      const compact = async () => void (isCompacted && (await api.app.store.compaction.compact(KEPT)))
      const tally = await follow(() => api, one, compact)
      for (const name of Object.keys(all) as (keyof Tally)[]) all[name] += tally[name]
      await api.app.close()
    }),
    { numRuns: 4, endOnFailure: true },
  )
  t.ok(all.compared > 50 && all.told > 50, JSON.stringify(all))
})
