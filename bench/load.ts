import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './data.ts'
import { median } from './figures.ts'
import type { Call } from './http.ts'
import { CLIENT, type Server, start, TICK } from './process.ts'

/** One request of a load; a list of them is sent in turn. `@@@@@@@@` in it becomes a number that was never sent before. */
export type Request = Call & { body?: string }
export type Figures = {
  /** Requests a second. */
  rate: number
  /** Microseconds of CPU that the server used for one, in user and system mode. */
  cpu: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Answers of 400 and above, and connections that broke. */
  failures: number
  /** Microseconds of CPU that the client used for one. */
  client: number
}
export type Shape = { connections: number; seconds: number; cores?: string }

const folder = temporaryFolder()
const SCRIPT = fileURLToPath(new URL('load.lua', import.meta.url))
let loads = 0

/** Sends requests with wrk for some seconds. */
export async function load(server: Server, requests: Request[], shape: Shape): Promise<Figures> {
  const { connections, seconds, cores = CLIENT } = shape
  const file = join(folder, 'requests')
  writeFileSync(file, requests.map((request) => textOf(server, request)).join('\x01'))
  const from = String(++loads * 200_000)
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '60s', '-s', SCRIPT]
  const before = server.cpu()
  const child = start(cores, ['wrk', ...args, server.url, '--', file, from], [])
  let output = ''
  child.stdout!.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) => child.on('close', resolve))
  const used = Math.max(server.cpu() - before, TICK)
  if (code !== 0) throw new Error(`wrk ended with ${code}: ${output}`)
  await settle(server)
  const told = JSON.parse(output.slice(output.indexOf('{"requests"')))
  const { requests: answered, microseconds, client, ...rest } = told
  if (rest.failures > 0) await tellFailures(server, requests, rest.failures)
  const sent = Math.max(answered, 1)
  return { rate: sent / (microseconds / 1e6), cpu: used / sent, client: client / sent, ...rest }
}

/** Says how requests are answered of which some failed: one of each method. */
async function tellFailures({ url }: Server, requests: Request[], failures: number) {
  const methods = new Map(requests.map((request) => [request.method ?? 'GET', request]))
  for (const [method, { path, headers = {}, body }] of methods) {
    const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
    const text = (await answer.text()).slice(0, 200)
    process.stderr.write(`${failures} requests failed; ${method} ${path}: ${answer.status} ${text}\n`)
  }
}

/** Loads without a gain after which a server is warm, and the most. */
const STEADY = 2
const MOST = 12

/** Loads a server until its CPU for a request no longer falls: V8 compiles what is hot in the course of thousands of requests. */
export async function warm(server: Server, requests: Request[], shape: Shape) {
  let least = Number.POSITIVE_INFINITY
  for (let steady = 0, loaded = 0; steady < STEADY && loaded < MOST; loaded++) {
    const { cpu } = await load(server, requests, shape)
    steady = cpu > least * 0.95 ? steady + 1 : 0
    least = Math.min(least, cpu)
  }
}

/** Waits until a server has done with what was under way when its clients left. */
async function settle({ url }: Server) {
  for (let quick = 0; quick < 3; ) {
    const began = performance.now()
    await (await fetch(url)).arrayBuffer()
    quick = performance.now() - began < 50 ? quick + 1 : 0
  }
}

function textOf({ url }: Server, { method = 'GET', path, headers = {}, body }: Request): string {
  const all = {
    Host: url.slice('http://'.length),
    ...headers,
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

/** The median of each figure over the rounds. */
export function middle(rounds: Figures[]): Figures {
  const of = (name: keyof Figures) => median(rounds.map((figures) => figures[name]))
  return {
    ...{ rate: of('rate'), cpu: of('cpu'), p50: of('p50'), p99: of('p99') },
    ...{ failures: Math.max(...rounds.map((figures) => figures.failures)), client: of('client') },
  }
}
