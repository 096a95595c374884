import { Command } from 'commander'
import { copyData, openData } from './data.ts'
import { median, megabytes, table, whole } from './figures.ts'
import { type Server, startScript } from './process.ts'
import { ROOT } from './scenarios/world.ts'

// A calendar with every event, as a stream: npm run bench:feeds
const options = new Command('bench:feeds')
  .description(
    'Measures feeds of all events: time to the first byte and to the last, size, memory, and CPU at first and again.',
  )
  .option('--events <number>', 'size of the data set, made once', '50000')
  .option('--formats <list>', 'extensions of formats', 'ics')
  .option('--rounds <number>', 'how often each is read, each time by a new process; the median counts', '3')
  .parse()
  .opts<{ events: string; formats: string; rounds: string }>()

/** Milliseconds to the first and the last byte, bytes, the most memory more than before, and milliseconds of CPU. */
type Read = { first: number; last: number; size: number; memory: number; cpu: number }
/** The first read, the CPU of the next ones of the same address, and the slowest list beside one of another address. */
type Measured = Read & { again: number; list: number }

/** Milliseconds of a list of twelve events that is asked for while the feed is sent: the longest of them. */
async function slowestList({ url }: Server, isDone: () => boolean): Promise<number> {
  let slowest = 0
  for (let page = 1; !isDone(); page++) {
    const began = performance.now()
    await (await fetch(`${url}${ROOT}/events?page=${page}`)).arrayBuffer()
    slowest = Math.max(slowest, performance.now() - began)
  }
  return slowest
}

/** Reads a feed to its end. */
async function read(server: Server, path: string): Promise<Read> {
  const before = server.memory()
  const began = performance.now()
  const { body, status } = await fetch(server.url + ROOT + path)
  if (status !== 200) throw new Error(`${path} answered ${status}`)
  const result = { first: 0, last: 0, size: 0, memory: 0, cpu: server.cpu() }
  for await (const chunk of body!) {
    result.first ||= performance.now() - began
    result.size += chunk.length
    result.memory = Math.max(result.memory, server.memory() - before)
  }
  result.last = performance.now() - began
  result.cpu = (server.cpu() - result.cpu) / 1e3
  return result
}

/** How often a feed is read again: a response is cached the second time, and compressed beside the third. */
const AGAIN = 20

async function measure(file: string, path: string): Promise<Measured> {
  const server = await startScript('server.ts', { DATABASE: file })
  try {
    await (await fetch(`${server.url}${ROOT}/events`)).arrayBuffer()
    const alone = await read(server, path)
    let again = 0
    for (let time = 0; time < AGAIN; time++) again += (await read(server, path)).cpu / AGAIN
    let isDone = false
    const list = slowestList(server, () => isDone)
    await read(server, `${path}&order=desc`)
    isDone = true
    return { ...alone, again, list: await list }
  } finally {
    await server.stop()
  }
}

const copy = copyData(await openData(Number(options.events)))
const rows: string[][] = []
for (const extension of options.formats.split(',')) {
  const path = `/events.${extension}?start_date=0001-01-01&end_date=9999-12-31`
  const reads: Measured[] = []
  for (let round = 0; round < Number(options.rounds); round++) reads.push(await measure(copy.file, path))
  const of = (name: keyof Measured) => median(reads.map((read) => read[name]))
  rows.push([
    `/events.${extension}`,
    ...[
      whole(of('first')),
      whole(of('last')),
      megabytes(of('size')),
      megabytes(of('memory')),
      whole(of('cpu')),
      whole(of('again')),
      whole(of('list')),
    ],
  ])
}
copy.remove()
const head = [
  'feed',
  'first byte ms',
  'last byte ms',
  'size',
  'memory',
  'CPU ms',
  'CPU ms again',
  'slowest list beside it ms',
]
process.stdout.write(`${whole(Number(options.events))} events\n\n${table(head, rows)}\n`)
