import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { databaseOf } from '../test/support/database.ts'
import { runModel } from '../test/support/model.ts'
import { runNodes } from '../test/support/model-nodes.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { temporaryFolder } from './data.ts'

// Answers under change, compared with the tables: npm run bench:model -- --writes 20000 [--seed 7] [--workers 2]
// Or of nodes that are processes on a PostgreSQL server of their own: npm run bench:model -- --nodes 3 [--writes 20000] [--seed 7]
const { values } = parseArgs({
  options: {
    writes: { type: 'string' },
    seed: { type: 'string' },
    workers: { type: 'string' },
    nodes: { type: 'string' },
  },
})
const writes = Number(values.writes ?? 20_000)
const workers = Number(values.workers ?? 1)
const nodes = Number(values.nodes ?? 0)
let seed = Number(values.seed ?? Date.now() % 1_000_000)
/** Writes on one database, so that it stays small enough to be compared whole. */
const ROUND = 2_000

const folder = temporaryFolder()
const ends: (() => unknown)[] = []
const postgres = nodes > 0 ? await startPostgres({ teardown: (end) => void ends.push(end) }) : undefined
const total: Record<string, number> = { writes: 0 }

/** One round on a database of its own. */
async function runRound(writes: number) {
  if (!postgres) return runModel(join(folder, `${seed}.db`), seed, writes, workers)
  const name = `round${seed}`
  await postgres.ask(`create database ${name}`)
  return runNodes(databaseOf(postgres.url, name), join(folder, name), seed, {
    writes,
    nodes,
    processes: true,
  })
}

try {
  for (; total.writes! < writes; seed++) {
    const report = await runRound(Math.min(ROUND, writes - total.writes!))
    for (const [name, count] of Object.entries(report)) total[name] = (total[name] ?? 0) + count
    process.stderr.write(`seed ${seed}: ${JSON.stringify(total)}\n`)
  }
  process.stdout.write(`${JSON.stringify({ ...total, differences: 0 })}\n`)
} finally {
  for (const end of ends) await end()
}
