import { once } from 'node:events'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { Command } from 'commander'
import { addToken } from '../test/support/process.ts'
import { copyData, openData, temporaryFolder } from './data.ts'
import { median, percentile, short, table } from './figures.ts'
import { ask } from './http.ts'
import { CLIENT, HERE, SERVER, start, startProgram } from './process.ts'
import { created } from './record.ts'
import { ROOT } from './scenarios/world.ts'

// For how long a small read and a small write wait beside heavy work, in turns with nothing beside them.

const options = new Command('bench:beside')
  .description(
    'Measures how long /healthz and a small write wait beside imports, long series, backups, checks, exports and batches.',
  )
  .option('--events <number>', 'size of the data set, made once', '20000')
  .option('--rounds <number>', 'how often each is measured; the median counts', '5')
  .option('--only <words>', 'works whose name has these words', '')
  .option('--with <checkout>', 'the built checkout that is measured', HERE)
  .parse()
  .opts<{ events: string; rounds: string; only: string; with: string }>()

/** Milliseconds between two probes, whether the one before was answered or not. */
const EVERY = { read: 10, write: 50 }
const data = await openData(Number(options.events))
const copy = copyData(data)
const token = await addToken(copy.file)
const folder = temporaryFolder()
const env = { DATABASE: copy.file, COST_LIMIT: 'off', RATE_LIMIT: 'off' }
const server = await startProgram(env, SERVER, ['sh', join(options.with, 'packaging/start.sh'), 'serve'])
const { hostname, port } = new URL(server.url)
const agent = new Agent({ keepAlive: true })
const json = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

async function send(
  method: string,
  path: string,
  body: object | string,
  headers: Record<string, string> = json,
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await ask(
    agent,
    { hostname, port },
    { method, path: ROOT + path, headers, body: text },
    600_000,
  )
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.bytes}`)
  return JSON.parse(answer.bytes.toString())
}

let number = 0
const FILE_EVENTS = 1_000
/** A file of events that are not there yet. */
function calendarFile(): string {
  const lines = Array.from({ length: FILE_EVENTS }, (_, at) => {
    const day = new Date(Date.UTC(2027, 0, 1 + (at % 600))).toISOString().slice(0, 10).replaceAll('-', '')
    const text = `Everybody is welcome to number ${at}. `.repeat(20)
    return `BEGIN:VEVENT\r\nUID:${++number}@beside\r\nDTSTART:${day}T190000Z\r\nDTEND:${day}T210000Z\r\nSUMMARY:Concert ${number}\r\nDESCRIPTION:${text}\r\nLOCATION:Hall ${at % 40}\r\nEND:VEVENT\r\n`
  })
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//bench//EN\r\n${lines.join('')}END:VCALENDAR\r\n`
}

const batch = () => ({
  atomic: true,
  operations: Array.from({ length: 100 }, () => ({
    ...{ method: 'POST', path: '/events' },
    body: {
      ...created(String(++number), data),
      description: `<p>${'Everybody is welcome. '.repeat(450)}</p>`,
    },
  })),
})

async function command(...args: string[]) {
  const child = start(CLIENT, [process.execPath, join(options.with, 'bin/almanac.js'), ...args], [], env)
  child.stdout!.resume()
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`almanac ${args.join(' ')} ended with ${code}`)
}

const PATTERN = {
  ...{ timezone: 'Europe/Madrid', start_date: '2024-10-08 19:30:00', end_date: '2024-10-08 21:00:00' },
  ...{ title: 'Choir', recurrence: { rrule: 'FREQ=DAILY;COUNT=1500' } },
}
let series = 0

/** What is done beside the probes: prepared before, and then done. */
const WORKS: Record<string, (round: number) => () => Promise<unknown>> = {
  nothing: () => () => new Promise((resolve) => setTimeout(resolve, 2_000)),
  'import of 1,000 events by a request': () => {
    const file = calendarFile()
    return () =>
      send('POST', '/imports', file, {
        authorization: json.authorization,
        'content-type': 'text/calendar',
        'content-disposition': 'attachment; filename="a.ics"',
      })
  },
  'series of 1,500 dates: create': () => async () => (series = (await send('POST', '/series', PATTERN)).id),
  'series of 1,500 dates: another title': (round) => () =>
    send('PATCH', `/series/${series}`, { title: `Choir ${round}` }),
  'series of 1,500 dates: to the trash': () => () => send('DELETE', `/series/${series}`, ''),
  'atomic batches of 100 with 10 kB, four clients': () => {
    const bodies = Array.from({ length: 20 }, () => JSON.stringify(batch()))
    const lane = async () => {
      for (let next = bodies.pop(); next; next = bodies.pop()) await send('POST', '/batch', next)
    }
    return () => Promise.all([lane(), lane(), lane(), lane()])
  },
  backup: (round) => () => command('backup', join(folder, `backup-${round}`)),
  check: () => () => command('check'),
  export: (round) => () => command('export', join(folder, `export-${round}`), '--no-media'),
}

/** Sends probes while something is done; gives how long each waited. */
async function probe(work: () => Promise<unknown>) {
  const waits = { read: [] as number[], write: [] as number[] }
  const sent: Promise<unknown>[] = []
  const read = async () =>
    void waits.read.push((await ask(agent, { hostname, port }, { path: '/healthz' }, 600_000)).milliseconds)
  const write = async () => {
    const body = JSON.stringify({ title: `Probe ${++number}` })
    const path = `${ROOT}/events/${data.venues + data.organizers + 1}`
    waits.write.push(
      (await ask(agent, { hostname, port }, { method: 'PATCH', path, headers: json, body }, 600_000))
        .milliseconds,
    )
  }
  const timers = [
    setInterval(() => sent.push(read()), EVERY.read),
    setInterval(() => sent.push(write()), EVERY.write),
  ]
  const began = performance.now()
  await work()
  timers.forEach(clearInterval)
  const took = performance.now() - began
  await Promise.all(sent)
  return {
    took,
    p99: percentile(waits.read, 0.99),
    most: Math.max(...waits.read),
    write: percentile(waits.write, 0.99),
  }
}

const names = Object.keys(WORKS).filter((name) => name === 'nothing' || name.includes(options.only))
const found = new Map(names.map((name) => [name, [] as Awaited<ReturnType<typeof probe>>[]]))
for (let round = 0; round <= Number(options.rounds); round++)
  for (const name of names) {
    const figures = await probe(WORKS[name]!(round))
    // round 0 warms up
    if (round > 0) found.get(name)!.push(figures)
  }
await server.stop()
copy.remove()
const rows = [...found].map(([name, rounds]) => {
  const of = (what: 'took' | 'p99' | 'most' | 'write') =>
    short(median(rounds.map((figures) => figures[what])))
  return [name, of('took'), of('p99'), of('most'), of('write')]
})
process.stdout.write(
  `${table(['beside', 'took ms', 'healthz p99 ms', 'at most', 'small write p99 ms'], rows)}\n`,
)
process.exit(0)
