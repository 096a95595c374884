import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { addToken } from '../test/support/process.ts'
import { temporaryFolder } from './data.ts'
import { median, short, table } from './figures.ts'
import { type Server, startScript } from './process.ts'
import { ROOT } from './scenarios/world.ts'

// What writes of long series cost, and for how long they hold others; lists of many series beside single events:
// npm run bench:series -- [--rounds 3] [--series 1000]
const { values } = parseArgs({ options: { rounds: { type: 'string' }, series: { type: 'string' } } })
const rounds = Number(values.rounds ?? 3)
const many = Number(values.series ?? 1_000)
/** Dates of each of the many series: as many single events are fewer than a credential may write in a minute. */
const DATES = 5

const folder = temporaryFolder()

async function open(name: string): Promise<Server> {
  const file = join(folder, `${name}.db`)
  await addToken(file)
  return startScript('server.ts', { DATABASE: file, WRITER: 'on', COST_LIMIT: 'off', RATE_LIMIT: 'off' })
}

async function send({ url, tokens }: Server, method: string, path: string, body?: object) {
  const response = await fetch(url + ROOT + path, {
    method,
    headers: { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
  return JSON.parse(text)
}

/** How long a write takes, and the longest that another client waits for a read meanwhile and after it, until the lists have it. */
async function beside<T>(server: Server, write: () => Promise<T>) {
  let isOver = false
  let longest = 0
  const reading = (async () => {
    for (let after = 0; after < 3; after += Number(isOver)) {
      const began = performance.now()
      await (await fetch(`${server.url}${ROOT}/events?per_page=5&page=1&search=${Math.random()}`)).text()
      longest = Math.max(longest, performance.now() - began)
    }
  })()
  const began = performance.now()
  const answer = await write()
  const took = performance.now() - began
  isOver = true
  await reading
  return { answer, took, longest }
}

const PATTERN = {
  description: '<p>Everybody is welcome, with or without a voice.</p>',
  timezone: 'Europe/Madrid',
  start_date: '2024-10-08 19:30:00',
  end_date: '2024-10-08 21:00:00',
}
const LONG = { 'weekly, two years': 'FREQ=WEEKLY;COUNT=104', 'daily, 1,500': 'FREQ=DAILY;COUNT=1500' }

async function writes() {
  const server = await open('writes')
  const rows: string[][] = []
  for (const [name, rrule] of Object.entries(LONG)) {
    const doings: Record<string, { took: number; longest: number }[]> = {}
    for (let round = 0; round < rounds; round++) {
      const note = async <T>(what: string, write: () => Promise<T>) => {
        const { answer, ...figures } = await beside(server, write)
        doings[what] = [...(doings[what] ?? []), figures]
        return answer
      }
      const body = { ...PATTERN, title: `Choir ${round}`, recurrence: { rrule } }
      const { id } = await note('create', () => send(server, 'POST', '/series', body))
      await note('all: a title', () => send(server, 'PATCH', `/series/${id}`, { title: `Chorus ${round}` }))
      await note('all: nothing', () => send(server, 'PATCH', `/series/${id}`, { title: `Chorus ${round}` }))
      await note('all: another time', () =>
        send(server, 'PATCH', `/series/${id}`, {
          start_date: '2024-10-08 20:00:00',
          end_date: '2024-10-08 21:30:00',
        }),
      )
      await note('to the trash', () => send(server, 'DELETE', `/series/${id}`))
      await note('for good', () => send(server, 'DELETE', `/series/${id}?force=true`))
    }
    for (const [what, figures] of Object.entries(doings))
      rows.push([
        `${name}: ${what}`,
        short(median(figures.map(({ took }) => took))),
        short(Math.max(...figures.map(({ longest }) => longest))),
      ])
  }
  await server.stop()
  console.log(table(['write', 'ms', 'longest wait of a read, ms'], rows))
}

const LISTS = [
  '/events?per_page=50',
  '/events?per_page=50&search=choir',
  '/events?when=past',
  '/events?per_page=50&page=20',
]

async function lists() {
  const [repeated, single] = [await open('series'), await open('single')]
  const day = (at: number) => new Date(Date.UTC(2027, 0, 1 + at)).toISOString().slice(0, 10)
  for (let at = 0; at < many; at++) {
    const of = (days: number) => ({
      ...{ ...PATTERN, title: `Choir ${at}` },
      ...{ start_date: `${day(days)} 19:30:00`, end_date: `${day(days)} 21:00:00` },
    })
    await send(repeated, 'POST', '/series', {
      ...of(at % 300),
      recurrence: { rrule: `FREQ=WEEKLY;COUNT=${DATES}` },
    })
    await Promise.all(
      Array.from({ length: DATES }, (_, date) => send(single, 'POST', '/events', of((at % 300) + 7 * date))),
    )
  }
  const rows: string[][] = []
  for (const path of LISTS) {
    const took = [repeated, single].map(() => [] as number[])
    for (let round = 0; round < 30 * rounds; round++)
      for (const [at, server] of [repeated, single].entries()) {
        const began = performance.now()
        await send(server, 'GET', path)
        took[at]!.push(performance.now() - began)
      }
    rows.push([path, ...took.map((times) => short(median(times)))])
  }
  await Promise.all([repeated.stop(), single.stop()])
  console.log(`\n${table([`${many * DATES} events`, `of ${many} series, ms`, 'single, ms'], rows)}`)
}

await writes()
if (many > 0) await lists()
process.exit(0)
