import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Document } from '../../test/support/document.ts'
import { addToken, serveFile } from '../../test/support/process.ts'
import { type Case, casesOf, requestOf } from './cases.ts'
import { fileWith } from './file.ts'
import { type Fuzzed, least } from './requests.ts'

type Options = {
  /** Share of the cases that is measured. */
  sample: number
  /** After which no further case is begun. */
  seconds: number
  /** Words in the names of cases. */
  only: string
  /** How many events there are beside those that it makes. */
  events: number
}

/**
 * Milliseconds that a request may hold the event loop beyond what one of its size with a harmless text does: 100 kB of HTML that is
 * all tags take 70 here.
 */
const HELD = 100
/** Milliseconds below which growth is noise. */
const FLOOR = 8
/** How much more a text of twice the length may cost. */
const GROWTH = 2.6
/** The smallest of so many counts. */
const REPEATS = 5
const PATIENCE = 120_000

/**
 * Sends long texts of hostile patterns in every place of every operation, as everyone and as those who may write, and looks at what
 * they cost the server's main thread: prints each that grows faster than its length or holds the event loop, and gives whether there was none.
 */
export async function measureComplexity({ sample, seconds, only, events }: Options): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-complexity-'))
  const file = await fileWith(events, folder)
  const admin = await addToken(file)
  const served = await serveFile(file, { RATE_LIMIT: '9999999', LOG_LEVEL: 'silent' })
  const { hostname, port, pathname } = new URL(served.root)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let requests = 0

  const send = ({ method, path, headers, body }: Fuzzed, token?: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      requests++
      const all = {
        ...(token && { authorization: `Bearer ${token}` }),
        'content-length': String(Buffer.byteLength(body ?? '')),
        ...headers,
      }
      const call = request({ hostname, port, agent, method, path: pathname + path, headers: all })
      call.setTimeout(PATIENCE, () => call.destroy(new Error('no answer in time')))
      // a body that is refused early may meet a closed connection
      call.on('error', (error: Error & { code?: string }) =>
        error.code === 'EPIPE' || error.code === 'ECONNRESET'
          ? resolve({ status: 0, text: '' })
          : reject(error),
      )
      call.on('response', async (answer) => {
        let text = ''
        for await (const chunk of answer) text += chunk
        resolve({ status: answer.statusCode!, text })
      })
      call.end(body)
    })
  const json = async (method: string, path: string, body: object) =>
    JSON.parse(
      (
        await send(
          { method, path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
          admin,
        )
      ).text,
    )

  /** Milliseconds in which the server's main thread ran. */
  const ran = () =>
    Number(
      readFileSync(`/proc/${served.child.pid}/task/${served.child.pid}/schedstat`, 'utf8').split(' ')[0],
    ) / 1e6
  const cost = async (fuzzed: Fuzzed, token: string | undefined, repeats: number) => {
    let smallest = Number.POSITIVE_INFINITY
    let status = 0
    for (let at = 0; at < repeats; at++) {
      const before = ran()
      status = (await send(fuzzed, token)).status
      smallest = Math.min(smallest, ran() - before)
    }
    return { milliseconds: smallest, status }
  }

  const ids: Record<string, number> = {}
  for (const [kind, body] of Object.entries(least))
    ids[`${kind.toLowerCase()}s`.replace('ys', 'ies')] = (
      await json('POST', `/${`${kind.toLowerCase()}s`.replace('ys', 'ies')}`, body)
    ).id
  const callers: [string, string | undefined][] = [['anonymous', undefined]]
  for (const role of ['contributor', 'editor']) {
    const { id } = await json('POST', '/users', { login: role, role })
    callers.push([role, (await json('POST', '/tokens', { user: id, name: 'complexity' })).token])
  }

  const findings: object[] = []
  /** Looks closely at what took its time. */
  const examine = async (one: Case, caller: string, token: string | undefined) => {
    const { longest, name, pattern } = one
    const costs: number[] = []
    let status = 0
    for (const length of [longest / 4, longest / 2, longest]) {
      const taken = await cost(requestOf(one, Math.floor(length)), token, REPEATS)
      costs.push(taken.milliseconds)
      status = taken.status
    }
    const [once, twice, four] = costs as [number, number, number]
    if (four < FLOOR) return
    const harmless = await cost(requestOf(one, longest, true), token, REPEATS)
    const grows = four / twice > GROWTH && twice / once > GROWTH / 1.3
    const holds = four - harmless.milliseconds > HELD
    if (!grows && !holds) return
    const why = grows ? 'grows faster than its length' : 'holds the event loop'
    const found = {
      why,
      name,
      caller,
      pattern,
      characters: longest,
      status,
      milliseconds: costs.map(Math.round),
      harmless: Math.round(harmless.milliseconds),
    }
    findings.push(found)
    process.stderr.write(`${JSON.stringify(found)}\n`)
  }

  const document = (await (await fetch(`${served.root}/doc`)).json()) as Document
  const cases = casesOf(document, ids)
    .filter(({ name }) => name.includes(only))
    .filter((_, at) => Math.floor((at + 1) * sample) > Math.floor(at * sample))
  const began = performance.now()
  const passed = () => (performance.now() - began) / 1_000
  let done = 0
  let told = 0
  for (const one of cases) {
    if (passed() > seconds || served.child.exitCode !== null) break
    for (const [caller, token] of callers) {
      const { milliseconds } = await cost(requestOf(one, one.longest), token, 1)
      if (milliseconds >= FLOOR) await examine(one, caller, token)
    }
    done++
    if (passed() - told < 10) continue
    told = passed()
    process.stderr.write(
      `${done} of ${cases.length} cases, ${requests} requests, ${findings.length} findings, ${Math.round(told)} s\n`,
    )
  }
  const alive = served.child.exitCode === null
  if (!alive) process.stderr.write(`the service ended: ${served.output().slice(-2_000)}\n`)
  served.child.kill('SIGTERM')
  await served.ended
  agent.destroy()
  rmSync(folder, { recursive: true })
  process.stdout.write(
    `${JSON.stringify({ cases: cases.length, done, requests, seconds: Math.round(passed()), findings: findings.length, alive })}\n`,
  )
  return alive && findings.length === 0
}
