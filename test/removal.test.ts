import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { FEATURES } from '../src/features.ts'
import { openDomainEvents } from '../src/kernel/domain-events.ts'
import { build, EVENT } from './support/app.ts'
import { must } from './support/events.ts'
import { freePort } from './support/ports.ts'
import { startProgram } from './support/process.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** What docs/architecture.md says to delete: the folders of the room, and its line. */
const FOLDERS = ['src/features/wordpress']
const LINE = /^export \{ wordpress \} from .*\n/m

t.test(
  'without what WordPress clients look for, the service starts and serves its API',
  { timeout: 120_000 },
  async (t) => {
    const root = t.testdir()
    for (const name of ['src', 'schemas', 'drizzle', 'words', 'package.json', 'openapi.json'])
      cpSync(join(ROOT, name), join(root, name), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    for (const folder of FOLDERS) rmSync(join(root, folder), { recursive: true })
    const list = join(root, 'src/beside.ts')
    const text = readFileSync(list, 'utf8')
    t.match(text, LINE)
    writeFileSync(list, text.replace(LINE, ''))

    const way = {
      args: ['--import', 'tsx', join(root, 'src/main.ts')],
      vars: { NODE_OPTIONS: '', _TAPJS_PROCESSINFO_COVERAGE_: '0' },
    }
    const port = await freePort()
    const served = startProgram(t, way, ['serve'], { DATABASE: join(root, 'a.db'), PORT: String(port) })
    await served.said(/answers at/)
    t.match(served.output(), 'answers at')
    const base = `http://127.0.0.1:${port}`
    const statusOf = async (path: string) => (await fetch(base + path)).status
    t.equal(await statusOf('/wp-json/tribe/events/v1/events'), 200)
    t.equal(await statusOf('/calendar/events/v1/events'), 200)
    t.equal(await statusOf('/events/'), 200)
    for (const path of [
      '/wp-json/',
      '/wp-json/wp/v2/tags',
      '/wp-json/tec/v1/events',
      '/feed/',
      '/events/list/',
    ])
      t.equal(await statusOf(path), 404, path)
    const { headers } = await fetch(`${base}/`)
    t.equal(headers.get('x-tec-api-root'), null)
    served.child.kill()
    await served.ended
  },
)

/** A feature that keeps and adds nothing. */
const BARE = { name: 'bare', async plugin() {} }

t.test('the service without a feature, and without all, serves the rest with the same bytes', async (t) => {
  const whole = await build(t)
  const paths = [
    '/events',
    '/events/2',
    '/venues',
    '/organizers',
    '/categories',
    '/tags',
    '/events?format=ics',
  ]
  const answersOf = async ({ editor, anonymous }: typeof whole) => {
    await must(editor.post('/events', { ...EVENT, venue: { venue: 'Hall' }, categories: ['Music'] }))
    return Promise.all(paths.map(async (path) => (await anonymous.get(path)).text))
  }
  const expected = await answersOf(whole)
  const { paths: all } = (await whole.anonymous.get('/doc')).body
  for (const absent of [...FEATURES.map((feature) => [feature]), FEATURES]) {
    const features = [...FEATURES.filter((feature) => !absent.includes(feature)), BARE]
    const part = await build(t, { features })
    t.same(await answersOf(part), expected)
    const document = (await part.anonymous.get('/doc')).body
    const tags = absent.flatMap((feature) => Object.keys(feature.tags ?? {}))
    const isOf = (operation: { tags: string[] }) => operation.tags.some((tag) => tags.includes(tag))
    const left = Object.entries(all).filter(([, methods]) => !Object.values(methods as object).some(isOf))
    t.same(
      Object.keys(document.paths),
      left.map(([path]) => path),
    )
    t.notOk(document.tags.some(({ name }: { name: string }) => tags.includes(name)))
  }
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
  await t.rejects(events.emit('user.removing', told), { message: 'no' })
})
