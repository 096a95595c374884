import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { type ErrorCode, errors } from '../../src/kernel/errors.ts'
import { must, refusal } from '../support/answers.ts'
import { type Answer, build, EVENT, ROOT } from '../support/app.ts'
import { seed } from '../support/seed.ts'
import { faults } from '../support/validation.ts'

const ROOT_DIR = new URL('../..', import.meta.url).pathname
const PAGE = readFileSync(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8')

t.test('the documentation lists every error with its status and meaning, and no other', async (t) => {
  const listed = PAGE.split('\n').filter((line) => line.startsWith('| `'))
  const { app } = await build(t)
  const known = Object.entries(app.documentation.errors).map(
    ([code, [status, meaning]]) => `| \`${code}\` | ${status} | ${meaning} |`,
  )
  t.same(listed, known)
})

/** Where errors are declared, and where they have their places in the document. */
const DECLARING = /declareErrors\(\{.*?^\}\)|errors: listOf\(`.*?`\)/gms

t.test('every error is one that the source can answer with', async (t) => {
  const texts = ['src', 'schemas']
    .flatMap((folder) =>
      readdirSync(join(ROOT_DIR, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      ),
    )
    .filter((name) => name.endsWith('.ts') && name !== 'src/kernel/errors.ts')
    .map((name) => readFileSync(join(ROOT_DIR, name), 'utf8').replace(DECLARING, ''))
    .join('')
  // those of each kind are put together from the kind and these ends
  const built =
    /^(\w+)-(not-found|not-accessible|is-in-trash|archive-page-not-found)$|^could-not-create-|^[a-z-]+-archive-page-not-found$/
  const own = readFileSync(join(ROOT_DIR, 'src/kernel/errors.ts'), 'utf8').split('export class')[1]!
  for (const code of Object.keys(errors)) t.ok(built.test(code) || (texts + own).includes(`'${code}'`), code)
})

/** What an error must be, wherever it comes from. */
function checkShape(t: Test, { status, body, headers }: Answer, what: string) {
  t.same(faults('ErrorBody', body), [], what)
  t.same(Object.keys(body), ['code', 'message', 'data'], what)
  t.equal(body.data.status, status, what)
  const stated = errors[body.code as ErrorCode]?.[0]
  t.ok(stated === status || (body.code === 'rest_forbidden' && status === 401), `${what}: ${body.code}`)
  t.match(body.message, /^[A-Z`].*\.$/s, what)
  t.equal(headers['content-type'], 'application/json; charset=utf-8', what)
  t.equal('www-authenticate' in headers, status === 401, what)
}

t.test('every error has the same shape, and names all parameters at fault', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  const { anonymous, contributor, editor } = api
  await editor.post('/events', { ...EVENT, title: 'Secret', slug: 'secret', password: 'x' })
  await editor.post('/events', { ...EVENT, title: 'Draft', slug: 'draft', status: 'draft' })
  await editor.post('/events', { ...EVENT, title: 'Gone', slug: 'gone' })
  await editor.delete('/events/by-slug/gone')
  const wrong = { headers: { authorization: 'Bearer x' } }
  const basic = (text: string) => ({
    headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` },
  })
  const answers: [Promise<Answer>, expected: string][] = [
    [anonymous.get('/nowhere'), '404 rest_no_route'],
    [anonymous.get('/?namespace=x'), '404 rest_invalid_namespace'],
    [anonymous.get('/events/%zz'), '400 rest_bad_request'],
    [anonymous.delete('/events'), '405 rest_method_not_allowed'],
    [anonymous.get('/events', undefined, wrong), '401 invalid_token'],
    [anonymous.get('/nowhere', undefined, wrong), '401 invalid_token'],
    [anonymous.get('/events', undefined, basic('nobody:x')), '401 incorrect_password'],
    [anonymous.get('/events', undefined, basic('editor:x')), '401 incorrect_password'],
    [anonymous.post('/events', EVENT), '401 rest_forbidden'],
    [contributor.post('/events', { ...EVENT, author: event.author }), '403 rest_forbidden'],
    [contributor.patch(`/events/${event.id}`, {}), '403 rest_forbidden'],
    [anonymous.get('/events/by-slug/secret'), '403 event-password-protected'],
    [anonymous.get('/events/by-slug/draft'), '403 event-not-accessible'],
    [anonymous.get('/events/by-slug/gone__trashed'), '403 event-no-longer-available'],
    [editor.delete('/events/by-slug/gone__trashed'), '410 event-is-in-trash'],
    [anonymous.get('/events/999'), '404 rest-event-not-found'],
    [anonymous.get(`/venues/${event.id}`), '404 venue-not-found'],
    [anonymous.get('/tags?page=9'), '404 tag-archive-page-not-found'],
    [
      anonymous.get('/events?page=0&per_page=x&featured=2&status=draft,odd&geoloc_lat=1'),
      '400 rest_invalid_param',
    ],
    [anonymous.get('/tags?include=0&order=up&orderby=x&hide_empty=y&event=9'), '400 rest_invalid_param'],
    [editor.post('/events', {}), '400 rest_missing_callback_param title start_date end_date'],
    [editor.post('/events', { ...EVENT, title: ' ' }), '400 empty_content title'],
    [editor.post('/events', { ...EVENT, title: ' ', featured: 3 }), '400 rest_invalid_param title featured'],
    [
      editor.post('/events', {
        ...EVENT,
        slug: '',
        cost: {},
        website: 'x',
        venue: true,
        author: 'me',
        status: 'odd',
      }),
      '400 rest_invalid_param cost website venue author status slug',
    ],
    [
      editor.post('/events', { ...EVENT, author: 99, image: '99', post_parent: 99 }),
      '400 rest_invalid_param author image post_parent',
    ],
    [editor.post('/events', { ...EVENT, end_date: '2026-01-01' }), '400 rest_invalid_param end_date'],
    [editor.post('/events', { ...EVENT, venue: { venue: ' ' } }), '400 could-not-create-venue venue'],
    [editor.post('/tags', '{', { headers: { 'content-type': 'application/json' } }), '400 rest_invalid_json'],
    [
      editor.patch('/tags/1', 'x', { headers: { 'content-type': 'text/css' } }),
      '415 rest_unsupported_media_type',
    ],
    [editor.post('/tags', { name: 'x'.repeat(2 ** 20) }), '413 rest_payload_too_large'],
  ]
  for (const [answer, expected] of answers) {
    const got = await answer
    checkShape(t, got, expected)
    t.match(refusal(got), new RegExp(`^${expected}`), expected)
    for (const [name, reason] of Object.entries(got.body.data.params ?? {}))
      if (Number.isNaN(Number(name)))
        t.match([got.body.message, reason], [name, /^\S.*\.$/s], `${name}: ${reason}`)
  }
  const many = await anonymous.get('/events?page=0&per_page=x&featured=2&status=odd&search=&geoloc_lat=north')
  t.same(Object.keys(many.body.data.params).sort(), [
    'featured',
    'geoloc_lat',
    'page',
    'per_page',
    'search',
    'status',
  ])
})

