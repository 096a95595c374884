import { Agent } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { findDamage, findDifferences } from '../../test/support/damage.ts'
import { type Document, type Operation, operationsOf, type Published } from '../../test/support/document.ts'
import { addToken, openFile, serveFile } from '../../test/support/process.ts'
import { fileWith, temporaryFolder } from '../data.ts'
import { type Answer, ask, type Call, isCutOff } from '../http.ts'
import { memoryOf } from '../process.ts'

export type Fuzzed = Call & { method: string; headers: Record<string, string> }

const WORDS = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  'true',
  'any',
  'now',
  '+1 day',
  '2026-02-30',
  '9999-12-31 23:59:59',
]
const NUMBERS = [0, -0, -1, 1, 50, 51, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324, 0.1, 89.9999, 180]
const ODD = [
  '\u0000',
  '\ud800',
  '\u202e',
  '👩‍👩‍👧',
  "' OR 1=1 --",
  '%',
  '__proto__',
  '<script>',
  '\u0001',
  '../',
  '[]',
  '{',
]

const texts = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.constantFrom(...ODD) },
  { weight: 2, arbitrary: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()) },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(5_000), 'é'.repeat(2_100), '1'.repeat(400)) },
)
const numbers = fc.oneof(fc.constantFrom(...NUMBERS), fc.integer(), fc.double({ noNaN: true }))
const deep = fc.integer({ min: 1, max: 2_000 }).map((depth) => {
  let value: unknown = 1
  for (let at = 0; at < depth; at++) value = at % 2 ? [value] : { a: value }
  return value
})
const anything = fc.oneof(
  { weight: 6, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: deep },
  { weight: 3, arbitrary: texts },
  { weight: 3, arbitrary: numbers },
)

/** Mostly values of the schema and its edges, sometimes anything. */
function valuesOf(schema: Published): fc.Arbitrary<unknown> {
  const right: fc.Arbitrary<unknown> = schema.enum
    ? fc.constantFrom(...schema.enum)
    : schema.type === 'boolean'
      ? fc.boolean()
      : schema.type === 'integer' || schema.type === 'number'
        ? fc.oneof(
            { weight: 3, arbitrary: fc.integer({ min: 1, max: 60 }) },
            { weight: 1, arbitrary: numbers },
          )
        : schema.type === 'array'
          ? fc.array(valuesOf(schema.items ?? {}), { maxLength: 4 })
          : schema.type === 'object'
            ? objectOf(schema)
            : texts
  return fc.oneof({ weight: 5, arbitrary: right }, { weight: 1, arbitrary: anything })
}
/** Some members of a schema: few, so that one strange value does not always hide the others. */
function objectOf({ properties = {} }: Published): fc.Arbitrary<object> {
  return fc
    .subarray(Object.entries(properties), { maxLength: Math.min(4, Object.keys(properties).length) })
    .chain((members) =>
      fc.record(Object.fromEntries(members.map(([name, schema]) => [name, valuesOf(schema)]))),
    )
}

/** The least that makes a record of each kind. */
export const least: Record<string, object> = {
  Event: { title: 'Fuzz', start_date: '+1 day', end_date: '+2 days' },
  Venue: { venue: 'Fuzz' },
  Organizer: { organizer: 'Fuzz' },
  Category: { name: 'Fuzz' },
  Tag: { name: 'Fuzz' },
}

const TYPES = ['application/json', 'application/json; charset=latin1', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b', 'text/plain', 'image/png', 'image/svg+xml', 'x', 'application/vnd.api+json'] // biome-ignore format: one list

/** A body as bytes: mostly JSON, sometimes broken, doubled, of another kind, or very large. */
const printed = (value: object): fc.Arbitrary<{ body: string | Buffer; type: string }> => {
  const json = JSON.stringify(value)
  const types = fc.constantFrom(...TYPES)
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant({ body: json, type: TYPES[0]! }) },
    { weight: 1, arbitrary: types.map((type) => ({ body: json, type })) },
    { weight: 1, arbitrary: fc.nat(json.length).map((end) => ({ body: json.slice(0, end), type: TYPES[0]! })) },
    { weight: 1, arbitrary: fc.constant({ body: `{"title":1,${json.slice(1)}`.replace(',}', '}'), type: TYPES[0]! }) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).chain((bytes) => types.map((type) => ({ body: Buffer.from(bytes), type }))) },
    { weight: 1, arbitrary: fc.constant({ body: new URLSearchParams(Object.entries(value).map(([name, member]): [string, string] => [name, String(JSON.stringify(member))])).toString(), type: TYPES[2]! }) },
    { weight: 1, arbitrary: texts.map((text) => ({ body: `--b\r\ncontent-disposition: form-data; name="title"\r\n\r\n${text}\r\n--b--\r\n`, type: TYPES[3]! })) },
    { weight: 1, arbitrary: fc.constantFrom(2 ** 20 - 100, 2 ** 20 + 100).map((size) => ({ body: `{"title":"${'x'.repeat(size)}"}`, type: TYPES[0]! })) },
  ) // biome-ignore format: a table
}

