import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

export type Reply = {
  status: number
  headers: Record<string, string>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: bodies are what the tests are about
  body: any
  /** Which process answered: the part of the request's ID that it gives to all. */
  from: string
}
type Sent = { headers?: Record<string, string>; body?: string | Buffer }

/** The whole answer to a request that was ended, or is about to be. */
export async function replyTo(sent: ClientRequest): Promise<Reply> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  sent.on('error', () => {}) // who refuses a body need not read it
  const body = await text(answer)
  const headers = answer.headers as Record<string, string>
  return {
    status: answer.statusCode!,
    headers,
    text: body,
    body: headers['content-type']?.startsWith('application/json') && body !== '' ? JSON.parse(body) : body,
    from: headers['x-request-id']?.split('-')[0] ?? '',
  }
}

/** A connection that is kept, so that all its requests reach the same process. */
export function openConnection(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  /** A request whose body is still to be sent. */
  const begin = (method: string, path: string, headers: Record<string, string> = {}) =>
    request({ host: '127.0.0.1', port, agent, method, path, headers })
  return {
    begin,
    send(method: string, path: string, { headers, body }: Sent = {}): Promise<Reply> {
      const sent = begin(method, path, headers)
      const reply = replyTo(sent)
      sent.end(body)
      return reply
    },
    close: () => agent.destroy(),
  }
}
export type Connection = ReturnType<typeof openConnection>

/** Milliseconds until a process is asked for again that may still start: asking all the time keeps it from that. */
const AGAIN = 20

/** A connection to a process whose name passes. */
export async function connectTo(port: number, passes: (from: string) => boolean): Promise<Connection> {
  for (;;) {
    const connection = openConnection(port)
    const { from } = await connection.send('GET', '/healthz')
    if (passes(from)) return connection
    connection.close()
    await pause(AGAIN)
  }
}

/** A connection to each of so many processes: the one that writes, and the others. */
export async function connectAll(port: number, processes: number) {
  const found = new Map<string, Connection>()
  while (found.size < processes) {
    const connection = await connectTo(port, (from) => !found.has(from))
    found.set((await connection.send('GET', '/healthz')).from, connection)
  }
  const [any] = found.values()
  const { from } = await any!.send('DELETE', '/calendar/events/v1/events/1')
  const writer = found.get(from)!
  const readers = [...found.values()].filter((connection) => connection !== writer)
  return { writer, readers, all: [writer, ...readers] }
}
