import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'

// The bare limit: Fastify sending the same bytes as a ready Buffer.
const bytes = readFileSync(process.env.BYTES!)
const app = Fastify()
app.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes))
await app.listen({ host: '127.0.0.1', port: 0 })
writeFileSync(process.env.READY!, JSON.stringify({ port: (app.server.address() as AddressInfo).port }))
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))
