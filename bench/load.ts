import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process under load, on a core of its own. */
export type Server = {
  url: string
  ready: { port: number; token: string; milliseconds: number }
  /** Microseconds of CPU used so far, in user and system mode, by it and its children. */
  cpu(): number
  /** Bytes of memory that it holds. */
  memory(): number
  stop(): Promise<void>
}

const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
const here = (path: string) => new URL(path, import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'almanac-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
let started = 0

/** Starts `bench/<script>` on the first core and waits until it listens. */
export async function startServer(script: string, env: Record<string, string>): Promise<Server> {
  const file = join(folder, `${++started}.json`)
  const args = ['-c', '0', process.execPath, '--import', 'tsx', here(script)]
  const child = spawn('taskset', args, {
    env: { ...process.env, LOG_LEVEL: 'silent', READY: file, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  process.on('exit', () => child.kill('SIGKILL'))
  while (!existsSync(file)) {
    if (child.exitCode !== null) throw new Error(`${script} ended before it listened`)
    await sleep(20)
  }
  await sleep(50)
  const ready = JSON.parse(readFileSync(file, 'utf8'))
  return {
    url: `http://127.0.0.1:${ready.port}`,
    ready,
    cpu: () => family(child).reduce((sum, pid) => sum + cpuOf(pid), 0),
    memory: () => family(child).reduce((sum, pid) => sum + memoryOf(pid), 0),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const family = ({ pid }: ChildProcess): number[] => [pid!, ...childrenOf(pid!)]
function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
  return children.flatMap((child) => [child, ...childrenOf(child)])
}
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1e6
}
const memoryOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024

/** One request of a load; a list of them is sent in turn. */
export type Request = { path: string; method?: string; headers?: Record<string, string>; body?: string }
export type Figures = { rate: number; cpu: number; p50: number; p99: number; failures: number }

const lua = (value: string) => JSON.stringify(value).replace(/\\u([0-9a-f]{4})/g, (_, hex) => `\\u{${hex}}`)

/** Sends requests from the other core for some seconds: rate, CPU microseconds a request, and milliseconds of latency. */
export async function load(
  server: Server,
  requests: Request[],
  connections: number,
  seconds: number,
): Promise<Figures> {
  const script = join(folder, 'load.lua')
  const lines = requests.map(({ method = 'GET', path, headers = {}, body }) => {
    const pairs = Object.entries(headers).map(([name, value]) => `[${lua(name)}]=${lua(value)}`)
    return `wrk.format(${lua(method)},${lua(path)},{${pairs.join(',')}},${body === undefined ? 'nil' : lua(body)})`
  })
  writeFileSync(
    script,
    `local requests = nil
local at = 0
function init(args) requests = {${lines.join(',\n')}} end
function request() at = at % #requests + 1; return requests[at] end
function done(summary, latency)
  io.write(string.format('{"requests":%d,"duration":%d,"p50":%f,"p99":%f,"failures":%d}', summary.requests, summary.duration, latency:percentile(50) / 1000, latency:percentile(99) / 1000, summary.errors.status + summary.errors.read + summary.errors.timeout))
end`,
  )
  const before = server.cpu()
  const child = spawn(
    'taskset',
    ['-c', '1', 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, server.url],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  await new Promise((resolve) => child.on('exit', resolve))
  const used = server.cpu() - before
  const { requests: sent, duration, ...rest } = JSON.parse(output.slice(output.indexOf('{"requests"')))
  return { rate: sent / (duration / 1e6), cpu: used / sent, ...rest }
}

export const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
