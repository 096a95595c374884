import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { withBar } from '../src/kernel/cli.ts'
import type { Sending, Sent } from './client.ts'
import { temporaryFolder } from './data.ts'
import { inTurn, median, short, table } from './figures.ts'
import { type Figures, load, type Request, warm } from './load.ts'
import { CLIENT, HERE, plain, type Server, startProgram, startScript, TICK } from './process.ts'
import { saveJson } from './results.ts'
import { dates } from './scenarios/reads.ts'
import { CONNECTIONS, ROOT } from './scenarios/world.ts'
import { even, openRandom, type Random } from './seed/random.ts'
import { NOW } from './seed/records.ts'
import { textOf, vocabularyOf } from './seed/vocabulary.ts'

// Two checkouts measured in turns: each fills a database of its own over its own API with the same requests, so that their formats
// may differ; then each scenario runs on the one and on the other, round by round.

const options = new Command('bench:compare')
  .description(
    'Measures this checkout and another one, built with its packages, in turns; needs wrk, taskset and two cores.',
  )
  .requiredOption('--with <folder>', 'the other checkout, for instance a git worktree of an older commit')
  .option('--events <number>', 'events that each is filled with', '1000')
  .option(
    '--rounds <number>',
    'how often each is measured; the median counts, with its interval from 6 rounds on',
    '5',
  )
  .option('--seconds <number>', 'of reading a round', '2')
  .option('--only <words>', 'scenarios whose name has these words', '')
  .option('--json <file>', 'write the figures there as well')
  .parse()
  .opts<{ with: string; events: string; rounds: string; seconds: string; only: string; json?: string }>()

const events = Number(options.events)
const rounds = Number(options.rounds)
const seconds = Number(options.seconds)
const VENUES = 20
const ORGANIZERS = 10
const CATEGORIES = 10
const TAGS = 30
/** A credential may write 6,000 times a minute. */
const TOKENS = 20
/** Writes of a round: the system counts CPU in hundredths of a second. */
const WRITES = { 1: 500, [CONNECTIONS]: 1_500 } as const

type Checkout = { server: Server; tokens: string[]; ids: number[]; venues: number[]; words: string[] }

const folder = temporaryFolder()
const client = await startScript('client.ts', {}, CLIENT)

/** Starts a checkout on an empty database, with a user's tokens. */
async function open(checkout: string, name: string): Promise<Checkout> {
  const env = {
    DATABASE: join(folder, `${name}.db`),
    MEDIA_DIR: join(folder, name),
    COST_LIMIT: 'off',
    MAX_DELAY: '0',
  }
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(checkout, 'bin/almanac.js'), ...args], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    })
  run('user', 'add', 'bench', '--role', 'administrator')
  const tokens = Array.from({ length: TOKENS }, (_, at) => {
    const told = run('token', 'create', 'bench', '--name', `bench ${at}`, '--scope', 'read', 'write')
    return /alm_\S+/.exec(told)![0]
  })
  return { server: await startProgram(env, '0', plain(checkout)), tokens, ids: [], venues: [], words: [] }
}

let sequence = 0
const write = ({ tokens }: Checkout, method: string, path: string, body?: object): Request => ({
  ...{ method, path: ROOT + path },
  headers: {
    authorization: `Bearer ${tokens[sequence++ % TOKENS]}`,
    ...(body && { 'content-type': 'application/json' }),
  },
  ...(body && { body: JSON.stringify(body) }),
})

/** Sends writes, each once; gives what it cost, and the IDs of the answers. */
async function send({ server }: Checkout, requests: Request[], connections: number) {
  const before = server.cpu()
  const sending: Sending = { url: server.url, requests, connections }
  const sent = await client.ask<Sent>(sending)
  if (sent.failures > 0) throw new Error(`${sent.failures} of ${requests.length} writes failed`)
  return { ...sent, cpu: Math.max(server.cpu() - before, TICK) / requests.length }
}

const wall = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

