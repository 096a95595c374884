import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { users } from '../../drizzle/tables.ts'
import { openStore } from '../../src/calendar/store.ts'
import { readConfig } from '../../src/config.ts'
import { FEATURES } from '../../src/features.ts'
import { openDb } from '../../src/kernel/database/db.ts'
import { writeMeasured } from './measured.ts'
import { freePort } from './ports.ts'

/** The password of the first user, as the service leaves it beside a new database. */
export const firstPassword = (file: string) =>
  /application password +(\S.*\S)/.exec(readFileSync(join(dirname(file), 'first-password'), 'utf8'))![1]!

/** The store on a database file without the service, and a token of an administrator; to be closed by its `db`. */
export function openFile(file: string) {
  const db = openDb(file)
  const { timezone: zone, currency, languages } = readConfig({})
  return openStore(db, { clock: Date.now, zone, currency, languages }, FEATURES)
}
export async function addToken(file: string): Promise<string> {
  const store = openFile(file)
  const [user] = await store.db.write(async (tx) =>
    tx
      .insert(users)
      .values({ login: `tester-${randomUUID()}`, role: 'administrator', created_utc: '' })
      .returning(),
  )
  const { token } = await store.tokens.add(user!.id, 'test', ['read', 'write', 'admin'], null)
  store.db.close()
  return token
}

export type Served = { child: ChildProcess; port: number; root: string } & ReturnType<typeof watch>

/** How a process runs. */
type Way = { args: string[]; vars: Record<string, string> }

const BARE = { NODE_OPTIONS: '', _TAPJS_PROCESSINFO_COVERAGE_: '0' }

let measured: Way | undefined
/** For tests of what only a process of its own reaches: what it covers adds up with what the test does. */
export function openMeasured(): Way {
  if (process.env._TAPJS_PROCESSINFO_COVERAGE_ === '0') return openBuilt()
  if (measured) return measured
  const folder = writeMeasured()
  measured = { args: [`--import=${folder}/measure.js`, `${folder}/src/main.js`], vars: BARE }
  return measured
}

let built: Way | undefined
/** As it is installed: one file that `npm run build` makes, of the sources as they are now. It starts in a third of their time. */
export function openBuilt(): Way {
  if (built) return built
  const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
  const name = `.tap/almanac-${process.pid}`
  const [file, program] = [at(`${name}.js`), at(`${name}.cjs`)]
  const env = { ...process.env, ...BARE }
  execFileSync('npm', ['run', '-s', 'build', '--', `--outfile=${program}`], { env })
  writeFileSync(file, readFileSync(at('bin/almanac.js'), 'utf8').replace('dist/almanac.cjs', `${name}.cjs`))
  process.on('exit', () => {
    rmSync(file)
    rmSync(program)
  })
  built = { args: [file], vars: BARE }
  return built
}

/** What a process prints: `said` waits for words in it, or for its end. */
export function watch(child: ChildProcess) {
  let output = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk) => {
      output += chunk
      for (const look of listeners) look()
    })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const said = (pattern: RegExp) =>
    new Promise<void>((resolve) => {
      const look = () => pattern.test(output) && resolve()
      listeners.add(look)
      ended.then(() => resolve())
      look()
    })
  return { ended, said, output: () => output }
}

/** Kills a process that outlives the test, and waits until it and what it started have left the folder of the test. */
export const killAfter = (
  t: Pick<Test, 'teardown'>,
  { child, ended }: { child: ChildProcess; ended: Promise<unknown> },
) =>
  t.teardown(() => {
    child.kill('SIGKILL')
    return ended
  })

/** Starts the program, to be killed where it outlives the test. */
export function startProgram(
  t: Pick<Test, 'teardown'>,
  { args, vars }: Way,
  words: string[],
  env: Record<string, string>,
) {
  const child = spawn(process.execPath, [...args, ...words], {
    env: { ...process.env, MAX_DELAY: '0', ...vars, ...env }, // what else the machine does is no fault
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const started = { child, ...watch(child) }
  killAfter(t, started)
  return started
}

function spawnFile(
  t: Pick<Test, 'teardown'>,
  way: Way,
  file: string,
  env: Record<string, string>,
  port: number,
): Served {
  const served = startProgram(t, way, ['serve'], { DATABASE: file, PORT: String(port), ...env })
  return { ...served, port, root: `http://127.0.0.1:${port}/calendar/events/v1` }
}

async function listening(served: Served): Promise<Served> {
  await served.said(/answers at/)
  if (served.output().includes('answers at')) return served
  throw new Error(`The service ended with ${await served.ended}: ${served.output()}`)
}

/** Starts the service as a process of its own, as it is installed, and waits until it listens. */
export const serveFile = async (file: string, env: Record<string, string> = {}): Promise<Served> =>
  listening(spawnFile({ teardown() {} }, openBuilt(), file, { LOG_LEVEL: 'error', ...env }, await freePort()))

/** Starts the service for a test of how it is started and ended, and waits until it listens; `startMeasured` does not wait. */
export const serveMeasured = async (t: Test, file: string, env: Record<string, string>) =>
  listening(await startMeasured(t, file, env))
export const startMeasured = async (t: Test, file: string, env: Record<string, string>): Promise<Served> =>
  spawnFile(t, openMeasured(), file, { LOG_LEVEL: 'info', ...env }, await freePort())

/** A clock that several processes read: Unix milliseconds in a new file; `clock-preload.js` reads it in the others. */
export function openClock(file: string) {
  const opened = openSync(file, 'w+')
  const number = new Float64Array(1)
  const bytes = new Uint8Array(number.buffer)
  return {
    get now() {
      return number[0]!
    },
    set now(milliseconds: number) {
      number[0] = milliseconds
      writeSync(opened, bytes, 0, bytes.length, 0)
    },
  }
}
