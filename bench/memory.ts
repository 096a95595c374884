import { Command } from 'commander'
import { copyData, type DataSet, openData, temporaryFolder } from './data.ts'
import { megabytes, table, whole } from './figures.ts'
import { BOTH, plain, type Server, STARTED, settingsOfStart, startProgram } from './process.ts'
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
const node = (...options: string[]) => {
  const [program, ...args] = plain()
  return [program!, ...options, ...args]
}
const { env: variables, options: shipped } = settingsOfStart()
const named = (env: Record<string, string>) => Object.entries(env).map(([name, value]) => `${name}=${value}`)
const setting = (env: Record<string, string>, ...options: string[]): Setting => ({
  ...{ name: [...named(env), ...options].join(', ') || 'none', env, args: node(...options) },
})
const settings: Setting[] = [
  setting({}),
  setting({ MALLOC_ARENA_MAX: '1' }),
  setting({ MALLOC_ARENA_MAX: '1' }, '--max-semi-space-size=4'),
  setting({ MALLOC_ARENA_MAX: '1' }, '--max-semi-space-size=4', '--max-old-space-size=128'),
  setting(variables, '--heap-growing-percent=25'),
  setting(variables, '--heap-growing-percent=25', '--max-semi-space-size=4'),
  { name: `start.sh (${[...named(variables), ...shipped].join(', ')})`, env: {}, args: STARTED },
  setting(variables, '--heap-growing-percent=10', '--max-semi-space-size=2'),
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

/** Reads everything in turn, and gives the memory at the end and the most that there was. */
async function measure(server: Server, data: DataSet) {
  const first = await fetch(`${server.url}${ROOT}/events`)
  const { total_pages } = (await first.json()) as { total_pages: number }
  const kinds = readsOf(data, total_pages)
  const random = openRandom(1)
  const refused = new Map<number, number>()
  let sent = 0
  let most = 0
  const lane = async () => {
    while (sent < Number(options.reads)) {
      const path = kinds[sent++ % kinds.length]!(random).replace('@@@@@@@@', String(sent))
      const answer = await fetch(server.url + path)
      await answer.arrayBuffer()
      if (answer.status >= 400) refused.set(answer.status, (refused.get(answer.status) ?? 0) + 1)
      if (sent % LOOK === 0) most = Math.max(most, server.memory())
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, lane))
  const memory = server.memory()
  return { memory, most: Math.max(most, memory), refused }
}

const data = await openData(Number(options.events))
const folder = temporaryFolder()
const copy = copyData(data)
const rows: string[][] = []
for (const { name, args, env } of settings) {
  const server = await startProgram({ ...env, DATABASE: copy.file, MEDIA_DIR: folder }, BOTH, args)
  const began = server.memory()
  const cpu = server.cpu()
  const { memory, most, refused } = await measure(server, data)
  const used = (server.cpu() - cpu) / Number(options.reads)
  await server.stop()
  rows.push([name, ...[began, memory, most].map(megabytes), `${whole(used)} µs`])
  for (const [status, count] of refused)
    process.stderr.write(`${name}: ${count} reads were answered with ${status}\n`)
}
const head = ['settings', 'memory at the start', 'at the end', 'at most', 'CPU of a read']
process.stdout.write(`${table(head, rows)}\n`)
