import t from 'tap'
import { buildApp } from '../src/app.ts'
import { SERVICE_SETTINGS } from '../src/calendar/config.ts'
import { readConfig } from '../src/config.ts'
import { FEATURES } from '../src/features.ts'
import { readSettings } from '../src/kernel/settings.ts'
import { openDomainEvents } from '../src/kernel/store.ts'
import { must } from './support/answers.ts'
import { type Api, build, countOf, EVENT, ROOT, withDependents } from './support/app.ts'

/** A feature that keeps and adds nothing. */
const BARE = { name: 'bare', async plugin() {} }

/** What the specification has: its operations are served without any feature. */
const PATHS = [
  '/',
  '/events',
  '/events/2',
  '/venues',
  '/organizers',
  '/categories',
  '/tags',
  '/events?search=organ',
]

/** Operations with a tag of the calendar. */
const UNTAGGED: Record<string, string[]> = { previews: ['createPreview'] }

t.test('the service without a feature, and without all, serves the rest with the same bytes', async (t) => {
  const answersOf = async ({ editor, anonymous }: Api) => {
    await must(editor.post('/events', { ...EVENT, venue: { venue: 'Hall' }, categories: ['Music'] }))
    return Promise.all(PATHS.slice(1).map(async (path) => (await anonymous.get(path)).text))
  }
  const whole = await build(t)
  const expected = await answersOf(whole)
  const { paths: all } = (await whole.anonymous.get('/doc')).body
  for (const absent of [...FEATURES.map((feature) => withDependents([feature])), FEATURES]) {
    const names = absent.map(({ name }) => name).join(', ')
    const features = [...FEATURES.filter((feature) => !absent.includes(feature)), BARE]
    const part = await build(t, { features })
    t.same(await answersOf(part), expected, names)
    const document = (await part.anonymous.get('/doc')).body
    const tags = absent.flatMap((feature) => Object.keys(feature.tags ?? {}))
    const untagged = absent.flatMap(({ name }) => UNTAGGED[name] ?? [])
    const isOf = (operation: { operationId: string; tags: string[] }) =>
      untagged.includes(operation.operationId) || operation.tags.some((tag) => tags.includes(tag))
    const left = Object.entries(all).filter(([, methods]) => !Object.values(methods as object).some(isOf))
    t.same(
      Object.keys(document.paths),
      left.map(([path]) => path),
      names,
    )
    const codes = absent.flatMap(({ errors = {} }) => Object.keys(errors))
    const named = new Set(JSON.stringify([document.paths, document.components]).match(/[\w-]+/g))
    t.same(
      codes.filter((code) => named.has(code)),
      [],
      `${names}: no error that nobody can get`,
    )
    for (const { type } of absent.flatMap(({ formats }) => formats?.list ?? [])) {
      const accept = type.split(';')[0]!
      const { headers, body: text } = await part.app.inject({ url: `${ROOT}/events`, headers: { accept } })
      t.equal(headers['content-type'], 'application/json; charset=utf-8', `${names}: ${type}`)
      t.equal(text, expected[0])
    }
    t.notOk(
      document.tags.some(({ name }: { name: string }) => tags.includes(name)),
      names,
    )
  }
})

t.test('without the history, no change of an event is kept', async (t) => {
  for (const [features, kept] of [
    [FEATURES, 1],
    [FEATURES.filter(({ name }) => name !== 'history'), 0],
  ] as const) {
    const api = await build(t, { features })
    const { id } = await must(api.editor.post('/events', EVENT))
    await must(api.editor.patch(`/events/${id}`, { title: 'Other' }))
    t.equal(countOf(api, 'revisions'), kept)
  }
})

t.test('without nodes, PostgreSQL is refused, and nothing is opened', async (t) => {
  const env = { DATABASE: 'postgres://ada:secret@127.0.0.1:1/calendar', REPLICA: 'data/replica.db' }
  t.throws(() => readSettings(SERVICE_SETTINGS, env), {
    unusable: true,
    message:
      'DATABASE must be the path of a file, because this program lacks the feature "nodes", which knows PostgreSQL; it is "postgres://ada:***@127.0.0.1:1/calendar".',
  })
  const features = FEATURES.filter(({ name }) => name !== 'nodes')
  await t.rejects(buildApp({ config: readConfig(env), features }), {
    unusable: true,
    message:
      'postgres://ada:***@127.0.0.1:1/calendar: is no file, and this service lacks the feature "nodes", which knows PostgreSQL; set DATABASE to the path of a file',
  })
})

t.test('a feature that lacks what it needs is named', async (t) => {
  const lacking = { name: 'lacking', needs: ['bare'], async plugin() {} }
  await t.rejects(build(t, { features: [lacking] }), {
    message: 'The feature "lacking" needs the feature "bare", which is not in the list.',
  })
})

t.test('a listener is awaited, in its order, and what it throws is thrown', async (t) => {
  const events = openDomainEvents()
  const heard: string[] = []
  const told = { w: {}, user: { id: 1 } } as never
  await events.emit('user.changed', told)
  events.on('user.changed', async () => {
    await new Promise(setImmediate)
    heard.push('first')
  })
  events.on('user.changed', async () => void heard.push('second'))
  events.on('user.removing', async () => {
    throw new Error('no')
  })
  await events.emit('user.changed', told)
  t.same(heard, ['first', 'second'])
  t.ok(events.hears('user.changed'))
  t.notOk(events.hears('record.changed'), 'nobody wants to know')
  await t.rejects(events.emit('user.removing', told), { message: 'no' })
})