/** An event of a filled database: six years around now, in one of the venues. */
function eventOf({ venues, words }: Checkout, random: Random, at: number) {
  const start = NOW + (even(random, 2_190) - 730) * 86_400_000 + even(random, 24) * 3_600_000
  return {
    title: `${textOf(random, words, 4)} ${at}`,
    description: `<p>${textOf(random, words, 40)}</p>\n<p>${textOf(random, words, 40)}</p>`,
    ...{ start_date: wall(start), end_date: wall(start + (1 + even(random, 5)) * 3_600_000) },
    ...{ timezone: 'Europe/Madrid', cost: String(even(random, 40)) },
    venue: venues[even(random, VENUES)],
    organizer: venues[VENUES + even(random, ORGANIZERS)],
    categories: [venues[VENUES + ORGANIZERS + even(random, CATEGORIES)]],
    tags: [venues[VENUES + ORGANIZERS + CATEGORIES + even(random, TAGS)]],
  }
}

async function fill(one: Checkout, progress: (done: number, all: number) => void) {
  const random = openRandom(events)
  one.words = vocabularyOf(random)
  const make = async (path: string, count: number, body: (at: number) => object) => {
    const made = await send(
      one,
      Array.from({ length: count }, (_, at) => write(one, 'POST', path, body(at + 1))),
      1,
    )
    one.venues.push(...made.ids)
  }
  const place = { address: 'Carrer Major 1', city: 'Girona', country: 'Spain' }
  await make('/venues', VENUES, (at) => ({ venue: `Hall ${at}`, ...place }))
  await make('/organizers', ORGANIZERS, (at) => ({ organizer: `Club ${at}`, email: `club${at}@example.org` }))
  await make('/categories', CATEGORIES, (at) => ({ name: `Category ${at}` }))
  await make('/tags', TAGS, (at) => ({ name: `Tag ${at}` }))
  for (let at = 0; at < events; at += 500) {
    const count = Math.min(500, events - at)
    const requests = Array.from({ length: count }, (_, next) =>
      write(one, 'POST', '/events', eventOf(one, random, at + next)),
    )
    one.ids.push(...(await send(one, requests, CONNECTIONS)).ids)
    progress(at + count, events)
  }
}

type Scenario = { name: string; measure(one: Checkout, round: number): Promise<Pick<Figures, 'cpu' | 'p50'>> }

/** A read that is asked for over many connections; with `@@@@@@@@` every address is new. */
const reading = (
  name: string,
  paths: (one: Checkout, random: Random) => string,
  count = 5_000,
): Scenario => ({
  name,
  async measure(one, round) {
    const random = openRandom(round * 7_919 + name.length)
    const requests = Array.from({ length: count }, () => ({ path: ROOT + paths(one, random) }))
    const shape = { connections: CONNECTIONS, seconds }
    if (round === 0) await warm(one.server, requests, { ...shape, seconds: 1 })
    const figures = await load(one.server, requests, shape)
    if (figures.failures > 0) throw new Error(`${figures.failures} reads failed: ${name}`)
    return figures
  },
})

/** Writes of a kind, of the latest events where they are not made anew. */
const writing = (
  name: string,
  connections: keyof typeof WRITES,
  requestOf: (one: Checkout, random: Random, at: number) => Request,
): Scenario => ({
  name: connections === 1 ? name : `${name}, ${connections} at once`,
  async measure(one, round) {
    const random = openRandom(round * 104_729 + name.length)
    const requests = Array.from({ length: WRITES[connections] }, (_, at) => requestOf(one, random, at))
    const sent = await send(one, requests, connections)
    if (name === 'create') one.ids.push(...sent.ids)
    return sent
  },
})

