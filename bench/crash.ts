import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCrashes } from '../test/support/crash.ts'

// Kills the service under concurrent writes: npm run bench:crash -- --rounds 300
const { values } = parseArgs({ options: { rounds: { type: 'string' } } })
const folder = mkdtempSync(join(tmpdir(), 'almanac-crash-'))
const report = await runCrashes(folder, Number(values.rounds ?? 300), (so) => {
  if (so.rounds % 20 === 0) process.stderr.write(`${JSON.stringify(so)}\n`)
})
if (report.losses.length === 0) rmSync(folder, { recursive: true })
process.stdout.write(`${JSON.stringify(report)}\n`)
process.exitCode = report.losses.length === 0 ? 0 : 1
