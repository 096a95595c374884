import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { type Document, operationsOf, type Published } from '../../test/support/document.ts'
import { PATTERNS, type Pattern, repeat } from '../../test/support/hostile.ts'
import { addToken, serveFile } from '../../test/support/process.ts'
import { fileWith, temporaryFolder } from '../data.ts'
import { ask, isCutOff } from '../http.ts'
import { type Fuzzed, least } from './storm.ts'

/** A place for a text in a request, and how long the longest may be that is tried there, in characters. */
type Case = { name: string; longest: number; pattern: Pattern; request(text: string): Fuzzed }

/** Bytes of a body, and of an address or header, that are near what is taken. */
const BODY = 1_000_000
const ADDRESS = 14_000
/** A text within the limits of most members. */
const TEXT = 8_000

const JSON_TYPE = { 'content-type': 'application/json' }
const HEADERS =
  'accept accept-encoding authorization content-disposition cookie if-match if-none-match if-modified-since origin x-forwarded-for'.split(
    ' ',
  )
const printable = ({ head = '', unit, tail = '' }: Pattern) => /^[ -~]*$/.test(head + unit + tail)

/** Bodies of every type that repeat what their parsers look for. */
const RAW: [type: string, patterns: Pattern[]][] = [
  ['application/json', ['[', '{"a":', '"', '1', '\\u0000', ' '].map((unit) => ({ unit }))],
  [
    'application/x-www-form-urlencoded',
    ['a[]=1&', 'a[x]=1&a[]=2&', 'a[0][b][c][d]=1&', '[', ']', '%', '&', '=', '+', 'title=1&'].map((unit) => ({
      unit,
    })),
  ],
  [
    'multipart/form-data; boundary=b',
    [
      { unit: 'a' },
      { unit: '\r\n--' },
      { unit: '--b\r\n\r\n' },
      { head: '--b\r\n', unit: 'a' },
      { head: '--b\r\n', unit: 'a: b\r\n' },
      { head: '--b\r\ncontent-disposition: form-data; name="', unit: '\\' },
      { head: '--b\r\ncontent-disposition: form-data', unit: '; a' },
      { unit: '--b\r\ncontent-disposition: form-data; name="title"\r\n\r\nx\r\n' },
    ],
  ],
]

const percent = (text: string) => encodeURIComponent(text)
const isText = ({ type, properties }: Published) => properties === undefined && type !== 'object'

/** Every case of a document; `ids` has a record of each kind by the first part of its path. */
function casesOf(document: Document, ids: Record<string, number>): Case[] {
  const cases: Case[] = []
  const add = (name: string, longest: number, request: (text: string) => Fuzzed, patterns = PATTERNS) => {
    for (const pattern of patterns) cases.push({ name, longest, pattern, request })
  }
  for (const { method, path, parameters, body, operationId } of operationsOf(document)) {
    // PUT and POST do what PATCH does
    if (/^replace|ByPost$/.test(operationId)) continue
    const at = (slug = 'x') =>
      path
        .replace(/\{id\}/, String(ids[path.split('/')[1]!] ?? 1))
        .replace('{format}', 'jsonld')
        .replace(/\{\w+\}/g, percent(slug))
    const of = (given: Omit<Fuzzed, 'method' | 'headers'>) => ({
      method: method.toUpperCase(),
      headers: {},
      ...given,
    })
    for (const { name, in: place } of parameters)
      add(`${operationId} ${name}`, ADDRESS / 3, (text) =>
        of(place === 'path' ? { path: at(text) } : { path: `${at()}?${name}=${percent(text)}` }),
      )
    const kind = Object.keys(least).find((name) => operationId === `create${name}`)
    for (const [name, schema] of Object.entries(body?.properties ?? {}).filter(([, own]) => isText(own)))
      for (const longest of [Math.min(96_000, 8 * (schema.maxLength ?? TEXT / 8)), BODY])
        add(`${operationId} ${name}`, longest, (text) => ({
          ...of({ path: at(), body: JSON.stringify({ ...(kind && least[kind]), [name]: text }) }),
          headers: JSON_TYPE,
        }))
    // lists are read as such, and items one by one
    for (const name of ['cost', 'categories', 'tags', 'venue', 'organizer'].filter(
      (one) => body?.properties?.[one],
    ))
      add(`${operationId} list of ${name}`, BODY / 2, (text) => ({
        ...of({
          path: at(),
          body: JSON.stringify({ ...(kind && least[kind]), [name]: text.match(/.{1,5}/gsu) }),
        }),
        headers: JSON_TYPE,
      }))
    if (kind === undefined) continue
    for (const [type, patterns] of RAW)
      add(
        `${operationId} as ${type}`,
        BODY,
        (text) => ({ ...of({ path: at(), body: text }), headers: { 'content-type': type } }),
        patterns,
      )
  }
  for (const [method, path] of [
    ['GET', '/events'],
    ['PATCH', `/events/${ids.events}`],
    ['POST', '/media'],
  ] as const)
    for (const header of HEADERS)
      add(
        `${method} ${path} ${header}`,
        ADDRESS,
        (text) => ({ method, path, headers: { [header]: text } }),
        PATTERNS.filter(printable),
      )
  return cases
}

/** The request of a case with a text of so many characters; \"x\" for a harmless one of this length. */
const requestOf = ({ request, pattern }: Case, characters: number, harmless = false): Fuzzed =>
  request(harmless ? 'x'.repeat(characters) : repeat(pattern, characters))

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
  const file = await fileWith(events, temporaryFolder())
  const admin = await addToken(file)
  const served = await serveFile(file, { RATE_LIMIT: '9999999', LOG_LEVEL: 'silent' })
  const { hostname, port, pathname } = new URL(served.root)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let requests = 0

  const send = async ({ path, headers, ...call }: Fuzzed, token?: string) => {
    requests++
    const all = { ...(token && { authorization: `Bearer ${token}` }), ...headers }
    try {
      const sent = { ...call, path: pathname + path, headers: all }
      const { status, bytes } = await ask(agent, { hostname, port }, sent, PATIENCE)
      return { status, text: bytes.toString() }
    } catch (error) {
      if (isCutOff(error as Error)) return { status: 0, text: '' }
      throw error
    }
  }
  const json = async (method: string, path: string, body: object) => {
    const sent = { method, path, headers: JSON_TYPE, body: JSON.stringify(body) }
    return JSON.parse((await send(sent, admin)).text)
  }

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
  for (const [kind, body] of Object.entries(least)) {
    const plural = `${kind.toLowerCase()}s`.replace('ys', 'ies')
    ids[plural] = (await json('POST', `/${plural}`, body)).id
  }
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
  process.stdout.write(
    `${JSON.stringify({ cases: cases.length, done, requests, seconds: Math.round(passed()), findings: findings.length, alive })}\n`,
  )
  return alive && findings.length === 0
}
