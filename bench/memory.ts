import { Command } from 'commander'
import { copyData, type DataSet, openData, temporaryFolder } from './data.ts'
import { megabytes, percentile, short, table, whole } from './figures.ts'
import { BOTH, plain, type Server, STARTED, startProgram } from './process.ts'
import { day, listScenarios } from './scenarios/reads.ts'
import { searchesOf } from './scenarios/search.ts'
import { ROOT } from './scenarios/world.ts'
import { even, openRandom, type Random } from './seed/random.ts'

// What the service holds after all kinds of reads, started with several settings of memory, one after the other.

const options = new Command('bench:memory')
  .description(
    'Measures the memory of the service after all kinds of reads, by settings; needs taskset and two cores.',
  )
  .option('--events <number>', 'size of the data set, made once', '100000')
  .option('--reads <number>', 'of each start', '20000')
  .option('--only <words>', 'settings whose name has these words', '')
  .parse()
  .opts<{ events: string; reads: string; only: string }>()

/** Requests that are under way together. */
const TOGETHER = 8
/** Reads after which memory is looked at. */
const LOOK = 50

type Setting = { name: string; args: string[]; env: Record<string, string> }
const start = (MEMORY: string): Setting => ({ name: `MEMORY=${MEMORY}`, args: STARTED, env: { MEMORY } })
const settings: Setting[] = [
  ...['small', 'normal', 'large'].map(start),
  { name: 'none', args: plain(), env: {} },
].filter(({ name }) => name.includes(options.only))

/** Addresses of every kind of read; `pages` are those of the list without filters. */
function readsOf(data: DataSet, pages: number): ((random: Random) => string)[] {
  const lists = listScenarios(data, pages, '"none"').map(({ requests }) => {
    let round = 0
    let left: string[] = []
    return () => {
      if (left.length === 0) left = requests(round++).map(({ path }) => path)
      return left.pop()!
    }
  })
  const searches = searchesOf(data.events).map(
    ({ pathOf }) =>
      (random: Random) =>
        ROOT + pathOf(random),
  )
  const near = (random: Random) => day(even(random, 700) - 350)
  /** A week of a year before or after now. */
  const week = (random: Random) => {
    const from = even(random, 700) - 350
    return `start_date=${day(from)}&end_date=${day(from + 7)}`
  }
  const others: ((random: Random) => string)[] = [
    (random) => `${ROOT}/events?orderby=${['end', 'modified', 'title'][even(random, 3)]}&order=desc`,
    (random) => `${ROOT}/events.ics?${week(random)}`,
    (random) => `${ROOT}/events.rss?${week(random)}`,
    (random) => `/events/month/${near(random).slice(0, 7)}/`,
    (random) => `/events/day/${near(random)}/`,
    (random) => `/events/?page=${1 + even(random, 50)}`,
    () => `${ROOT}/changes?per_page=50`,
    (random) => `${ROOT}/organizers?page=${1 + even(random, 20)}`,
  ]
  return [...lists, ...searches, ...others]
}

/** Reads everything in turn, and gives the memory at the end and the most that there was, and how long the reads took. */
async function measure(server: Server, data: DataSet) {
  const first = await fetch(`${server.url}${ROOT}/events`)
  const { total_pages } = (await first.json()) as { total_pages: number }
  const kinds = readsOf(data, total_pages)
  const random = openRandom(1)
  const refused = new Map<number, number>()
  const waits: number[] = []
  let sent = 0
  let most = 0
  const lane = async () => {
    while (sent < Number(options.reads)) {
      const path = kinds[sent++ % kinds.length]!(random).replace('@@@@@@@@', String(sent))
      const began = performance.now()
      // again, if the connection was closed meanwhile because nothing was sent
      const answer = await fetch(server.url + path).catch(() => fetch(server.url + path))
      await answer.arrayBuffer()
      waits.push(performance.now() - began)
      if (answer.status >= 400) refused.set(answer.status, (refused.get(answer.status) ?? 0) + 1)
      if (sent % LOOK === 0) most = Math.max(most, server.memory())
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, lane))
  const memory = server.memory()
  return { memory, most: Math.max(most, memory), waits, refused }
}

const data = await openData(Number(options.events))
const folder = temporaryFolder()
const copy = copyData(data)
const rows: string[][] = []
for (const { name, args, env } of settings) {
  const server = await startProgram({ ...env, DATABASE: copy.file, MEDIA_DIR: folder }, BOTH, args)
  const began = server.memory()
  const cpu = server.cpu()
  const { memory, most, waits, refused } = await measure(server, data)
  const used = (server.cpu() - cpu) / Number(options.reads)
  await server.stop()
  const times = [0.5, 0.99].map((share) => short(percentile(waits, share)))
  rows.push([name, ...[began, memory, most].map(megabytes), `${whole(used)} µs`, ...times])
  for (const [status, count] of refused)
    process.stderr.write(`${name}: ${count} reads were answered with ${status}\n`)
}
const head = ['settings', 'memory at the start', 'at the end', 'at most', 'CPU of a read', 'p50 ms', 'p99 ms']
process.stdout.write(`${table(head, rows)}\n`)
