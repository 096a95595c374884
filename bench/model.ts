import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Report, runModel } from '../test/support/model-run.ts'

// Answers under change, compared with the tables: npm run bench:model -- --writes 20000 [--seed 7] [--workers 2]
const { values } = parseArgs({
  options: { writes: { type: 'string' }, seed: { type: 'string' }, workers: { type: 'string' } },
})
const writes = Number(values.writes ?? 20_000)
const workers = Number(values.workers ?? 1)
let seed = Number(values.seed ?? Date.now() % 1_000_000)
/** Writes on one database, so that it stays small enough to be compared whole. */
const ROUND = 2_000

const folder = mkdtempSync(join(tmpdir(), 'almanac-model-'))
const total: Report = { writes: 0, done: 0, reads: 0, checks: 0 }
try {
  for (; total.writes < writes; seed++) {
    const round = Math.min(ROUND, writes - total.writes)
    const report = await runModel(join(folder, `${seed}.db`), seed, round, workers)
    for (const name of Object.keys(total) as (keyof Report)[]) total[name] += report[name]
    process.stderr.write(`seed ${seed}: ${JSON.stringify(total)}\n`)
  }
  process.stdout.write(`${JSON.stringify({ ...total, differences: 0 })}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
