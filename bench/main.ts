import { Command } from 'commander'
import { table } from './figures.ts'
import { cellsOf, HEAD, saveJson, startOf } from './results.ts'
import { run } from './run.ts'

const options = new Command('bench')
  .description(
    'Measures scenarios beside their baselines, in turn in one run; needs wrk, taskset and two cores.',
  )
  .option('--events <number>', 'size of the data set, made once', '1000')
  .option('--rounds <number>', 'how often each is measured; the median counts', '5')
  .option('--seconds <number>', 'of load a round', '2')
  .option('--only <words>', 'scenarios whose name has these words', '')
  .option('--no-writes', 'leave out what needs copies of the data set')
  .option('--json <file>', 'write the figures there as well')
  .parse()
  .opts<{ events: string; rounds: string; seconds: string; only: string; writes: boolean; json?: string }>()

const print = (text: string) => process.stdout.write(`${text}\n`)
const [head, line] = table(HEAD, []).split('\n')
print(`${head}\n${line}`)
const found = await run(
  {
    ...{ events: Number(options.events), rounds: Number(options.rounds), seconds: Number(options.seconds) },
    ...{ only: options.only, writes: options.writes },
  },
  (result) => print(`| ${cellsOf(result).join(' | ')} |`),
)
if (found.start) print(`\n${startOf(found)}`)
if (options.json) saveJson(options.json, found)
