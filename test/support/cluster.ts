import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '../../src/store/postgres/session.ts'
import { freePort } from './process.ts'

const DEBIAN = '/usr/lib/postgresql'

/** The folder of PostgreSQL's programs, as Debian installs them; undefined if they are not there. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : []
  const folders = versions.sort((a, b) => b - a).map((version) => join(DEBIAN, String(version), 'bin'))
  return folders.find((folder) => existsSync(join(folder, 'initdb')))
}

/** PostgreSQL refuses to run as root: then it runs as the user that Debian makes for it. */
function userOf(): { uid: number; gid: number } | undefined {
  if (process.getuid!() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']))
  return { uid: id('-u'), gid: id('-g') }
}

/** Nothing of a test has to survive a power failure. */
const QUICK = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' }

/** Starts a PostgreSQL server of its own in a new folder, on a free port; `url` names a database of it. */
export async function startCluster(settings: Record<string, string> = {}) {
  const programs = postgresPrograms()
  if (!programs) throw new Error(`PostgreSQL is not installed in ${DEBIAN}`)
  const user = userOf()
  const folder = mkdtempSync(join(tmpdir(), 'almanac-postgres-'))
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const options = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--no-locale', '--no-sync']
  execFileSync(join(programs, 'initdb'), ['-D', data, ...options], { ...user, cwd: folder })
  const port = await freePort()
  const own = { port, listen_addresses: '127.0.0.1', unix_socket_directories: folder }
  const given = Object.entries({ ...QUICK, ...own, ...settings })
  const child = spawn(
    join(programs, 'postgres'),
    ['-D', data, ...given.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...user, cwd: folder, stdio: 'ignore' },
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const kill = () => child.kill('SIGQUIT')
  process.once('exit', kill)
  const url = (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`
  const run = async (statements: string) => {
    const session = await connect(url())
    try {
      return await session.ask<Record<string, unknown>>(statements, 60_000)
    } finally {
      session.cut()
    }
  }
  while (child.exitCode === null && !(await run('select 1').catch(() => undefined))) await pause(50)
  if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}`)
  return {
    url,
    /** Runs statements in the database `postgres`, and returns the rows of the last. */
    run,
    async stop() {
      process.off('exit', kill)
      child.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
export type Cluster = Awaited<ReturnType<typeof startCluster>>
