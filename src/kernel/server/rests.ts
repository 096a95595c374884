import type { Socket } from 'node:net'

/** Milliseconds for which a connection stays open after its last response. A reset at once could lose the response. */
const LINGER = 1_000
/** Connections of the process whose rest is read meanwhile, so that a client that sends all before it reads gets its response. */
const MOST_READ = 4
/** Bytes of rests that are read before others are left unread, and how many more each second: what is read is garbage, which V8 collects. */
const AT_ONCE = 32 * 2 ** 20
const EACH_SECOND = 8 * 2 ** 20

type Lingering = Pick<Socket, 'bytesRead' | 'destroySoon' | 'end' | 'pause' | 'destroy'> & {
  once(event: 'close', done: () => void): unknown
}

/**
 * Reads, or leaves unread, what clients send after the last response of their connections. `clock` counts milliseconds.
 */
export function openRests(clock: () => number) {
  let reading = 0
  let room = AT_ONCE
  let filled = clock()
  const hasRoom = () => {
    const now = clock()
    room = Math.min(AT_ONCE, room + ((now - filled) / 1_000) * EACH_SECOND)
    filled = now
    return room > 0
  }

  /**
   * Makes a connection that is closed with its last response wait a moment for what the client still sends. If many wait, or much was read
   * lately, the rest of the later ones is left unread, so that a flood of refused uploads costs little.
   */
  return (socket: Lingering) => {
    socket.destroySoon = () => {
      socket.end()
      if (reading < MOST_READ && hasRoom()) {
        reading++
        const before = socket.bytesRead
        socket.once('close', () => {
          reading--
          room -= socket.bytesRead - before
        })
      } else setImmediate(() => socket.pause()) // Node.js resumes it after the response
      setTimeout(() => socket.destroy(), LINGER).unref()
    }
  }
}

/** That of this process. */
export const linger = openRests(() => performance.now())
