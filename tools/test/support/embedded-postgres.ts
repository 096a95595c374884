import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'

/**
 * Sees what a client is about to send, and may end its connection before that is run, or after it and before the answer; leave it
 * without an answer, run or not; run other statements instead; or answer with an error.
 */
export type Tap = (
  statements: string,
) =>
  | undefined
  | 'cut before'
  | 'cut after'
  | 'hang'
  | 'hang after'
  | { instead: string }
  | { error: string; severity?: string }
  | Promise<undefined>

/** The first bytes of a connection are no message: a request for TLS, or the startup. */
const TLS = 80877103

/**
 * PostgreSQL in this process, on a port: PGlite, which has one session, shared by connections that take turns. A connection keeps its
 * turn until its transaction ends, and each listens to notifications for itself.
 */
export async function embeddedPostgres() {
  const pg = await openEmpty()
  const listeners = new Set<Socket>()
  const sockets = new Set<Socket>()
  let turn: Promise<unknown> = Promise.resolve()
  let tap: Tap = () => undefined
  let isDown = false
  let isMute = false
  let refusal: string | undefined

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
    socket.on('data', (data: Buffer) => {
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
        work = work.then(() => (isStartup ? begin() : answer(message)))
      }
    })

    function begin() {
      if (refusal === undefined) return greet(socket)
      socket.end(failureOf(refusal, 'FATAL'))
    }

    async function answer(sent: Buffer) {
      let message = sent
      const kind = String.fromCharCode(message[0]!)
      if (kind === 'X') return void socket.end()
      const [limit, text] = kind === 'Q' ? parted(message.subarray(5, -1).toString()) : ['', '']
      if (socket.destroyed) return
      const what = await tap(text)
      if (what === 'hang') return
      if (typeof what === 'object' && 'error' in what)
        return void socket.write(
          Buffer.concat([failureOf(what.error, what.severity ?? 'ERROR'), readyFor(release ? 'E' : 'I')]),
        )
      if (typeof what === 'object') message = queryOf(limit + what.instead)
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
      if (!isMute) for (const listener of listeners) for (const one of notifications) listener.write(one)
      if (what === 'hang after') return
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
    /** Runs statements beside the connections, when it is their turn; returns the rows of the last one. */
    async ask<T>(statements: string): Promise<T[]> {
      const before = turn
      const results = before.then(() => pg.exec(statements))
      turn = results.catch(() => {})
      return (await results).at(-1)!.rows as T[]
    },
    url: `postgres://postgres:secret@127.0.0.1:${port}/postgres`,
    /** Sees every statement before it is run, until the next call. */
    tap(look: Tap) {
      tap = look
    },
    /** Delivers no notifications, or delivers them again. */
    mute(is: boolean) {
      isMute = is
    },
    /** Refuses logins with this error, until the next call. */
    refuse(error: string | undefined) {
      refusal = error
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

const PACKAGE = new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8'))
const KEPT = fileURLToPath(new URL('../../../.tap/', import.meta.url))

/** A server with nothing in it. Making one takes ten times as long as unpacking one, so the first is kept for later runs. */
async function openEmpty(): Promise<PGlite> {
  const kept = `${KEPT}postgres-${version}.tar`
  if (existsSync(kept)) return PGlite.create({ loadDataDir: new Blob([readFileSync(kept)]) })
  const pg = await PGlite.create()
  const dumped = Buffer.from(await (await pg.dumpDataDir('none')).arrayBuffer())
  mkdirSync(KEPT, { recursive: true })
  writeFileSync(`${kept}.${process.pid}`, dumped)
  renameSync(`${kept}.${process.pid}`, kept)
  return pg
}

/** What a session sends before its statements, and these. */
export function parted(text: string): [limit: string, statements: string] {
  const limit = /^(set local statement_timeout = \d+; )?/.exec(text)![0]
  return [limit, text.slice(limit.length)]
}

/** A message that the client could have sent. */
function queryOf(statements: string): Buffer {
  const text = Buffer.from(`${statements}\0`)
  return Buffer.concat([Buffer.from('Q'), size(text.length), text])
}

/** ErrorResponse with an SQLSTATE. */
function failureOf(code: string, severity: string): Buffer {
  const text = Buffer.from(`S${severity}\0C${code}\0Mthe server says ${code}\0\0`)
  return Buffer.concat([Buffer.from('E'), size(text.length), text])
}

/** ReadyForQuery. */
const readyFor = (state: string) => Buffer.from([0x5a, 0, 0, 0, 5, state.charCodeAt(0)])

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
      readyFor('I'),
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
