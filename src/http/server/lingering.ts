import type { Socket } from 'node:net'

/** Milliseconds for which a connection stays open after its last response. A reset at once could lose the response. */
const LINGER = 1_000

/** Makes a connection that is closed with its last response wait a moment for what the client still sends. */
export function linger(socket: Socket) {
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), LINGER).unref()
  }
}
