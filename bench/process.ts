import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { freePort } from '../test/support/ports.ts'
import type { Ready } from './child.ts'

/** A process under load. */
export type Server = {
  url: string
  /** Of one who may write. */
  tokens: string[]
  /** Microseconds of CPU used so far, in user and system mode, by it and its children. */
  cpu(): number
  /** Bytes of memory that it and its children hold. */
  memory(): number
  /** Asks it for something by message, and gives what it answers. */
  ask<T>(message: unknown): Promise<T>
  stop(): Promise<void>
  /** Ends it at once. */
  kill(): Promise<void>
}

/** Cores, as taskset names them: servers have the first for themselves, and clients the second. */
export const SERVER = '0'
export const CLIENT = '1'
export const BOTH = '0,1'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const MEDIA = join(tmpdir(), 'almanac-bench-media')
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
// a signal ends a process without telling what waits for its end
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

/** Starts a command on these cores, to be killed when the benchmark ends. */
export function start(cores: string, args: string[], stdio: ('ipc' | 'pipe' | 'ignore')[], env = {}) {
  const child = spawn('taskset', ['-c', cores, ...args], {
    env: { ...process.env, LOG_LEVEL: 'silent', MEDIA_DIR: MEDIA, ...env },
    stdio: ['ignore', 'pipe', 'inherit', ...stdio],
  })
  running.add(child)
  child.on('exit', () => running.delete(child))
  return child
}

/** Builds a script as `npm run build` builds the program, and gives the file. */
export function built(script: string): string {
  const outfile = here(`../dist/bench-${script.replace(/ts$/, 'js')}`)
  const options = { platform: 'node', format: 'esm', target: 'node20', packages: 'external' } as const
  buildSync({ entryPoints: [here(script)], bundle: true, outfile, logLevel: 'warning', ...options })
  return outfile
}

/** What packaging/start.sh gives Node.js: variables of the environment, and options. */
export function settingsOfStart() {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-bench-'))
  const node = join(folder, 'node')
  writeFileSync(node, '#!/bin/sh\nenv | grep ^MALLOC_\necho "$@"\n', { mode: 0o755 })
  const PATH = [folder, process.env.PATH].join(delimiter)
  const printed = execFileSync('sh', [here('../packaging/start.sh')], { env: { ...process.env, PATH } })
  rmSync(folder, { recursive: true })
  const lines = printed.toString().trim().split('\n')
  const options = lines.pop()!.split(' ').slice(0, -1)
  return { env: Object.fromEntries(lines.map((line) => line.split('='))), options }
}

/** Starts `bench/<script>` and waits until it is ready. */
export async function startScript(
  script: string,
  env: Record<string, string> = {},
  cores = SERVER,
): Promise<Server> {
  // the service as it runs in production; what it is compared with has no settings of memory
  const isService = script === 'server.ts'
  const settings = settingsOfStart()
  const isBuilt = isService || script === 'hand-written.ts'
  const program = isBuilt ? [built(script)] : ['--import', 'tsx', here(script)]
  if (isService) program.unshift(...settings.options)
  const child = start(cores, [process.execPath, ...program], ['ipc'], {
    ...(isService && settings.env),
    ...env,
  })
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Ready))
    child.once('exit', () => reject(new Error(`${script} ended before it was ready`)))
  })
  return serverOf(child, ready)
}

/** The folder of this checkout. */
export const HERE = here('..')

/** Starts the program as people do, by packaging/start.sh, which leaves its place to Node.js. */
export const STARTED = ['sh', join(HERE, 'packaging/start.sh'), 'serve']
/** Starts the program of a checkout without any settings, as `almanac serve`. */
export const plain = (checkout = HERE) => [process.execPath, join(checkout, 'bin/almanac.js'), 'serve']

/** Starts the program, and waits until it listens. */
export async function startProgram(
  env: Record<string, string>,
  cores = SERVER,
  args = STARTED,
): Promise<Server> {
  const port = await freePort()
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  const child = start(cores, args, [], { PORT: String(port), PATH, ...env })
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (chunk) => String(chunk).includes('answers at') && resolve())
    child.once('exit', () => reject(new Error('almanac ended before it listened')))
  })
  return serverOf(child, { port })
}

function serverOf(child: ChildProcess, { port, tokens = [] }: Ready): Server {
  const sum = (of: (pid: number) => number) => familyOf(child.pid!).reduce((all, pid) => all + of(pid), 0)
  return {
    url: `http://127.0.0.1:${port}`,
    tokens,
    cpu: () => sum(cpuOf),
    memory: () => sum(memoryOf),
    async ask<T>(message: unknown) {
      const settled = new AbortController()
      const { signal } = settled
      child.send(message as object)
      const ended = once(child, 'exit', { signal }).then(() => {
        throw new Error('a process of the benchmark ended')
      })
      try {
        return (await Promise.race([once(child, 'message', { signal }), ended]))[0] as T
      } finally {
        settled.abort()
      }
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))]
}
/** Microseconds in which the kernel counts. */
export const TICK = 1e6 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
/** User and system time are the fourteenth and fifteenth field; the second, a name, may hold spaces. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK
}
export const memoryOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
