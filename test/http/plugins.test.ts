import Fastify, { type FastifyPluginAsync } from 'fastify'
import t from 'tap'
import { openapi } from '../../src/http/openapi/document.ts'
import { auth } from '../../src/http/plugins/auth.ts'
import { answers } from '../../src/http/plugins/caching.ts'
import { headers } from '../../src/http/plugins/headers.ts'
import { intake } from '../../src/http/plugins/intake.ts'
import { limits } from '../../src/http/plugins/limits.ts'
import { log } from '../../src/http/plugins/log.ts'
import { methods, otherMethods } from '../../src/http/plugins/methods.ts'
import { overload } from '../../src/http/plugins/overload.ts'
import { proxies } from '../../src/http/plugins/proxies.ts'
import { relay } from '../../src/http/plugins/relay.ts'
import { rights } from '../../src/http/plugins/rights.ts'
import { schedule } from '../../src/http/plugins/schedule.ts'
import { eventRoutes } from '../../src/http/routes/events.ts'
import { health } from '../../src/http/routes/health.ts'
import { openDb } from '../../src/store/sqlite/db.ts'
import { build, EVENT } from '../support/app.ts'
import { must } from '../support/events.ts'

t.test('a plugin that is registered before one that it needs fails at start', async (t) => {
  const cases = { log, headers, health, proxies, answers, relay, overload, limits, auth, intake, rights }
  for (const [name, plugin] of Object.entries({ ...cases, schedule, openapi, otherMethods, eventRoutes })) {
    const app = Fastify()
    app.register(plugin as unknown as FastifyPluginAsync)
    await t.rejects(
      async () => void (await app.ready()),
      {
        code: 'FST_ERR_PLUGIN_DEPENDENCY_NOT_REGISTERED',
        message: /^The dependency '.+' of plugin '.+' is not/,
      },
      name,
    )
  }
  const late = Fastify()
  late.register(methods)
  late.register(rights)
  late.register(otherMethods)
  await t.rejects(async () => void (await late.ready()), {
    message: "The dependency 'auth' of plugin 'rights' is not registered",
  })
})

t.test('what one kind of record asks of its requests is asked of no other', async (t) => {
  const { editor } = await build(t)
  const parent = await must(editor.post('/categories', { name: 'Music' }))
  t.equal(
    (await editor.post('/tags', { name: 'Rock', parent: parent.id })).body.code,
    'rest_taxonomy_not_hierarchical',
  )
  t.equal((await must(editor.post('/categories', { name: 'Rock', parent: parent.id }))).parent, parent.id)
})

t.test(
  'databases of one process count their own commits, and end the turns of their own readers',
  async (t) => {
    const [one, other] = [openDb(':memory:'), openDb(':memory:')]
    t.teardown(() => {
      one.close()
      other.close()
    })
    const before = other.version()
    await one.write(async () => {})
    t.equal(other.version(), before)
  },
)

t.test('visitors who try passwords at one application keep nobody waiting at another', async (t) => {
  const [one, other] = [await build(t), await build(t)]
  const secret = { ...EVENT, password: 'right' }
  const ids = [
    await must(one.editor.post('/events', secret)),
    await must(other.editor.post('/events', secret)),
  ].map(({ id }) => id)
  const many = Array.from({ length: 50 }, (_, at) =>
    one.anonymous.get(`/events/${ids[0]}?password=wrong${at}`),
  )
  const visit = await other.anonymous.get(`/events/${ids[1]}?password=right`)
  t.equal(visit.status, 200)
  t.same(new Set((await Promise.all(many)).map(({ status }) => status)), new Set([403, 503]))
})
