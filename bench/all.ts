import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { FIGURES, saveJson } from './results.ts'
import { run } from './run.ts'

const options = new Command('bench:all')
  .description(
    'Runs everything on each data set and writes docs/figures, docs/charts and the pages with figures.',
  )
  .option('--events <numbers>', 'sizes of the data sets, made once', '1000,100000,1000000')
  .option('--rounds <number>', 'how often each scenario is measured; the median counts', '5')
  .option('--seconds <number>', 'of load a round', '1')
  .option('--writes-to <number>', 'size of the largest data set that is copied to write into', '100000')
  .option('--pairs-on <number>', 'size of the data set on which pairs of filters are asked for', '100000')
  .parse()
  .opts<{ events: string; rounds: string; seconds: string; writesTo: string; pairsOn: string }>()

const began = performance.now()
const say = (text: string) =>
  process.stderr.write(`${((performance.now() - began) / 60_000).toFixed(1).padStart(5)} min  ${text}\n`)
const sizes = options.events.split(',').map(Number)

for (const events of sizes) {
  say(`${events.toLocaleString('en')} events`)
  const shape = { rounds: Number(options.rounds), seconds: Number(options.seconds) }
  const writes = events <= Number(options.writesTo)
  const found = await run({ events, ...shape, only: '', writes }, ({ scenario, cpu, ratio }) =>
    say(`  ${scenario}: ${Math.round(cpu)} µs, ${ratio.toFixed(2)} of the baseline`),
  )
  saveJson(`${FIGURES}${events}.json`, found)
}
const { pairsOn } = options
say(`pairs of filters on ${Number(pairsOn).toLocaleString('en')} events`)
script('pairs.ts', '--events', pairsOn, '--json', `${FIGURES}pairs-${pairsOn}.json`)
say('decisions of the design')
script('design.ts', '--json', `${FIGURES}design.json`)
say('beside a service written by hand')
script('by-hand.ts', '--json', `${FIGURES}by-hand.json`)
say('the report')
script('report/main.ts')

function script(path: string, ...options: string[]) {
  const args = ['--import', 'tsx', fileURLToPath(new URL(path, import.meta.url)), ...options]
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${path} failed`)
}
