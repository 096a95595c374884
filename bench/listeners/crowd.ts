import { connect } from 'node:net'
import { tell } from '../child.ts'

// Listeners of `GET /changes`, over a connection each and from many addresses, that wait for a word and look at nothing else.

/** What a crowd is asked: to grow to a size, or to wait until each has heard a word of at most 32 characters. */
export type Asked = { port: number; path: string; size: number } | { word: string }
/** Nanoseconds of the monotonic clock at which the last one had what was asked, and the bytes received so far. */
export type Heard = { at: string; bytes: number }

const ADDRESSES = 200
const AT_ONCE = 100
/** Characters of which a part may come with the next bytes. */
const TAIL = 32

let size = 0
let bytes = 0
let word = 'event: changes'
/** The listeners who have not heard the word, and what to do when there are none. */
let left = 0
let done = () => {}
let turn = 0

function open({ port, path }: { port: number; path: string }) {
  let tail = ''
  let heard = -1
  const localAddress = `127.0.1.${1 + (size++ % ADDRESSES)}`
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`)
  socket.on('data', (chunk) => {
    bytes += chunk.length
    if (heard < turn && (chunk.includes(word) || (tail + chunk.toString('latin1', 0, TAIL)).includes(word))) {
      heard = turn
      if (--left === 0) done()
    }
    tail = chunk.toString('latin1', Math.max(0, chunk.length - TAIL))
  })
  socket.on('error', (error) => {
    throw error
  })
}

/** Waits until so many more have heard a word. */
function until(wanted: string, listeners: number) {
  word = wanted
  left = listeners
  turn++
  return new Promise<void>((resolve) => {
    done = resolve
    if (left === 0) resolve()
  })
}

async function answer(asked: Asked): Promise<Heard> {
  if ('word' in asked) await until(asked.word, size)
  else
    while (size < asked.size) {
      const more = Math.min(AT_ONCE, asked.size - size)
      const begun = until('event: changes', more)
      for (let at = 0; at < more; at++) open(asked)
      await begun
    }
  return { at: String(process.hrtime.bigint()), bytes }
}

process.on('message', (asked) => void answer(asked as Asked).then(tell))
tell({ port: 0 })
