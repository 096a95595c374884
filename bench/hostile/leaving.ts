import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Document, operationsOf as inDocument } from '../../test/support/document.ts'
import { HOSTILE_ADDRESS, type Leaves, type Statuses } from './attack.ts'

const MOMENTS = ['in the head', 'in the body', 'while it waits', 'while it is answered'] as const
export type Moment = (typeof MOMENTS)[number]

/** Pages and addresses of WordPress, which no document lists. */
const BESIDE = [
  ...[
    '/',
    '/events/',
    '/events/month/2027-03/',
    '/events/day/2027-03-05/',
    '/events/?search=event',
    '/event/event-7/',
  ],
  ...[
    '/events/feed/',
    '/events/?ical=1',
    '/events/category/a/',
    '/venue/venue-1/',
    '/organizer/organizer-1/',
  ],
  ...[
    '/events/subscribe/',
    '/events/submit/',
    '/desk/',
    '/sitemap.xml',
    '/sitemap-list-1.xml',
    '/robots.txt',
  ],
  ...[
    '/wp-json/',
    '/wp-json/wp/v2/tribe_events?per_page=100',
    '/wp-json/wp/v2/media',
    '/wp-json/wp/v2/users/me',
  ],
  ...[
    '/wp-json/tec/v1/events',
    '/wp-json/tribe/events/v1/events?per_page=50',
    '/?p=79',
    '/health',
    '/healthz',
  ],
]

/** Requests of all operations and pages, given up at one moment; every second one is the second request of its connection. */
export const LEAVING: Leaves[] = [false, true].flatMap((signedIn) =>
  MOMENTS.map((moment) => ({
    name: `all operations and pages, abandoned ${moment}, ${signedIn ? 'signed in' : 'anonymous'}`,
    connections: 40,
    ...{ moment, signedIn },
  })),
)

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
