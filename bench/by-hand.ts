import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { Command } from 'commander'
import { copyData, openData, removeDb } from './data.ts'
import { inTurn, median, megabytes, short, table, whole } from './figures.ts'
import { load, warm } from './load.ts'
import { built, CLIENT, type Server, STARTED, startScript } from './process.ts'
import { WRITES, type WriteKind } from './record.ts'
import { type Both, type ByHand, saveJson } from './results.ts'
import { startOnce } from './run.ts'
import { dates, distinct, repeated, type Scenario } from './scenarios/reads.ts'
import { CONNECTIONS, ROOT } from './scenarios/world.ts'
import { send } from './scenarios/writes.ts'
import { even } from './seed/random.ts'

// The service beside one that is written by hand (`hand-written.ts`), on the same data in a form of its own, in turns.

const options = new Command('bench:by-hand')
  .description(
    'Measures the service beside one that is written by hand, in turns; needs wrk, taskset and two cores.',
  )
  .option('--events <number>', 'size of the data set, made once', '20000')
  .option('--rounds <number>', 'how often each is measured; the median counts', '5')
  .option('--seconds <number>', 'of reading a round', '2')
  .option('--only <words>', 'scenarios whose name has these words', '')
  .option('--json <file>', 'write the figures there as well')
  .parse()
  .opts<{ events: string; rounds: string; seconds: string; only: string; json?: string }>()
const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)]

const data = await openData(Number(options.events))
const { venues, organizers, categories, events } = data
execFileSync('npm', ['run', '-s', 'build'])
const copy = copyData(data)
const hand = `${copy.file}-by-hand`
process.on('exit', () => removeDb(hand))
const own = await startScript('server.ts', {
  DATABASE: copy.file,
  WRITER: 'on',
  BASE_URL: 'http://localhost:3000',
})
const other = await startScript('hand-written.ts', { DATABASE: hand, SOURCE: data.file })
const client = await startScript('client.ts', {}, CLIENT)
const both = [own, other] as const

const SCENARIOS: Scenario[] = [
  repeated('list, repeated', '/events'),
  distinct('list, other dates', (random) => `/events?${dates(random)}`),
  distinct(
    'list by category',
    (random) => `/events?categories=${1 + even(random, categories)}&${dates(random)}`,
  ),
  distinct('list by venue', (random) => `/events?venue=${1 + even(random, venues)}&${dates(random)}`),
  distinct('list, deep pages', (random) => `/events?page=${1 + even(random, Math.min(80, events / 100))}`),
  distinct('event by ID', (random) => `/events/${venues + organizers + 1 + even(random, events)}`),
]

const rows: ByHand['rows'] = []
const file = [data.file, hand].map((path) => statSync(path).size) as ByHand['file']
await mustAgree('/events?start_date=2026-01-01&end_date=2027-01-01&page=2')
const [head, line] = table(
  ['scenario', 'service, CPU µs', 'p50 ms', 'by hand, CPU µs', 'p50 ms', 'service / by hand'],
  [],
).split('\n')
process.stdout.write(`${head}\n${line}\n`)
for (const { name, requests } of SCENARIOS)
  await compare(name, async (server, round) => {
    const shape = { connections: CONNECTIONS, seconds }
    if (round === 0) await warm(server, requests(0), { ...shape, seconds: 1 })
    const figures = await load(server, requests(round), shape)
    if (figures.failures > 0) throw new Error(`${figures.failures} reads failed: ${name}`)
    return figures
  })
for (const connections of [1, 16, CONNECTIONS]) {
  /** What each made last, which the next kinds of writes change and delete. */
  const ids = new Map<Server, number[]>()
  for (const kind of WRITES)
    await compare(connections === 1 ? kind : `${kind}, ${connections} at once`, (server, round) =>
      write(server, kind, ids, { connections, isFirst: round === 0 }),
    )
}
for (const server of [...both, client]) await server.stop()
const start = await starts()
process.stdout.write(
  `start to the first list, ms: ${start.map(whole).join(' and ')}; file: ${file.map(megabytes).join(' and ')}\n`,
)
if (options.json)
  saveJson(options.json, {
    made: new Date().toISOString(),
    byHand: data.events,
    rows,
    start,
    file,
  } satisfies ByHand)
copy.remove()

/** Milliseconds from spawning each to its first list: medians of starts in turn. */
async function starts() {
  const env = { SOURCE: data.file, DATABASE: hand }
  const byHand = [process.execPath, built('hand-written.ts')]
  const all = await inTurn(
    rounds + 1,
    () => startOnce(STARTED, { DATABASE: copy.file }),
    () => startOnce(byHand, env),
  )
  return all.map((found) => median(found.slice(1).map(({ milliseconds }) => milliseconds))) as Both
}

/** Throws unless both give the same events. */
async function mustAgree(path: string) {
  const [mine, theirs] = await Promise.all(
    both.map(
      async ({ url }) => ((await (await fetch(url + ROOT + path)).json()) as { events: object[] }).events,
    ),
  )
  if (mine!.length === 0 || !isDeepStrictEqual(mine, theirs))
    throw new Error(`the services do not agree on ${path}`)
}

type Measured = { cpu: number; p50: number }

/** Prints a row of medians; round 0 warms up. */
async function compare(name: string, measure: (server: Server, round: number) => Promise<Measured>) {
  if (!name.includes(options.only)) return
  const ways = both.map((server) => (round: number) => measure(server, round))
  const found = (await inTurn(rounds + 1, ...ways)).map((all) => all.slice(1))
  const of = (what: keyof Measured) => found.map((all) => median(all.map((figures) => figures[what]))) as Both
  const [cpu, p50] = [of('cpu'), of('p50')]
  rows.push({ scenario: name, cpu, p50 })
  const cells = [cpu[0], p50[0], cpu[1], p50[1]].map(short)
  process.stdout.write(`| ${[name, ...cells, (cpu[0] / cpu[1]).toFixed(2)].join(' | ')} |\n`)
}

/** Sends writes of a kind, to what the same service made before. */
async function write(
  server: Server,
  kind: WriteKind,
  ids: Map<Server, number[]>,
  { connections, isFirst }: { connections: number; isFirst: boolean },
): Promise<Measured> {
  const made = ids.get(server) ?? []
  // V8 has compiled the code of writes when some two thousand were made
  const count = connections > 1 ? 1_000 : isFirst ? 2_000 : 300
  const targets = kind === 'delete' ? made.splice(0, count) : made
  const sent = await send({ data, server, client }, kind, targets, count, connections)
  if (sent.failures > 0) throw new Error(`${sent.failures} writes failed: ${kind}`)
  if (kind === 'create') ids.set(server, [...made, ...sent.ids])
  return sent
}
