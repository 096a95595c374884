import { createServer, type Socket } from 'node:net'
import { PGlite } from '@electric-sql/pglite'

/** A step of a client: what it is about to send. Throwing cuts its connection before that; `after` cuts it before the answer. */
export type Tap = (statements: string) => undefined | 'cut before' | 'cut after' | 'hang'

/** The first bytes of a connection are no message: a request for TLS, or the startup. */
const TLS = 80877103

/**
 * PostgreSQL in this process, on a port: PGlite, which has one session, shared by connections that take turns. A connection keeps its
 * turn until its transaction ends, and each listens to notifications for itself.
 */
export async function embeddedPostgres() {
  const pg = await PGlite.create()
  const listeners = new Set<Socket>()
  const sockets = new Set<Socket>()
  let turn: Promise<unknown> = Promise.resolve()
  let tap: Tap = () => undefined
  let isDown = false

  const server = createServer((socket) => {
    if (isDown) return void socket.destroy()
    sockets.add(socket)
    let buffered = Buffer.alloc(0)
    let started = false
    let work: Promise<unknown> = Promise.resolve()
    let release = none()
    const leave = () => {
      sockets.delete(socket)
      listeners.delete(socket)
      work = work.then(async () => {
        if (!release) return
        await pg.exec('rollback').catch(() => {})
        release()
        release = undefined
      })
    }
    socket.on('error', () => {})
    socket.on('close', leave)
    socket.on('data', (data) => {
      buffered = Buffer.concat([buffered, data])
      for (;;) {
        const head = started ? 1 : 0
        if (buffered.length < head + 4) return
        const length = buffered.readUInt32BE(head) + head
        if (buffered.length < length) return
        const message = buffered.subarray(0, length)
        buffered = buffered.subarray(length)
        if (!started && message.readUInt32BE(4) === TLS) {
          socket.write('N')
          continue
        }
        const isStartup = !started
        started = true
        work = work.then(() => (isStartup ? greet(socket) : answer(message)))
      }
    })

    async function answer(message: Buffer) {
      const kind = String.fromCharCode(message[0]!)
      if (kind === 'X') return void socket.end()
      const text = kind === 'Q' ? message.subarray(5, -1).toString() : ''
      if (socket.destroyed) return
      const what = tap(text)
      if (what === 'hang') return
      if (what === 'cut before') return void socket.destroy()
      if (!release) {
        const before = turn
        turn = new Promise<void>((done) => {
          release = done
        })
        await before
        if (socket.destroyed) return leave()
      }
      if (/^listen /i.test(text)) listeners.add(socket)
      const bytes = Buffer.from(await pg.execProtocolRaw(message))
      const { own, notifications, state } = split(bytes)
      if (state === 'I') {
        release?.()
        release = undefined
      }
      for (const listener of listeners) for (const one of notifications) listener.write(one)
      if (what === 'cut after') return void socket.destroy()
      socket.write(own)
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    pg,
    url: `postgres://postgres:secret@127.0.0.1:${port}/postgres`,
    /** Sees every statement before it is run, until the next call. */
    tap(look: Tap) {
      tap = look
    },
    /** Ends all connections. */
    cut,
    /** Refuses connections, or takes them again. */
    down(is: boolean) {
      isDown = is
      if (is) cut()
    },
    async close() {
      cut()
      await new Promise((done) => server.close(done))
      await pg.close()
    },
  }
}
export type EmbeddedPostgres = Awaited<ReturnType<typeof embeddedPostgres>>

const none = (): (() => void) | undefined => undefined

/** AuthenticationOk, the parameters that clients look at, and ReadyForQuery. */
function greet(socket: Socket) {
  const parameter = (name: string, value: string) => {
    const text = Buffer.from(`${name}\0${value}\0`)
    return Buffer.concat([Buffer.from('S'), size(text.length), text])
  }
  socket.write(
    Buffer.concat([
      Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]),
      parameter('server_version', '17.0'),
      parameter('client_encoding', 'UTF8'),
      parameter('standard_conforming_strings', 'on'),
      Buffer.from([0x5a, 0, 0, 0, 5, 0x49]),
    ]),
  )
}

function size(length: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length + 4)
  return bytes
}

/** The messages of an answer without notifications, these, and the state of the transaction that ReadyForQuery tells. */
function split(bytes: Buffer) {
  const own: Buffer[] = []
  const notifications: Buffer[] = []
  let state = 'I'
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at + 1) + 1
    const message = bytes.subarray(at, at + length)
    const kind = String.fromCharCode(message[0]!)
    if (kind === 'A') notifications.push(message)
    else own.push(message)
    if (kind === 'Z') state = String.fromCharCode(message[5]!)
    at += length
  }
  return { own: Buffer.concat(own), notifications, state }
}