const X = 'x=@@@@@@@@'
const one = (checkout: Checkout, random: Random) => checkout.ids[even(random, events)]!
const latest = ({ ids }: Checkout, at: number) => ids[ids.length - 1 - at]!
const writes = ([1, CONNECTIONS] as const).flatMap((connections) => [
  writing('create', connections, (checkout, random, at) =>
    write(checkout, 'POST', '/events', eventOf(checkout, random, at)),
  ),
  writing('update of a text', connections, (checkout, random, at) =>
    write(checkout, 'PUT', `/events/${latest(checkout, at)}`, {
      description: `<p>${textOf(random, checkout.words, 60)}</p>`,
    }),
  ),
  writing('update of a date', connections, (checkout, random, at) => {
    const { start_date, end_date } = eventOf(checkout, random, at)
    return write(checkout, 'PUT', `/events/${latest(checkout, at)}`, { start_date, end_date })
  }),
  writing('delete', connections, (checkout) =>
    write(checkout, 'DELETE', `/events/${checkout.ids.pop()}?force=true`),
  ),
])
const scenarios = [
  reading('list, repeated', () => '/events', 1),
  reading('list, first page', () => `/events?${X}`, 1),
  reading('list, other dates', (_, random) => `/events?${dates(random)}&${X}`),
  reading(
    'list by venue',
    ({ venues }, random) => `/events?venue=${venues[even(random, VENUES)]}&${dates(random)}&${X}`,
  ),
  reading('event, repeated', ({ ids }) => `/events/${ids[0]}`, 1),
  reading('event by ID', (checkout, random) => `/events/${one(checkout, random)}?${X}`),
  reading(
    'search',
    ({ words }, random) => `/events?search=${encodeURIComponent(words[even(random, words.length)]!)}&${X}`,
  ),
  ...writes,
].filter(({ name }) => name.includes(options.only))

for (const checkout of [HERE, options.with])
  execFileSync('npm', ['run', '-s', 'build'], { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] })
const both = [await open(HERE, 'this'), await open(resolve(options.with), 'other')] as const
await withBar({ terminal: process.stderr.isTTY }, 'Filling', async (progress) => {
  for (const [at, checkout] of both.entries())
    await fill(checkout, (done, all) => progress(at * all + done, 2 * all))
})

/**
 * Between which two of the ratios of all rounds, in their order, their true median lies with 95 %: as many are left out at each end as a
 * fair coin shows heads that often in so many throws (https://en.wikipedia.org/wiki/Sign_test).
 */
function intervalOf(ratios: number[]): [number, number] {
  const sorted = ratios.toSorted((a, b) => a - b)
  const n = sorted.length
  let left = 0
  // the chance that exactly `left` rounds are below, and that at most as many are
  let chance = 0.5 ** n
  for (let most = chance; most <= 0.025; most += chance) {
    left++
    chance *= (n - left + 1) / left
  }
  const out = Math.max(left - 1, 0)
  return [sorted[out]!, sorted[n - 1 - out]!]
}

const found: {
  scenario: string
  cpu: [number, number]
  p50: [number, number]
  ratio: number
  interval: [number, number]
}[] = []
const [head, line] = table(
  ['scenario', 'this, CPU µs', 'p50 ms', 'other, CPU µs', 'p50 ms', 'this / other', 'interval of 95 %'],
  [],
).split('\n')
process.stdout.write(`${head}\n${line}\n`)
for (const { name, measure } of scenarios) {
  // round 0 warms up
  const ways = both.map((one) => (round: number) => measure(one, round))
  const figures = (await inTurn(rounds + 1, ...ways)).map((all) => all.slice(1))
  const of = (at: number, what: 'cpu' | 'p50') => median(figures[at]!.map((figure) => figure[what]))
  const cpu: [number, number] = [of(0, 'cpu'), of(1, 'cpu')]
  const p50: [number, number] = [of(0, 'p50'), of(1, 'p50')]
  const ratios = figures[0]!.map((figure, at) => figure.cpu / figures[1]![at]!.cpu)
  const ratio = median(ratios)
  const interval = intervalOf(ratios)
  found.push({ scenario: name, cpu, p50, ratio, interval })
  const cells = [name, short(cpu[0]), short(p50[0]), short(cpu[1]), short(p50[1]), ratio.toFixed(2)]
  cells.push(interval.map((end) => end.toFixed(2)).join(' – '))
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}
for (const { server } of both) await server.stop()
await client.stop()
if (options.json) saveJson(options.json, found)