t.test('an error that nobody foresaw tells nothing but a request id', async (t) => {
  const api = await build(t)
  api.app.store.db.close()
  const answer = await api.anonymous.get('/events')
  checkShape(t, answer, 'a closed database')
  t.strictSame(Object.keys(answer.body.data), ['status', 'request_id'])
  t.match(answer.body, {
    code: 'internal_server_error',
    message: `An unexpected error occurred. Request ID: ${answer.body.data.request_id}.`,
  })
  t.notMatch(answer.text, /database|sqlite|select/i)
})

t.test('addresses in every form that HTTP knows', async (t) => {
  const { app } = await build(t)
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  const ask = (method: string, path: string) =>
    new Promise<string>((resolve, reject) => {
      const request = http.request({ port, method, path, agent: false }, (response) => {
        response.resume().on('end', () => resolve(`${response.statusCode}`))
      })
      request.on('error', reject).end()
    })
  const cases: [method: string, path: string, expected: string][] = [
    ['GET', `http://calendar.test${ROOT}/events`, '200'],
    ['GET', `HTTPS://calendar.test:81${ROOT}?_fields=namespace`, '200'],
    ['GET', `http://calendar.test/http://calendar.test${ROOT}/events`, '404'],
    ['GET', 'http://calendar.test', '200'],
    ['GET', 'http://calendar.test?x', '200'],
    ['GET', '-site/events', '400'],
    ['GET', `${ROOT}/events#fragment`, '200'],
    ['OPTIONS', '*', '404'],
    ['GET', `${ROOT}/events/by-slug/\u00e9`, '400'],
    ['GET', `${ROOT}/events?search=%`, '200'],
    ['GET', `${ROOT}/%`, '400'],
  ]
  for (const [method, path, expected] of cases)
    t.equal(await ask(method, path), expected, `${method} ${path}`)
})

