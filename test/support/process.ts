import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'

import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { users } from '../../drizzle/tables.ts'
import { readConfig } from '../../src/config.ts'
import { openDb } from '../../src/store/db.ts'
import { openStore } from '../../src/store/store.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

/** The store on a database file without the service, and a token of an administrator; to be closed by its `db`. */
export function openFile(file: string) {
  const db = openDb(file)
  const { timezone: zone, currency, languages } = readConfig({})
  return openStore(db, { clock: Date.now, zone, currency, languages })
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

export type Served = { child: ChildProcess; root: string; ended: Promise<unknown>; output(): string }

/** Starts the service as a process of its own, and waits until it listens. */
export async function serveFile(file: string, env: Record<string, string> = {}): Promise<Served> {
  const port = await freePort()
  const { NODE_OPTIONS: _, ...inherited } = process.env
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, 'serve'], {
    env: { ...inherited, DATABASE: file, PORT: String(port), LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise((resolve) => child.on('exit', resolve))
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => (output += chunk))
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (output.includes('answers at')) resolve()
    })
    child.on('exit', (code) => reject(new Error(`The service ended with ${code}: ${output}`)))
  })
  return { child, root: `http://127.0.0.1:${port}/calendar/events/v1`, ended, output: () => output }
}
