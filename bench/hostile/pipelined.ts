import type { Attack, Pours } from './attack.ts'

const pipelined = (connections: number, times: number, reads: boolean): Pours => ({
  name: `${times.toLocaleString('en')} pipelined requests, ${reads ? 'read' : 'unread'}, ${connections} connections`,
  connections,
  pour: () => ({ bytes: 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n', times, reads }),
})

/** Many requests on one connection, none of which waits for the answer to the one before. */
export const PIPELINED: Attack[] = [
  pipelined(8, 20_000, false),
  pipelined(80, 30_000, false),
  pipelined(8, 20_000, true),
  {
    name: 'lists of 50 events, unread, 400 connections',
    connections: 400,
    pour: (root) => ({
      bytes: `GET ${root}/events?per_page=50&page=2 HTTP/1.1\r\nHost: x\r\n\r\n`,
      times: 20,
      reads: false,
    }),
  },
]
