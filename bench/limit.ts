import { readFileSync, writeFileSync } from 'node:fs'
import Fastify from 'fastify'

// The bare limit: Fastify sending the same bytes as a ready Buffer.
const bytes = readFileSync(process.env.BYTES!)
const app = Fastify()
app.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes))
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
writeFileSync(process.env.READY!, '{}')
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))
