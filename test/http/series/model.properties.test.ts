import t from 'tap'
import { build } from '../../support/app.ts'
import { runSequence } from '../../support/series-run.ts'

/** Sequences of edits: npm run bench:series-model runs 5,000. */
const SEQUENCES = Number(process.env.SERIES_SEQUENCES ?? 200)
const EDITS = 8

t.test('random edits leave the dates that series and rules by definition have', async (t) => {
  const api = await build(t, { env: { SERIES_DAYS: '1500' } })
  for (let seed = 1; seed <= SEQUENCES; seed++) {
    // a client may write only so often in a minute
    api.clock.now += 1_000
    const { difference, log } = await runSequence(api, seed, EDITS)
    if (difference !== undefined) t.fail(`seed ${seed}: ${difference}\n${log.join('\n')}`)
  }
  t.pass(`${SEQUENCES} sequences`)
})
