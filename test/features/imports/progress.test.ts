import Fastify from 'fastify'
import t from 'tap'
import { sendProgress } from '../../../src/features/imports/routes.ts'
import { ApiError } from '../../../src/kernel/errors.ts'

/** The answer to work, and what was logged. */
async function answerTo(work: Parameters<typeof sendProgress>[2]) {
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'error', stream: { write: (line) => void lines.push(line) } } })
  app.get('/', (request, reply) => sendProgress(request, reply, work))
  const { body, statusCode } = await app.inject('/')
  return { body, statusCode, lines }
}

t.test(
  'what fails on the way is told as the last message, and what is unexpected is logged alone',
  async (t) => {
    const known = await answerTo(async (progress) => {
      progress(1, 2)
      progress(2, 2)
      throw new ApiError('rest_forbidden', 'Not any more.')
    })
    t.match(known, { statusCode: 200, lines: [] })
    const failure = { code: 'rest_forbidden', message: 'Not any more.', data: { status: 403 } }
    t.equal(
      known.body,
      `event: progress\ndata: {"done":1,"total":2}\n\nevent: failure\ndata: ${JSON.stringify(failure)}\n\n`,
    )
    const unexpected = await answerTo(async (progress) => {
      progress(1, 2)
      throw new Error('secret')
    })
    t.match(unexpected.body, /event: failure\ndata: \{"code":"internal_server_error"/)
    t.notMatch(unexpected.body, /secret/)
    t.match(unexpected.lines, [/secret/])
  },
)

t.test('what fails before it has come anywhere is an answer of its own', async (t) => {
  const { statusCode, body } = await answerTo(() => Promise.reject(new Error('secret')))
  t.match([statusCode, body], [500, /secret/])
})
