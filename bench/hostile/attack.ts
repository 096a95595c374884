import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Document, operationsOf as inDocument } from '../../test/support/document.ts'

type Common = {
  name: string
  connections: number
  /** Set if the normal client comes from the same address: the headers that make it so. */
  shared?: Record<string, string>
}

/** A request as a hostile client sends it. Of one that is withheld, the last byte never comes; one that `leaves` is given up after so many milliseconds. */
type Sent = {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
  withheld?: boolean
  leaves?: number
}

/**
 * Sends one request after the other on each of its connections, and reads every answer; of a stream the beginning. `since` is a sync token
 * at the beginning of all records.
 */
export type Asks = Common & {
  /** What is made once, before the first request. */
  prepare?(root: string): Promise<Buffer>
  request(
    at: number,
    token: string,
    since: string,
    prepared: Buffer | undefined,
    root: string,
  ): Sent | Promise<Sent>
}

/**
 * Writes the same bytes so many times on each of its connections, without waiting for any answer. What does not read leaves the
 * answers in the sockets. A connection that the service closes is opened again; one whose answers have all come is written again.
 */
export type Pours = Common & {
  pour(root: string): { bytes: string; times: number; reads: boolean }
}

/** Gives requests of all operations up, each on a connection of its own, at one moment. */
export type Leaves = Common & {
  moment: Moment
  signedIn: boolean
}

export type Attack = Asks | Pours | Leaves

/** What a hostile client was answered: how many times which status, or which end of a connection. */
export type Statuses = Record<string, number>

/** The address from which hostile clients come; the normal client has another, so that limits of an address tell them apart. */
export const HOSTILE_ADDRESS = '127.0.0.2'

