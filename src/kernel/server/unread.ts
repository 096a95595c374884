import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { clientOf } from '../limits/limits.ts'
import type { Warnings } from './warnings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Bounds what the connections of one more server leave unread. */
    watchUnread(server: Server): void
  }
}

/** Bytes of responses that may wait in memory until their clients read them, on all connections together. */
const MOST = 64 * 2 ** 20
/** Milliseconds between two looks. */
const EVERY = 250

type Waiting = { socket: Socket; bytes: number }

/** The sum of what waits. */
const sumOf = (some: Waiting[]) => some.reduce((sum, { bytes }) => sum + bytes, 0)

/**
 * Which connections have to be closed, so that no more than `most` bytes wait: those of the address for which the most bytes wait come
 * first, and of these the ones with the most bytes.
 */
export function findExcess(sockets: Iterable<Socket>, most: number): Waiting[] {
  const waiting = [...sockets]
    .map((socket) => ({ socket, bytes: socket.writableLength }))
    .filter(({ bytes }) => bytes > 0)
  let over = sumOf(waiting) - most
  if (over <= 0) return []
  const byClient = new Map<string, Waiting[]>()
  for (const one of waiting) {
    const client = clientOf({ ip: String(one.socket.remoteAddress) })
    const own = byClient.get(client)
    if (own) own.push(one)
    else byClient.set(client, [one])
  }
  const ordered = [...byClient.values()]
    .sort((a, b) => sumOf(b) - sumOf(a))
    .flatMap((own) => own.sort((a, b) => b.bytes - a.bytes))
  const excess: Waiting[] = []
  for (const one of ordered) {
    if (over <= 0) break
    excess.push(one)
    over -= one.bytes
  }
  return excess
}

type Options = { warnings: Warnings; most?: number; every?: number }

/** Closes connections whose clients do not read if too many bytes wait for them. Nothing runs while there are no connections. */
export function openWatch(log: FastifyInstance['log'], { warnings, most = MOST, every = EVERY }: Options) {
  const sockets = new Set<Socket>()
  let timer: NodeJS.Timeout | undefined

  function look() {
    const excess = findExcess(sockets, most)
    for (const { socket } of excess) socket.destroy()
    if (excess.length > 0)
      warnings.warn(
        'unread',
        log,
        { connections: excess.length, bytes: sumOf(excess) },
        'connections were closed, because their clients did not read the responses that they had requested',
      )
  }

  return (server: Server) =>
    void server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      timer ??= setInterval(look, every).unref()
      socket.once('close', () => {
        sockets.delete(socket)
        if (sockets.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
    })
}

/** Bounds the bytes of responses that wait for clients which do not read. */
export const unread = fp<Options>(
  async (app, options) => {
    const watch = openWatch(app.log, options)
    app.decorate('watchUnread', watch)
    watch(app.server as Server)
  },
  { name: 'unread', dependencies: ['log'] },
)
