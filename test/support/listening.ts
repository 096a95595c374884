import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { Api } from './app.ts'
import { ROOT } from './given.ts'
import { holdToDocument } from './validation.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the tests are about
export type Message = { event: string; id: string | undefined; data: any }
/** What a block of a stream says: a message, or fields and comments without one. */
type Block = Message | { lines: string }

/** A stream as it comes, block by block (WHATWG HTML §9.2.6). */
function openBlocks(answer: IncomingMessage, query: string) {
  const blocks: Block[] = []
  let rest = ''
  let ended = false
  let look = () => {}
  const parse = (lines: string): Block => {
    const fields = new Map(lines.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
    const data = fields.get('data')
    if (data === undefined) return { lines }
    const event = fields.get('event')!
    if (event === 'changes') {
      const answered = { method: 'GET', path: '/changes', query, status: 200, type: 'application/json' }
      holdToDocument({ ...answered, text: data })
    }
    return { event, id: fields.get('id'), data: JSON.parse(data) }
  }
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n\n')
    rest = parts.pop()!
    blocks.push(...parts.map(parse))
    look()
  })
  answer.on('error', () => {})
  answer.on('close', () => {
    ended = true
    look()
  })
  return async (): Promise<Block | undefined> => {
    while (blocks.length === 0 && !ended)
      await new Promise<void>((resolve) => {
        look = resolve
      })
    return blocks.shift()
  }
}

export type Listening = Awaited<ReturnType<typeof listenTo>>

type Sent = { headers?: Record<string, string>; from?: string; method?: string }

/** Listens over a connection of its own to changes; `path` follows `/changes`. */
export async function listenTo(port: number, path = '', { headers, from, method = 'GET' }: Sent = {}) {
  const sent: ClientRequest = request({
    ...{ host: '127.0.0.1', port, method, path: `${ROOT}/changes${path}`, agent: false },
    ...(from && { localAddress: from }),
    headers: { accept: 'text/event-stream', ...headers },
  })
  sent.on('error', () => {})
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const own = answer.headers as Record<string, string>
  const isStream = own['content-type'] === 'text/event-stream' && method === 'GET'
  const block = isStream ? openBlocks(answer, path.slice(1)) : async () => undefined
  const ended = new Promise<void>((resolve) => answer.on('close', resolve))
  const whole = isStream ? '' : await text(answer)
  /** The next message; undefined after the end. */
  async function next(): Promise<Message | undefined> {
    for (;;) {
      const one = await block()
      if (one === undefined || 'event' in one) return one
    }
  }
  return {
    status: answer.statusCode!,
    headers: own,
    body: whole === '' ? undefined : JSON.parse(whole),
    block,
    next,
    /** The changes of the next message in short. */
    async told(): Promise<string[]> {
      const { data } = (await next())!
      return data.changes.map(
        ({ kind, id, operation }: Record<string, unknown>) => `${operation} ${kind} ${id}`,
      )
    },
    ended,
    answer,
    close: () => sent.destroy(),
  }
}

/** Lets an application listen, and gives what listens to it until the test ends. */
export async function openListeners(t: Test, { app }: Pick<Api, 'app'>) {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const open: Listening[] = []
  t.teardown(() => open.forEach((one) => void one.close()))
  return {
    port,
    async listen(path = '', sent: Sent = {}) {
      const listening = await listenTo(port, path, sent)
      open.push(listening)
      return listening
    },
    /** One that has had its first message. */
    async begin(path = '', headers: Record<string, string> = {}) {
      const listening = await listenTo(port, path, { headers })
      open.push(listening)
      return { ...listening, first: (await listening.next())! }
    },
  }
}
