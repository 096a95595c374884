import Fastify from 'fastify'
import { listen } from './child.ts'

// The bare limit: Fastify sending bytes as a ready Buffer; which ones is PUT there.
let bytes: Buffer = Buffer.alloc(0)
const app = Fastify({ bodyLimit: 2 ** 30 })
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
app.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes))
app.put('/', (request, reply) => {
  bytes = request.body as Buffer
  return reply.code(204).send()
})
await listen(app)
