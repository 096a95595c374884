import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { withBar } from '../../src/kernel/cli.ts'
import { openData } from '../data.ts'
import { median } from '../load.ts'
import { saveJson } from '../results.ts'
import { ROOT } from '../scenarios/world.ts'
import { NOW } from '../seed/records.ts'
import { planOf, type Step, trace } from '../trace.ts'
import { filtersOf, pairsOf, type Values } from './filters.ts'
import { type Pairs, type Statement, type Timed, textOf } from './report.ts'

const options = new Command('bench:pairs')
  .description('Asks for lists of events by every two filters, uncached, one at a time; tells the slowest.')
  .option('--events <number>', 'size of the data set, made once', '1000')
  .option('--times <number>', 'how often each is asked; the median counts', '3')
  .option('--over <milliseconds>', 'what counts as slow', '250')
  .option('--slowest <number>', 'how many are shown with their statements', '10')
  .option('--only <filter>', 'pairs with this filter')
  .option('--json <file>', 'write the figures there as well')
  .parse()
  .opts<{
    events: string
    times: string
    over: string
    slowest: string
    only?: string
    json?: string
  }>()

const data = await openData(Number(options.events))
let steps: Step[] = []
trace((step) => steps.push(step))
const config = readConfig({ DATABASE: data.file, MEDIA_DIR: join(tmpdir(), 'almanac-bench-media') })
const app = await buildApp({ config: { ...config, maxDelay: 0 }, clock: () => NOW })

let asked = 0
/** Asks for a list at an address that was never asked for: milliseconds, and the status. */
async function ask(values: Values): Promise<{ milliseconds: number; status: number }> {
  const url = `${ROOT}/events?${new URLSearchParams({ ...values, x: String(++asked) })}`
  steps = []
  const began = performance.now()
  const { statusCode } = await app.inject({ url })
  return { milliseconds: performance.now() - began, status: statusCode }
}

async function time(values: Values, times: number): Promise<Timed> {
  const all: number[] = []
  let status = 0
  for (let at = 0; at < times; at++) {
    const answer = await ask(values)
    all.push(answer.milliseconds)
    status = answer.status
  }
  return { filters: values, status, first: all[0]!, milliseconds: median(all) }
}

/** Each statement once, with how often it ran and SQLite's plan; the question for others' commits left out. */
function statementsOf(steps: Step[]): Statement[] {
  const found = new Map<string, Statement>()
  for (const step of steps) {
    if (!step.reads || step.sql === 'PRAGMA data_version') continue
    const sql = step.sql.replaceAll(/\s+/g, ' ')
    const known = found.get(sql) ?? { sql, times: 0, plan: planOf(step) }
    known.times++
    found.set(sql, known)
  }
  return [...found.values()]
}

for (let at = 0; at < 300; at++) await ask({}) // V8 compiles what is hot
const pairs = pairsOf(filtersOf(data)).filter((values) => !options.only || options.only in values)
const timed: Timed[] = []
await withBar({ terminal: process.stderr.isTTY }, 'Asking', async (progress) => {
  for (const values of pairs) {
    timed.push(await time(values, Number(options.times)))
    progress(timed.length, pairs.length)
  }
})
timed.sort((a, b) => b.milliseconds - a.milliseconds)
const slowest = timed.slice(0, Number(options.slowest))
const plans: Pairs['slowest'] = []
for (const one of slowest) {
  await ask(one.filters)
  plans.push({ ...one, statements: statementsOf(steps) })
}
await app.close()

const over = Number(options.over)
const found: Pairs = {
  ...{ made: new Date().toISOString(), events: data.events, pairs: timed.length, over },
  slow: timed.filter(({ milliseconds }) => milliseconds > over).length,
  slowAtFirst: timed.filter(({ first }) => first > over).length,
  refused: timed.filter(({ status }) => status >= 400 && status !== 404).length,
  middle: median(timed.map(({ milliseconds }) => milliseconds)),
  slowest: plans,
}
process.stdout.write(`${textOf(found)}\n`)
if (options.json) saveJson(options.json, found)
