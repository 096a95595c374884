import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { addToken, serveFile } from '../../test/support/process.ts'
import { temporaryFolder } from '../data.ts'
import { memoryOf } from '../process.ts'

const MIB = 2 ** 20
const CONNECTIONS = 100
/** Milliseconds for which the bodies of a round are withheld, and after it. */
const HELD = 3_000
const REST = 500
/**
 * Megabytes above the resident memory of a warm service that bodies may take: both bounds of src/kernel/input/bodies.ts, 64 MiB each,
 * twice while a body is put together, and what the garbage collector has not looked at yet.
 */
const BOUND = 250

type Kind = { name: string; path: string; type: string; begin: string; size: number; chunked?: boolean }
const FORM = 'multipart/form-data; boundary=b'
const field = (name: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
const KINDS: Kind[] = [
  { name: 'JSON', path: '/events', type: 'application/json', begin: '{"title":"', size: MIB },
  { name: 'small JSON', path: '/events', type: 'application/json', begin: '{"title":"', size: 60_000 },
  {
    name: 'form',
    path: '/events',
    type: 'application/x-www-form-urlencoded',
    begin: 'title=',
    size: MIB,
  },
  { name: 'multipart', path: '/events', type: FORM, begin: field('title'), size: MIB },
  {
    name: 'upload form',
    path: '/media',
    type: FORM,
    begin: field('file', '; filename="a.png"'),
    size: 10 * MIB,
  },
  { name: 'picture', path: '/media', type: 'image/png', begin: '', size: 10 * MIB },
  {
    name: 'chunked JSON',
    path: '/events',
    type: 'application/json',
    begin: '{"title":"',
    size: MIB,
    chunked: true,
  },
  { name: 'chunked picture', path: '/media', type: 'image/png', begin: '', size: 10 * MIB, chunked: true },
  { name: 'unknown address', path: '/nowhere', type: 'application/json', begin: '{', size: MIB },
]

/** The bytes of a body in pieces, all but the last byte. */
function* piecesOf({ begin, size, chunked }: Kind): Generator<Buffer> {
  const filler = Buffer.alloc(MIB / 16, 'x')
  for (let left = size - 1, first = true; left > 0; first = false) {
    const piece = first ? Buffer.concat([Buffer.from(begin), filler]) : filler
    const bytes = piece.subarray(0, left)
    left -= bytes.length
    yield chunked
      ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
      : bytes
  }
}

/** Begins a request and withholds the last byte of its body. */
function withhold(
  port: number,
  root: string,
  kind: Kind,
  token: string | undefined,
  statuses: Record<string, number>,
): Socket {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    if (answer === '') {
      const status = String(chunk).slice(9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
    answer += chunk
  })
  socket.on('error', () => {}) // who is refused is cut off
  socket.write(
    [
      `POST ${root}${kind.path} HTTP/1.1`,
      'Host: x',
      ...(token ? [`Authorization: Bearer ${token}`] : []),
      kind.chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${kind.size}`,
      `Content-Type: ${kind.type}\r\n\r\n`,
    ].join('\r\n'),
  )
  const pieces = piecesOf(kind)
  const send = () => {
    for (let piece = pieces.next(); !piece.done && !socket.destroyed; piece = pieces.next())
      if (!socket.write(piece.value)) return void socket.once('drain', send)
  }
  send()
  return socket
}

/**
 * Sends bodies of every kind from many connections, anonymous and with credentials, and withholds their last byte, while it samples
 * the resident memory of the service. Takes about a minute; gives whether the memory stayed within its bound. Prints one line of JSON.
 */
export async function fuzzMemory(): Promise<boolean> {
  const file = join(temporaryFolder(), 'a.db')
  const tokens = [await addToken(file), await addToken(file), await addToken(file)]
  const served = await serveFile(file, { RATE_LIMIT: '9999999', LOG_LEVEL: 'fatal' })
  const { port, pathname } = new URL(served.root)
  const memory = () => Math.round(memoryOf(served.child.pid!) / MIB)
  for (let n = 0; n < 50; n++) await (await fetch(`${served.root}/events?page=1&n=${n}`)).text()
  const baseline = memory()
  let most = baseline
  const rounds: object[] = []
  for (const who of ['anonymous', 'signed in'])
    for (const kind of KINDS) {
      const statuses: Record<string, number> = {}
      let highest = 0
      const sockets = Array.from({ length: CONNECTIONS }, (_, at) =>
        withhold(Number(port), pathname, kind, who === 'anonymous' ? undefined : tokens[at % 3], statuses),
      )
      for (const end = Date.now() + HELD; Date.now() < end; await pause(50))
        highest = Math.max(highest, memory())
      for (const socket of sockets) socket.destroy()
      await pause(REST)
      most = Math.max(most, highest)
      rounds.push({ who, body: kind.name, statuses, megabytes: highest })
      process.stderr.write(`${who} ${kind.name}: ${highest} MB ${JSON.stringify(statuses)}\n`)
    }
  const answers = (await fetch(`${served.root}/events`)).status === 200
  const ok = answers && served.child.exitCode === null && most - baseline <= BOUND
  served.child.kill('SIGTERM')
  await served.ended
  process.stdout.write(
    `${JSON.stringify({ ok, answers, connections: CONNECTIONS, megabytes: { baseline, most, bound: baseline + BOUND }, rounds })}\n`,
  )
  return ok
}