/** Sends requests until the process ends, from `begins` on, and counts in `statuses` what they were answered. */
export async function ask(attack: Asks, root: string, token: string, statuses: Statuses, begins: () => void) {
  const { next_sync_token: since } = (await (await fetch(`${root}/changes?per_page=1`)).json()) as {
    next_sync_token: string
  }
  const prepared = await attack.prepare?.(root)
  begins()
  const { hostname, port, pathname } = new URL(root)
  const agent = new Agent({ keepAlive: true, maxSockets: attack.connections })
  let sent = 0

  /** What it was answered, or how the connection ended. */
  const send = ({ method, path, headers, body, withheld, leaves }: Sent) =>
    new Promise<string>((resolve) => {
      const length =
        body === undefined ? {} : { 'content-length': Buffer.byteLength(body) + (withheld ? 1 : 0) }
      const call = request({
        ...{ hostname, port, method },
        agent: leaves === undefined ? agent : false,
        localAddress: HOSTILE_ADDRESS,
        path: path.startsWith('//') ? path.slice(1) : pathname + path,
        headers: { ...headers, ...length },
      })
      call.on('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)))
      call.on('close', () => resolve('closed'))
      call.on('response', (answer) => {
        answer.resume().on('end', () => resolve(String(answer.statusCode)))
        answer.on('error', () => {}) // the call tells
        if (answer.headers['content-type'] !== 'text/event-stream') return
        answer.once('data', () => {
          resolve(String(answer.statusCode))
          call.destroy()
        })
      })
      if (leaves !== undefined)
        setTimeout(() => {
          resolve('left')
          call.destroy()
        }, leaves)
      if (withheld) call.write(body)
      else call.end(body)
    })

  async function goOn() {
    for (;;) {
      const status = await send(await attack.request(++sent, token, since, prepared, root))
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  for (let at = 0; at < attack.connections; at++) void goOn()
}

/** Milliseconds until a connection that was closed is opened again. */
const AGAIN = 10

/** Writes to all connections until the process ends, and counts in `statuses` what came back. */
export function pour(attack: Pours, root: string, statuses: Statuses) {
  const { hostname, port, pathname } = new URL(root)
  const { bytes, times, reads } = attack.pour(pathname)
  const all = Buffer.from(bytes.repeat(times)) // all connections share it
  const count = (what: string) => {
    statuses[what] = (statuses[what] ?? 0) + 1
  }

  function open() {
    const socket = connect({ host: hostname, port: Number(port), localAddress: HOSTILE_ADDRESS })
    let answers = 0
    if (reads)
      socket.on('data', (chunk: Buffer) => {
        for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
          count(status!)
          if (++answers % times === 0) socket.write(all)
        }
      })
    socket.on('connect', () => {
      count('opened')
      socket.write(all)
    })
    socket.on('error', () => {}) // the end of the connection follows
    socket.on('close', () => {
      count('closed')
      setTimeout(open, AGAIN)
    })
  }
  for (let at = 0; at < attack.connections; at++) open()
}

export const MOMENTS = ['in the head', 'in the body', 'while it waits', 'while it is answered'] as const
type Moment = (typeof MOMENTS)[number]

/** Pages and addresses of WordPress, which no document lists. */
const BESIDE = `
  / /events/ /events/month/2027-03/ /events/day/2027-03-05/ /events/?search=event /event/event-7/
  /events/feed/ /events/?ical=1 /events/category/a/ /venue/venue-1/ /organizer/organizer-1/
  /events/subscribe/ /events/submit/ /desk/ /sitemap.xml /sitemap-list-1.xml /robots.txt /wp-json/
  /wp-json/wp/v2/tribe_events?per_page=100 /wp-json/wp/v2/media /wp-json/wp/v2/users/me
  /wp-json/tec/v1/events /wp-json/tribe/events/v1/events?per_page=50 /?p=79 /health /healthz`
  .trim()
  .split(/\s+/)

const BODY = '{"title":"x","start_date":"tomorrow","end_date":"tomorrow"}'
const FIRST = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

/** The path is that of the whole address. */
type Operation = { method: string; path: string; hasBody: boolean }

/** All operations of the document but those that end the token. Parameters of paths are IDs of events, for what does not only read those of nothing. */
async function operationsOf(root: string): Promise<((at: number) => Operation)[]> {
  const document = (await (await fetch(`${root}/doc`)).json()) as Document
  const below = new URL(root).pathname
  const operations = inDocument(document)
    .filter(({ method, path }) => !(method === 'delete' && path.startsWith('/session')))
    .map(({ method, path, content }) => (at: number) => ({
      method: method.toUpperCase(),
      path: below + path.replace(/\{\w+\}/g, String((method === 'get' ? 2_000 : 9_000_000) + (at % 90))),
      hasBody: content !== undefined,
    }))
  return [...operations, ...BESIDE.map((path) => () => ({ method: 'GET', path, hasBody: false }))]
}

/** Opens connections until the process ends, and leaves each at the moment of the attack; counts in `statuses` what came before. */
export async function leave(
  { connections, moment, signedIn }: Leaves,
  root: string,
  token: string,
  statuses: Statuses,
) {
  const { hostname, port } = new URL(root)
  const operations = await operationsOf(root)
  let sent = 0

  /** Sends a request, or its beginning; resolves once the connection is closed. */
  const send = (at: number) =>
    new Promise<void>((resolve) => {
      const { method, path, hasBody } = operations[at % operations.length]!(at)
      const isSecond = at % 2 === 1
      const length = moment === 'in the body' ? 1_000 : hasBody ? BODY.length : 0
      const head = [
        `${method} ${path} HTTP/1.1\r\nHost: x`,
        ...(signedIn ? [`Authorization: Bearer ${token}`] : []),
        `Content-Type: application/json\r\nContent-Length: ${length}`,
      ].join('\r\n')
      const rest = moment === 'in the head' ? '' : `\r\n\r\n${length > 0 ? BODY : ''}`
      const socket = connect({ host: hostname, port: Number(port), localAddress: HOSTILE_ADDRESS })
      let isBegun = false
      let answer = 'left'
      const begin = async () => {
        isBegun = true
        socket.write(head + rest)
        if (moment === 'while it is answered') return
        await pause(moment === 'while it waits' ? at % 20 : 20 + (at % 31))
        socket.destroy()
      }
      socket.on('connect', () => (isSecond ? socket.write(FIRST) : void begin()))
      socket.on('data', (chunk) => {
        if (!isBegun) return void begin()
        answer = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1] ?? answer
        socket.destroy()
      })
      socket.on('error', ({ code }: NodeJS.ErrnoException) => {
        answer = String(code)
      })
      socket.on('close', () => {
        statuses[answer] = (statuses[answer] ?? 0) + 1
        resolve()
      })
    })

  async function goOn() {
    for (;;) await send(sent++)
  }
  for (let at = 0; at < connections; at++) void goOn()
}
