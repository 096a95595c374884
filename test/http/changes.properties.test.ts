import fc from 'fast-check'
import t from 'tap'
import { build, NOW } from '../support/app.ts'
import { follow, type Tally, way } from '../support/sync-run.ts'

t.test('a copy that follows the changes is what a full crawl shows, after any writes', async (t) => {
  const all: Tally = { compared: 0, told: 0, needless: 0 }
  await fc.assert(
    fc.asyncProperty(way, async (one) => {
      const api = await build(t, { now: NOW })
      const tally = await follow(() => api, one)
      for (const name of Object.keys(all) as (keyof Tally)[]) all[name] += tally[name]
      await api.app.close()
    }),
    { numRuns: Number(process.env.RUNS ?? 6), endOnFailure: true },
  )
  t.ok(all.compared > 50, JSON.stringify(all))
  console.log(all)
})
