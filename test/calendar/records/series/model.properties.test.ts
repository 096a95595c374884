import t from 'tap'
import { build } from '../../../support/app.ts'
import { runSequence } from '../../../support/series-run.ts'

/** Sequences of edits, from a seed on: npm run bench:series-model runs 5,000. */
const SEQUENCES = Number(process.env.SERIES_SEQUENCES ?? 200)
const FIRST = Number(process.env.SERIES_FIRST ?? 1)
const EDITS = 8

t.test('random edits leave the dates that series and rules by definition have', async (t) => {
  const api = await build(t, { env: { SERIES_DAYS: '3650', RATE_LIMIT: '1000000' } })
  for (let seed = FIRST; seed < FIRST + SEQUENCES; seed++) {
    const { difference, log } = await runSequence(api, seed, EDITS)
    if (difference !== undefined) t.fail(`seed ${seed}: ${difference}\n${log.join('\n')}`)
  }
  t.pass(`${SEQUENCES} sequences`)
})