const percent = (text: string) => encodeURIComponent(Buffer.from(text).toString())

/** Requests of one operation of the document. */
function requestsOf(
  { method, path, parameters, body, operationId }: Operation,
  token: () => string,
): fc.Arbitrary<Fuzzed> {
  // the first user and token are the fuzzer's own
  const first = /^\/(users|tokens)/.test(path) ? 2 : 1
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const places = fc.tuple(
    ...inPath.map(
      ({ name, schema }) =>
      fc.oneof({ weight: 6, arbitrary: schema.type === 'integer' ? fc.integer({ min: first, max: 120 }) : fc.constantFrom('fuzz', 'fuzz-2', 'x') }, { weight: 1, arbitrary: texts }).map((value) => [name, String(value)] as const), // biome-ignore format: one value
    ),
  )
  const query = fc.record(Object.fromEntries(inQuery.map(({ name, schema }) => [name, valuesOf(schema)])), {
    requiredKeys: [],
  })
  const some = query.chain((values) =>
    fc.subarray(Object.entries(values), { maxLength: Math.min(3, Object.keys(values).length) }),
  )
  const kind = Object.keys(least).find((name) => operationId === `create${name}`)
  const content = body
    ? objectOf(body).chain((value) => printed({ ...(kind && least[kind]), ...value }))
    : fc.constant(undefined)
  const who = fc.nat(29).map((at) => (at < 4 ? 'none' : at === 4 ? 'wrong' : 'token'))
  const match = fc.constantFrom(undefined, undefined, undefined, '*', '"x"', '"', texts)
  return fc.tuple(places, some, content, who, match).map(([values, pairs, sent, caller, condition]) => {
    const address = values.reduce((at, [name, value]) => at.replace(`{${name}}`, percent(value)), path)
    const search = pairs.map(
      ([name, value]) =>
        `${percent(name)}=${percent(typeof value === 'object' ? String(JSON.stringify(value)) : String(value))}`,
    )
    const headers: Record<string, string> = {
      ...(caller === 'token' && { authorization: `Bearer ${token()}` }),
      ...(caller === 'wrong' && { authorization: 'Bearer alm_wrong' }),
      ...(typeof condition === 'string' && { [method === 'get' ? 'if-none-match' : 'if-match']: condition }),
      ...(sent && { 'content-type': sent.type }),
    }
    return {
      method: method.toUpperCase(),
      path: address + (search.length > 0 ? `?${search.join('&')}` : ''),
      headers,
      ...(sent && { body: sent.body }),
    }
  })
}

const GET = 'GET /calendar/events/v1/events HTTP/1.1\r\n'
/** What is not HTTP, or nearly. */
const broken: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      `${GET}\r\n`,
      `${GET}Host: a\r\nContent-Length: -1\r\n\r\n`,
      `${GET}Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${GET}Host: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      `${GET}Host: a\r\nX\u0000: y\r\n\r\n`,
      `${GET}Host: a\r\n`,
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'GET //../..//etc/passwd HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'POST /calendar/events/v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'POST /calendar/events/v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
      `GET /${'a/'.repeat(7_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n',
      `${`${GET}Host: a\r\n\r\n`.repeat(20)}`,
      'GET http://other.test/calendar/events/v1/events HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      `${GET}Host: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
      `${GET}Host: a\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n`,
    )
    .map((text) => Buffer.from(text)),
)

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
  const file = await fileWith(events, temporaryFolder())
  let token = await addToken(file)
  const served = await serveFile(file, { RATE_LIMIT: '9999999', LOG_LEVEL: 'error' })
  const { hostname, port, pathname } = new URL(served.root)
  const agent = new Agent({ keepAlive: true, maxSockets: LANES })
  const faults: string[] = []
  const statuses: Record<string, number> = {}
  const memory = () => Math.round(memoryOf(served.child.pid!) / 2 ** 20)

  const short = (value: unknown) => JSON.stringify(value).slice(0, 1_500)
  const note = (status: number | string) => {
    statuses[status] = (statuses[status] ?? 0) + 1
  }

  /** Sends one request; a fault is a 5xx, no answer in time, or an error in another shape. */
  async function send({ path, ...call }: Fuzzed) {
    const fault = (what: string) =>
      faults.push(`${what}: ${short({ ...call, path, body: call.body?.toString() })}`)
    let answer: Answer
    try {
      answer = await ask(agent, { hostname, port }, { ...call, path: pathname + path }, PATIENCE)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code?.startsWith('ERR_')) note('not sendable')
      else if (isCutOff(error as Error)) note('cut off')
      else fault(message)
      return
    }
    const { status, bytes } = answer
    const text = bytes.toString()
    note(status)
    if (status < 400) return
    if (status === 401 && call.headers.authorization?.endsWith(token)) token = ''
    const told = JSON.parse(text || '{}')
    const isError = told.data?.status === status && told.code && told.message
    if (status >= 500 || !isError) fault(`${status} ${text}`)
  }

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
  return faults.length + damage.length === 0
}