t.test('what is wrong with a body by itself and by what it names is told at once', async (t) => {
  const { editor, anonymous, author } = await build(t)
  const { id } = await must(author.post('/events', EVENT))
  const { id: hall } = await must(author.post('/venues', { venue: 'Hall' }))
  const { id: music } = await must(editor.post('/categories', { name: 'Music' }))
  const bad = { start_date: 'soon', venue: 999, organizer: [{ id: 998 }], author: 997, post_parent: 996 }
  const names = 'start_date author post_parent venue organizer'
  t.equal(refusal(await editor.post('/events', { ...EVENT, ...bad })), `400 rest_invalid_param ${names}`)
  t.equal(refusal(await editor.patch(`/events/${id}`, bad)), `400 rest_invalid_param ${names}`)
  t.equal(refusal(await anonymous.patch(`/events/${id}`, bad)), '400 rest_invalid_param start_date')
  t.equal(
    refusal(await editor.patch(`/events/${id}`, { end_date: '2020-01-01', venue: 999 })),
    '400 rest_invalid_param venue end_date',
  )
  t.equal(
    refusal(await editor.post('/events', { ...EVENT, end_date: '2020-01-01', featured: 'x' })),
    '400 rest_invalid_param featured end_date',
  )
  t.equal(
    refusal(await editor.patch(`/venues/${hall}`, { website: 'bad', author: 99 })),
    '400 rest_invalid_param website author',
  )
  t.equal(
    refusal(await editor.post('/organizers', { organizer: 'O', website: 'bad', image: '99' })),
    '400 rest_invalid_param website image',
  )
  for (const answer of [
    editor.patch(`/categories/${music}`, { name: 5, parent: 99 }),
    editor.post('/categories', { name: 5, parent: 99 }),
    editor.patch('/categories/99', { name: 5, parent: 99 }),
  ])
    t.equal(refusal(await answer), '400 rest_invalid_param name parent')
  t.equal(
    refusal(await editor.post('/events', { featured: 'x', venue: 999 })).slice(0, 31),
    '400 rest_missing_callback_param',
  )
})

t.test('half a coordinate is refused by the name of the other half', async (t) => {
  const { editor } = await build(t)
  t.equal(refusal(await editor.post('/venues', { venue: 'V', geo_lat: 1 })), '400 rest_invalid_param geo_lng')
  t.equal(refusal(await editor.post('/venues', { venue: 'V', geo_lng: 1 })), '400 rest_invalid_param geo_lat')
  const { id } = await must(editor.post('/venues', { venue: 'V', geo_lat: 1, geo_lng: 2 }))
  t.equal(refusal(await editor.patch(`/venues/${id}`, { geo_lat: null })), '400 rest_invalid_param geo_lat')
  t.match(await must(editor.patch(`/venues/${id}`, { geo_lat: 3 })), { geo_lat: 3, geo_lng: 2 })
  t.equal(
    refusal(await editor.post('/events', { ...EVENT, venue: { venue: 'W', geo_lat: 1 } })),
    '400 rest_invalid_param venue',
  )
})

t.test('a tag has no parent', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/tags', { name: 'T' }))
  const before = await api.fingerprint()
  for (const parent of [0, 999, '', 'x'])
    for (const answer of [
      await api.editor.post('/tags', { name: 'Below', parent }),
      await api.editor.patch(`/tags/${id}`, { parent }),
    ])
      t.equal(refusal(answer), '400 rest_taxonomy_not_hierarchical', `tag below ${parent}`)
  t.equal(await api.fingerprint(), before)
  t.equal((await api.editor.post('/tags', { name: 'Above', parent: null })).status, 201)
})

t.test('events can not belong to one another in a circle', async (t) => {
  const { editor } = await build(t)
  const make = async (post_parent: number) =>
    (await must(editor.post('/events', { ...EVENT, post_parent }))).id
  const a = await make(0)
  const b = await make(a)
  const c = await make(b)
  for (const below of [a, b, c])
    t.equal(
      refusal(await editor.patch(`/events/${a}`, { post_parent: below })),
      '400 rest_invalid_param post_parent',
    )
  t.match(await must(editor.patch(`/events/${c}`, { post_parent: a })), { post_parent: a })
  t.match(await must(editor.patch(`/events/${c}`, { post_parent: a })), { post_parent: a })
})

t.test('venues and organizers get a new slug by an update at their slug, and nowhere else', async (t) => {
  const { editor } = await build(t)
  for (const kind of ['venue', 'organizer'] as const) {
    const { id, slug } = await must(editor.post(`/${kind}s`, { [kind]: 'Old name' }))
    t.match(await must(editor.patch(`/${kind}s/by-slug/${slug}`, { slug: 'New One' })), {
      id,
      slug: 'new-one',
    })
    t.match(await must(editor.get(`/${kind}s/by-slug/new-one`)), { id })
    const refused = await editor.patch(`/${kind}s/by-slug/new-one`, { slug: '' })
    t.equal(refusal(refused), '400 rest_invalid_param slug')
    const byId = await editor.patch(`/${kind}s/${id}`, { slug: 'mine' })
    t.match(byId, { status: 200, body: { slug: 'new-one' }, headers: { 'x-ignored-fields': 'slug' } })
    const { headers } = await editor.patch(`/${kind}s/${id}`, { slug: 'new-one' })
    t.equal(headers['x-ignored-fields'], undefined, 'the slug that it has is not named')
    t.match(await must(editor.post(`/${kind}s`, { [kind]: 'Other', slug: 'mine' })), { slug: 'other' })
  }
})
