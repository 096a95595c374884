import Fastify from 'fastify'
import { listen } from './child.ts'

// The bare limit: Fastify sending bytes as a ready Buffer; which ones is PUT there. Beside it the same as text, and as objects.
let bytes: Buffer = Buffer.alloc(0)
let text = ''
let objects = {}
const app = Fastify({ bodyLimit: 2 ** 30 })
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
app.get('/text', (_request, reply) => reply.type('application/json; charset=utf-8').send(text))
app.get('/objects', (_request, reply) => reply.send(objects))
app.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes))
app.put('/', (request, reply) => {
  bytes = request.body as Buffer
  text = bytes.toString()
  if (text.startsWith('{')) objects = JSON.parse(text)
  return reply.code(204).send()
})
await listen(app)
