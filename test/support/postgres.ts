import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Test } from 'tap'
import { connect } from '../../src/features/nodes/session.ts'
import { freePort } from './ports.ts'
import { until } from './until.ts'

const INSTALLED = '/usr/lib/postgresql'

/** The folder of Debian's newest PostgreSQL. Throws one line that says what is missing. */
function findPrograms(): string {
  const folders = existsSync(INSTALLED) ? readdirSync(INSTALLED) : []
  const found = folders
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(INSTALLED, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_basebackup')))
  if (!found) throw new Error('PostgreSQL is missing: apt-get install postgresql')
  return found
}

/** PostgreSQL refuses to run as root: then it runs as the user that Debian's package made. */
function readUser() {
  if (process.getuid!() !== 0) return {}
  const line = readFileSync('/etc/passwd', 'utf8').match(/^postgres:[^:]*:(\d+):(\d+):/m)
  if (!line) throw new Error('the user postgres is missing: apt-get install postgresql')
  return { uid: Number(line[1]), gid: Number(line[2]) }
}

/** Makes a folder PostgreSQL's own. */
export function giveTo(folder: string) {
  const { uid, gid } = readUser()
  if (uid !== undefined) chownSync(folder, uid, gid!)
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-postgres-'))
  giveTo(folder)
  return folder
}

/** The processes that a process started. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)
}
function parentOf(pid: number): number | undefined {
  try {
    return Number(/^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1])
  } catch {
    return undefined // it has ended meanwhile
  }
}

/** A server of Debian's PostgreSQL in a temporary folder, with processes of its own. */
export type Server = Awaited<ReturnType<typeof startPostgres>>

type Context = Pick<Test, 'teardown'>

/** Makes a cluster of its own and starts it; it is gone with the test. */
export async function startPostgres(t: Context) {
  const data = join(makeFolder(), 'data')
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  execFileSync(join(findPrograms(), 'initdb'), ['-D', data, ...options], { ...readUser(), cwd: '/' })
  return serve(t, data)
}

/** Takes a standby of a server and starts it. */
async function startStandby(t: Context, primary: number) {
  const data = join(makeFolder(), 'data')
  execFileSync(
    join(findPrograms(), 'pg_basebackup'),
    [
      ...['-D', data, '-d', `host=127.0.0.1 port=${primary} user=postgres application_name=standby`],
      ...['--write-recovery-conf', '--checkpoint=fast', '--no-sync'],
    ],
    { ...readUser(), cwd: '/', stdio: 'pipe' },
  )
  return serve(t, data)
}

async function serve(t: Context, data: string) {
  const port = await freePort()
  const folder = join(data, '..')
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let child: ChildProcess
  let output = ''
  let log = ''
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const signal = (name: NodeJS.Signals) => {
    // the first one starts others as long as it runs, and ends by itself if one of them is killed
    const all = [child.pid!, ...childrenOf(child.pid!)]
    for (const pid of all)
      try {
        process.kill(pid, name)
      } catch {} // it has ended meanwhile
  }
  const ended = () => until(hasEnded, () => output)
  /** The rows of a statement, on a connection of its own. */
  const ask = async <T = Record<string, unknown>>(statement: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(statement)).rows as T[]
    } finally {
      await client.end()
    }
  }
  const answered = (statement: string, isTrue: (row: Record<string, unknown>) => boolean) =>
    until(
      async () => {
        if (hasEnded()) throw new Error(`PostgreSQL ended: ${output}`)
        const [row] = await ask(statement).catch(() => [])
        return row && isTrue(row)
      },
      () => `${statement}: ${output}`,
    )
  const start = async () => {
    // fsync is for what a machine loses that loses its power; processes that end lose nothing by it
    const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`]
    child = spawn(
      join(findPrograms(), 'postgres'),
      ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      { ...readUser(), cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] },
    )
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-10_000)
        log += chunk
      })
    await answered('select 1 as one', () => true)
  }
  const stop = async (how: 'SIGINT' | 'SIGKILL') => {
    if (how === 'SIGKILL') signal('SIGKILL')
    else child.kill(how)
    await ended()
  }
  const atExit = () => signal('SIGKILL')
  process.on('exit', atExit)
  t.teardown(async () => {
    process.off('exit', atExit)
    if (!hasEnded()) await stop('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  return {
    ...{ url, port, ask, start, until: answered },
    /** What it logged since it was first started. */
    log: () => log,
    /** Ends it: all its processes at once by SIGKILL, or as an operator does who does not wait for clients. */
    stop,
    restart: async () => {
      await stop('SIGINT')
      await start()
    },
    /** Lets all its processes stand still, and go on. */
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    /** Cuts all connections of nodes. */
    terminate: () =>
      ask(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'almanac'`),
    standby: () => startStandby(t, port),
    /** Makes a standby the primary. */
    promote: async () => {
      await ask('select pg_promote(true, 30)')
      await answered('select pg_is_in_recovery() as standby', ({ standby }) => standby === false)
    },
  }
}

/** Runs statements in PostgreSQL on a connection of their own, after what others have under way; returns the rows of the last. */
export const asking =
  (url: string) =>
  async <T>(statements: string): Promise<T[]> => {
    const session = await connect(url)
    try {
      return await session.ask<T>(statements)
    } finally {
      session.cut()
    }
  }
