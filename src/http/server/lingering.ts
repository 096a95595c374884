import type { Socket } from 'node:net'

/** Milliseconds for which a connection stays open after its last response. A reset at once could lose the response. */
const LINGER = 1_000
/** Connections of the process whose rest is read meanwhile, so that a client that sends all before it reads gets its response. */
const MOST_READ = 4
let read = 0

/**
 * Makes a connection that is closed with its last response wait a moment for what the client still sends. If many wait, the rest of
 * the later ones is left unread, so that a flood of refused uploads costs little.
 */
export function linger(socket: Socket) {
  socket.destroySoon = () => {
    socket.end()
    if (read < MOST_READ) {
      read++
      socket.once('close', () => read--)
    } else setImmediate(() => socket.pause()) // Node.js resumes it after the response
    setTimeout(() => socket.destroy(), LINGER).unref()
  }
}
