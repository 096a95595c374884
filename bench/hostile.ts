import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { addToken } from '../test/support/process.ts'
import { copyData, openData, temporaryFolder } from './data.ts'
import { short, table, whole } from './figures.ts'
import { type Attack, HOSTILE_ADDRESS, type Statuses } from './hostile/attack.ts'
import { ATTACKS } from './hostile/attacks.ts'
import { openNormal, type Waits } from './hostile/normal.ts'
import { CLIENT, type Server, start, startProgram } from './process.ts'
import { ROOT } from './scenarios/world.ts'

// A normal client alone and beside hostile ones: npm run bench:hostile -- [--seconds 10] [--events 100000] [--only word]
const { values } = parseArgs({
  options: { seconds: { type: 'string' }, events: { type: 'string' }, only: { type: 'string' } },
})
const seconds = Number(values.seconds ?? 10)
const ATTACKER = fileURLToPath(new URL('hostile/attacker.ts', import.meta.url))
/** Milliseconds that a process gets to end by itself. */
const GRACE = 3_000
const MEGABYTE = 2 ** 20

const data = await openData(Number(values.events ?? 100_000))
const { file } = copyData(data)
const token = await addToken(file)
const env = {
  DATABASE: file,
  MEDIA_DIR: temporaryFolder(),
  STOP_TIMEOUT: '1',
  TRUST_PROXY: HOSTILE_ADDRESS,
  SUBMISSIONS: 'on',
}

/** Bytes that it holds; of one that has ended, none. */
function memoryOf(server: Server): number {
  try {
    return server.memory()
  } catch {
    return 0
  }
}

/** The most memory that a server holds until it is asked for. */
function watchMemory(server: Server) {
  let most = 0
  const look = () => {
    most = Math.max(most, memoryOf(server))
  }
  const timer = setInterval(look, 200)
  return () => {
    clearInterval(timer)
    return most
  }
}

/** Starts a hostile client; `stop` gives what it was answered, as far as it can tell. */
function attack(server: Server, { name }: Attack) {
  const program = [process.execPath, '--import', 'tsx', ATTACKER]
  const args = ['nice', '-n', '10', ...program, name, server.url + ROOT, token]
  const child = start(CLIENT, args, ['ipc'])
  const begun = once(child, 'message')
  const tally = begun.then(() => once(child, 'message')).then(([told]) => told as Statuses)
  const ended = once(child, 'exit')
  return {
    begun,
    async stop(): Promise<Statuses | undefined> {
      child.kill('SIGTERM')
      const told = await Promise.race([tally, pause(GRACE).then(() => undefined)])
      child.kill('SIGKILL')
      await ended
      return told
    },
  }
}

/** A server of its own for each, so that nothing of one hostile client is left for the next. */
async function measure(one: Attack): Promise<string[]> {
  const server = await startProgram(env)
  const normal = openNormal(server, data, token, one.shared)
  await normal.measure(seconds / 2) // V8 compiles what is hot
  const before = memoryOf(server)
  const alone = await normal.measure(seconds)
  const most = watchMemory(server)
  const hostile = attack(server, one)
  await hostile.begun
  await pause(1_000)
  const beside = await normal.measure(seconds)
  const told = await hostile.stop()
  const memory = most()
  const ended = memoryOf(server) === 0
  await Promise.race([server.stop(), pause(GRACE)])
  await server.kill()
  return rowOf(one, { alone, beside, before, memory, ended, told })
}

const PARTS = ['p50', 'p95', 'p99', 'most'] as const
type Found = {
  alone: Waits
  beside: Waits
  before: number
  memory: number
  ended: boolean
  told: Statuses | undefined
}
function rowOf({ name }: Attack, { alone, beside, before, memory, ended, told }: Found): string[] {
  const answers = Object.entries(told ?? {}).map(([status, many]) => `${whole(many)} x ${status}`)
  return [
    name,
    ...PARTS.flatMap((part) => [alone[part], beside[part]].map(short)),
    `${beside.failures} of ${beside.requests}`,
    ...[before, memory].map((bytes) => whole(bytes / MEGABYTE)),
    `${answers.join(', ') || 'none'}${ended ? '; the service ended' : ''}`,
  ]
}

const HEAD = [
  'hostile client',
  ...['p50', 'p95', 'p99', 'longest'].flatMap((part) => [`${part} alone`, 'beside']),
  ...['failed', 'MB before', 'MB at most', 'what the hostile client was answered'],
]
const rows: string[][] = []
for (const one of ATTACKS.filter(({ name }) => name.includes(values.only ?? ''))) {
  rows.push(await measure(one))
  process.stderr.write(`${rows.at(-1)!.join('  ')}\n`)
}
process.stdout.write(
  `Milliseconds of a normal client, 40 requests a second, on ${whole(data.events)} events.\n\n${table(HEAD, rows)}\n`,
)
process.exit(0) // whatever is still under way
