import { connect, type Socket } from 'node:net'
import { tell } from '../child.ts'

// Listeners of `GET /changes`, over a connection each and from many addresses, that look for words and at nothing else.

/** What a crowd is asked: to grow to a size, or to wait until each has heard a word. */
export type Asked = { port: number; path: string; size: number } | { word: string }
/** Nanoseconds of the monotonic clock at which the last one had what was asked, and the bytes received so far. */
export type Heard = { at: string; bytes: number }

const ADDRESSES = 200
const AT_ONCE = 100
const END = '\n\n'
const EVENT = 'event: changes'

/** What has come since the last whole message, and the whole messages that came together last. */
type Ear = { tail: string; said: string }
const ears: Ear[] = []
let bytes = 0
let look = () => {}

function open({ port, path }: { port: number; path: string }): Promise<void> {
  const ear: Ear = { tail: '', said: '' }
  const localAddress = `127.0.1.${1 + (ears.length % ADDRESSES)}`
  ears.push(ear)
  const socket: Socket = connect({ host: '127.0.0.1', port, localAddress })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`)
  return new Promise((resolve, reject) => {
    socket.on('error', reject).on('data', (chunk) => {
      bytes += chunk.length
      const text = ear.tail + chunk.toString('latin1')
      const until = text.lastIndexOf(END)
      ear.tail = until < 0 ? text : text.slice(until + END.length)
      if (until >= 0) ear.said = text.slice(0, until)
      if (ear.said.includes(EVENT)) resolve()
      look()
    })
  })
}

const until = (holds: (ear: Ear) => boolean) =>
  new Promise<void>((resolve) => {
    let first = 0
    look = () => {
      while (first < ears.length && holds(ears[first]!)) first++
      if (first === ears.length) resolve()
    }
    look()
  })

async function answer(asked: Asked): Promise<Heard> {
  if ('size' in asked)
    while (ears.length < asked.size)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, asked.size - ears.length) }, () => open(asked)),
      )
  else await until(({ said }) => said.includes(asked.word))
  return { at: String(process.hrtime.bigint()), bytes }
}

process.on('message', (asked) => void answer(asked as Asked).then(tell))
tell({ port: 0 })
