import { connect } from 'node:net'
import { HOSTILE_ADDRESS, type Pours, type Statuses } from './attack.ts'

/** Milliseconds until a connection that was closed is opened again. */
const AGAIN = 10

/** Writes to all connections until the process ends, and counts in `statuses` what came back. */
export function pour(attack: Pours, root: string, statuses: Statuses) {
  const { hostname, port, pathname } = new URL(root)
  const { bytes, times, reads } = attack.pour(pathname)
  const all = Buffer.from(bytes.repeat(times)) // all connections share it
  const count = (what: string) => {
    statuses[what] = (statuses[what] ?? 0) + 1
  }

  function open() {
    const socket = connect({ host: hostname, port: Number(port), localAddress: HOSTILE_ADDRESS })
    let answers = 0
    if (reads)
      socket.on('data', (chunk: Buffer) => {
        for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
          count(status!)
          if (++answers % times === 0) socket.write(all)
        }
      })
    socket.on('connect', () => {
      count('opened')
      socket.write(all)
    })
    socket.on('error', () => {}) // the end of the connection follows
    socket.on('close', () => {
      count('closed')
      setTimeout(open, AGAIN)
    })
  }
  for (let at = 0; at < attack.connections; at++) open()
}
