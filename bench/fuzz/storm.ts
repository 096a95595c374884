import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { findDamage, findDifferences } from '../../test/support/damage.ts'
import { type Document, operationsOf } from '../../test/support/document.ts'
import { addToken, openFile, serveFile } from '../../test/support/process.ts'
import { fileWith } from './file.ts'
import { broken, type Fuzzed, least, requestsOf } from './requests.ts'

const LANES = 16
const BATCH = 2_000
/** One in so many is not HTTP at all. */
const BROKEN = 20
const PATIENCE = 15_000

/**
 * Sends so many hostile requests, made from the OpenAPI document, to a service with so many events; prints what came of them,
 * and gives whether there was no fault.
 */
export async function storm(wanted: number, seed: number, events: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-fuzz-'))
  const file = await fileWith(events, folder)
  let token = await addToken(file)
  const served = await serveFile(file, { RATE_LIMIT: '9999999', LOG_LEVEL: 'error' })
  const { hostname, port, pathname } = new URL(served.root)
  const agent = new Agent({ keepAlive: true, maxSockets: LANES })
  const faults: string[] = []
  const statuses: Record<string, number> = {}
  const memory = () =>
    Math.round(
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${served.child.pid}/status`, 'utf8'))![1]) / 1024,
    )

  const short = (value: unknown) => JSON.stringify(value).slice(0, 1_500)
  const note = (status: number | string) => {
    statuses[status] = (statuses[status] ?? 0) + 1
  }

  /** Sends one request; a fault is a 5xx, no answer in time, or an error in another shape. */
  const send = ({ method, path, headers, body }: Fuzzed) =>
    new Promise<void>((resolve) => {
      const fault = (what: string) => {
        faults.push(`${what}: ${short({ method, path, headers, body: body?.toString() })}`)
        resolve()
      }
      const length = { 'content-length': String(Buffer.byteLength(body ?? '')) }
      let call: ReturnType<typeof request>
      try {
        call = request({
          hostname,
          port,
          agent,
          method,
          path: pathname + path,
          headers: { ...headers, ...length },
        })
      } catch {
        return resolve(note('not sendable'))
      }
      call.setTimeout(PATIENCE, () => call.destroy(new Error('no answer in time')))
      call.on('error', (error: Error & { code?: string }) => {
        // a body that is refused early may meet a closed connection
        if (error.code === 'EPIPE' || error.code === 'ECONNRESET') resolve(note('cut off'))
        else fault(error.message)
      })
      call.on('response', (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk) => chunks.push(chunk))
        answer.on('error', (error) => fault(error.message))
        answer.on('end', () => {
          const status = answer.statusCode!
          const text = Buffer.concat(chunks).toString()
          note(status)
          if (status >= 500) return fault(`${status} ${text}`)
          if (status === 401 && headers.authorization?.endsWith(token)) token = ''
          if (status >= 400) {
            const told = JSON.parse(text || '{}')
            if (told.data?.status !== status || !told.code || !told.message) return fault(`${status} ${text}`)
          }
          resolve()
        })
      })
      call.end(body)
    })

  /** Sends bytes, waits a moment for an answer, and hangs up. */
  const sendBroken = (bytes: Buffer) =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname)
      let text = ''
      socket.on('data', (chunk) => (text += chunk))
      socket.on('error', () => {})
      socket.on('close', () => {
        const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 'hung up'
        note(`broken ${status}`)
        if (/^HTTP\/1\.1 5/m.test(text)) faults.push(`broken ${status}: ${short(bytes.toString('latin1'))}`)
        resolve()
      })
      socket.setTimeout(300, () => socket.destroy())
      socket.write(bytes)
    })

  const document = (await (await fetch(`${served.root}/doc`)).json()) as Document
  const requests = fc.oneof(...operationsOf(document).map((operation) => requestsOf(operation, () => token)))
  // something to find and to change
  for (const { method, path, operationId } of operationsOf(document)) {
    const kind = Object.keys(least).find((name) => operationId === `create${name}`)
    for (let at = 0; kind && at < 25; at++) {
      const body = { ...least[kind], ...(/Category|Tag/.test(kind) && { name: `Fuzz ${at}` }) }
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      await send({ method: method.toUpperCase(), path, headers, body: JSON.stringify(body) })
    }
  }
  const began = memory()
  let warm = 0
  let sent = 0
  for (let batch = 0; sent < wanted && served.child.exitCode === null; batch++) {
    if (token === '') token = await addToken(file)
    const numRuns = Math.min(BATCH, wanted - sent)
    const list = fc.sample(requests, { numRuns, seed: seed + batch })
    const odd = fc.sample(broken, { numRuns: Math.ceil(numRuns / BROKEN), seed: seed + batch })
    const work = list.map((one, at) => () => (at % BROKEN === 0 ? sendBroken(odd[at / BROKEN]!) : send(one)))
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        for (let job = work.pop(); job; job = work.pop()) await job()
      }),
    )
    sent += numRuns
    if (warm === 0 && sent >= wanted / 4) warm = memory()
    process.stderr.write(`${sent} requests, ${faults.length} faults, ${memory()} MB\n`)
  }
  const ended = memory()
  const alive = served.child.exitCode === null
  served.child.kill('SIGTERM')
  await served.ended
  const store = openFile(file)
  const damage = [...findDamage(store.db), ...(await findDifferences(store.db, store.site))]
  store.db.close()
  if (!alive) faults.push(`the service ended: ${served.output().slice(-2_000)}`)
  for (const fault of faults.slice(0, 20)) process.stderr.write(`${fault}\n`)
  for (const what of damage.slice(0, 20)) process.stderr.write(`${what}\n`)
  process.stdout.write(
    `${JSON.stringify({ seed, requests: sent, statuses, faults: faults.length, damage: damage.length, megabytes: { began, quarter: warm, ended } })}\n`,
  )
  rmSync(folder, { recursive: true })
  return faults.length + damage.length === 0
}
