import { connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import { parted } from './embedded-postgres.ts'

/** What a statement is about to do: it came, it went on, its answer came, its answer went back. */
export type Step = 'asked' | 'sent' | 'answered' | 'told'

/** Sees a step, and may end the connection before it, keep it from happening for ever, or until `release`, or refuse what was asked. */
export type Look = (step: Step, statements: string) => undefined | 'cut' | 'hang' | 'hold' | 'refuse'

/** A message of PostgreSQL's protocol: its kind, and all its bytes. */
type Message = { kind: string; bytes: Buffer }

/** Cuts what arrives into messages. The first one of a client has no kind. */
function messages(heard: (message: Message) => void, hasGreeting: boolean) {
  let buffered = Buffer.alloc(0)
  let greeting = hasGreeting
  return (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk])
    for (;;) {
      const head = greeting ? 0 : 1
      if (buffered.length < head + 4) return
      const length = head + buffered.readUInt32BE(head)
      if (buffered.length < length) return
      const bytes = buffered.subarray(0, length)
      buffered = buffered.subarray(length)
      const kind = greeting ? '' : String.fromCharCode(bytes[0]!)
      greeting = false
      heard({ kind, bytes })
    }
  }
}

function refusal(): Buffer {
  const fields = Buffer.from('SERROR\0C0A000\0Mthis is not supported here\0\0')
  const head = Buffer.from([0x45, 0, 0, 0, 0])
  head.writeUInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields, Buffer.from([0x5a, 0, 0, 0, 5, 0x49])])
}

export type Wire = Awaited<ReturnType<typeof openProxy>>

/**
 * A port between a node and PostgreSQL, which sees the statements of the simple protocol. With `connections` more than one it is like
 * a pooler: each transaction of a client runs on another connection to PostgreSQL.
 */
export async function openProxy(t: Pick<Test, 'teardown'>, port: () => number, connections = 1) {
  const clients = new Set<Socket>()
  const held: (() => void)[] = []
  let look: Look = () => undefined
  const server = createServer((client) => {
    clients.add(client)
    const servers: Socket[] = []
    let at = 0
    let asked: string | undefined
    let answer: Buffer[] = []
    let isStuck = false
    const end = () => {
      clients.delete(client)
      for (const upstream of servers) upstream.end() // what was sent still arrives
    }
    client.on('error', () => {})
    client.on('close', end)

    const open = (greeting: Buffer, place: number) => {
      const upstream = connect(port(), '127.0.0.1')
      let isReady = false
      upstream.on('error', () => {})
      upstream.on('close', () => client.destroy())
      upstream.on(
        'data',
        messages(({ kind, bytes }) => {
          if (!isReady) {
            isReady = kind === 'Z'
            if (place === 0) client.write(bytes)
          } else if (asked === undefined || place !== at) {
            if (connections === 1) client.write(bytes)
          } else {
            answer.push(bytes)
            if (kind === 'Z') give(bytes[5] === 0x49)
          }
        }, false),
      )
      upstream.write(greeting)
      return upstream
    }

    function give(isIdle: boolean) {
      const statements = asked!
      const bytes = Buffer.concat(answer)
      asked = undefined
      answer = []
      if (isIdle) at = (at + 1) % connections
      const what = look('answered', statements)
      if (what === 'cut') return client.destroy()
      if (what === 'hang' || isStuck) return undefined
      client.write(bytes)
      if (look('told', statements) === 'cut') client.destroy()
      return undefined
    }

    client.on(
      'data',
      messages(({ kind, bytes }) => {
        if (isStuck) return
        if (kind === '') {
          for (let place = 0; place < connections; place++) servers.push(open(Buffer.from(bytes), place))
          return
        }
        if (kind !== 'Q') return void servers[at]!.write(bytes)
        const [, statements] = parted(bytes.subarray(5, -1).toString())
        const what = look('asked', statements)
        if (what === 'cut') return void client.destroy()
        if (what === 'refuse') return void client.write(refusal())
        isStuck = what === 'hang'
        if (isStuck) return
        const go = () => {
          asked = statements
          servers[at]!.write(bytes)
          if (look('sent', statements) === 'cut') client.destroy()
        }
        what === 'hold' ? held.push(go) : go()
      }, true),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const cut = () => {
    for (const client of clients) client.destroy()
  }
  t.teardown(() => {
    cut()
    server.close()
  })
  return {
    url: `postgres://postgres@127.0.0.1:${(server.address() as { port: number }).port}/postgres`,
    /** Shows every step of every statement to `looks`, until the next call. */
    watch(looks: Look) {
      look = looks
    },
    /** Lets go on what was held. */
    release() {
      for (const go of held.splice(0)) go()
    },
    /** Ends all connections. */
    cut,
  }
}
