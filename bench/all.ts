import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { FIGURES, writeReport } from './report/write.ts'
import { run } from './run.ts'

const options = new Command('bench:all')
  .description(
    'Runs everything on each data set and writes docs/figures, docs/charts and docs/performance.md.',
  )
  .option('--events <numbers>', 'sizes of the data sets, made once', '1000,100000,1000000')
  .option('--rounds <number>', 'how often each scenario is measured; the median counts', '5')
  .option('--seconds <number>', 'of load a round', '1')
  .option('--writes-to <number>', 'size of the largest data set that is copied to write into', '100000')
  .option('--no-pairs', 'leave out the pairs of filters on the largest data set')
  .parse()
  .opts<{ events: string; rounds: string; seconds: string; writesTo: string; pairs: boolean }>()

const began = performance.now()
const say = (text: string) =>
  process.stderr.write(`${((performance.now() - began) / 60_000).toFixed(1).padStart(5)} min  ${text}\n`)
const sizes = options.events.split(',').map(Number)
const files: string[] = []
mkdirSync(FIGURES, { recursive: true })

for (const events of sizes) {
  say(`${events.toLocaleString('en')} events`)
  const shape = { rounds: Number(options.rounds), seconds: Number(options.seconds) }
  const writes = events <= Number(options.writesTo)
  const found = await run({ events, ...shape, only: '', writes }, ({ scenario, cpu, ratio }) =>
    say(`  ${scenario}: ${Math.round(cpu)} µs, ${ratio.toFixed(2)} of the baseline`),
  )
  const file = `${FIGURES}${events}.json`
  writeFileSync(file, `${JSON.stringify(found, null, 1)}\n`)
  files.push(file)
}
if (options.pairs) {
  const largest = Math.max(...sizes)
  say(`pairs of filters on ${largest.toLocaleString('en')} events`)
  const file = `${FIGURES}pairs.json`
  const pairs = fileURLToPath(new URL('pairs/main.ts', import.meta.url))
  const args = ['--import', 'tsx', pairs, '--events', String(largest), '--json', file]
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error('the pairs of filters could not be measured')
  files.push(file)
}
for (const path of writeReport(files)) say(`wrote ${path}`)
