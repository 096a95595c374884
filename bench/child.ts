import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** What a process of the benchmark tells once it is ready for work. */
export type Ready = { port: number; tokens?: string[] }

/** Tells the process that started this one something, if it listens. */
export function tell(message: unknown) {
  process.send?.(message)
}

/** Listens on PORT, or a free port, tells so, and stops with grace. */
export async function listen(app: FastifyInstance, more: Omit<Ready, 'port'> = {}) {
  await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 0) })
  process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))
  const { port } = app.server.address() as AddressInfo
  tell({ port, ...more } satisfies Ready)
}

process.on('disconnect', () => process.exit(0))
