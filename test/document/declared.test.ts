import { readFileSync, writeFileSync } from 'node:fs'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { must } from '../support/answers.ts'
import { type Api, build, ROOT } from '../support/app.ts'
import { documentOf, type Operation, operationsOf, visit } from '../support/document.ts'
import { makeExamples, publishable } from './examples.ts'

/** Bodies by component, as the document shows them. */
const EXAMPLES = JSON.parse(readFileSync(new URL('../../schemas/examples.json', import.meta.url), 'utf8'))

/** A service of which every operation is there. */
const SUBMITTING = { env: { SUBMISSIONS: 'on' } }

type Case = { operation: Operation; options: InjectOptions }

/** A valid request of every operation that declares `status`; `id` and `slug` stand in the paths. */
function casesOf({ app }: Api, status: number, id = 1, slug = 'x'): Case[] {
  return operationsOf(documentOf(app))
    .filter(({ responses }) => responses[status])
    .map((operation, at) => {
      const path = operation.path
        .replace(/\{\w*id\}/g, String(id))
        .replace('{slug}', slug)
        .replace('{format}', 'jsonld')
      const payload = EXAMPLES[operation.bodyName ?? '']
      return {
        operation,
        options: {
          method: operation.method.toUpperCase() as 'GET',
          url: ROOT + path,
          // failures to sign in are counted by address
          remoteAddress: `10.0.0.${at}`,
          ...(payload && { payload }),
        },
      }
    })
}

type Change = (one: Case) => Partial<InjectOptions>

async function expect(t: Test, api: Api, status: number, codes: RegExp, cases: Case[], change: Change) {
  for (const one of cases) {
    const answer = await api.administrator.send({ ...one.options, ...change(one) })
    const at = one.operation.operationId
    t.same(answer.status, status, `${at}: ${answer.text.slice(0, 200)}`)
    t.match(answer.body.code, codes, at)
  }
}

const form = (name: string) => ({
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
  payload: `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nX\r\n--x--\r\n`,
})
const json = { 'content-type': 'application/json' }

t.test('wrong credentials are 401 everywhere', async (t) => {
  const api = await build(t, SUBMITTING)
  const headers = { authorization: 'Bearer wrong' }
  await expect(t, api, 401, /^invalid_token$/, casesOf(api, 401), () => ({ headers }))
})

t.test('too many requests are 429 everywhere', async (t) => {
  const api = await build(t, { env: { RATE_LIMIT: '1', SUBMISSIONS: 'on' } })
  for (const { operation, options } of casesOf(api, 429)) {
    // another address, since an answer that is kept costs nothing and is not counted
    await api.anonymous.send({ ...options, url: `${options.url}?again=1` })
    const { status, headers, body } = await api.anonymous.send(options)
    t.match({ status, body }, { status: 429, body: { code: 'rest_rate_limited' } }, operation.operationId)
    t.match(headers['retry-after'], /^\d+$/, operation.operationId)
  }
})

t.test('a token without the scope is 403', async (t) => {
  const api = await build(t, SUBMITTING)
  const { id } = api.credentials.administrator
  const bearer = async (scope: 'read' | 'write') => {
    const { token } = await api.app.store.tokens.add(id, scope, [scope], null)
    return { authorization: `Bearer ${token}` }
  }
  const [read, write] = [await bearer('read'), await bearer('write')]
  await expect(t, api, 403, /^rest_forbidden$/, casesOf(api, 403), ({ operation }) => {
    if (operation.operationId === 'deleteSession') return {} // every token may, and a password has none
    return { headers: operation.method === 'get' && operation.tags[0] !== 'Users' ? write : read }
  })
})

t.test('what is not there is 404', async (t) => {
  const api = await build(t, SUBMITTING)
  // these are 404 only with SUBMISSIONS=off: test/features/submissions/submissions.test.ts
  const always = ['createSubmission', 'getSubmissionChallenge']
  const cases = casesOf(api, 404, 99_999, 'nothing').filter(
    ({ operation }) => !always.includes(operation.operationId),
  )
  await expect(
    t,
    api,
    404,
    /-not-found$|^rest_(invalid_namespace|no_route)$/,
    cases,
    ({ operation, options }) => {
      const { operationId } = operation
      if (operationId.startsWith('upsert')) return { url: `${options.url}${'x'.repeat(2000)}` }
      if (operationId === 'acceptInvitation') return { headers: { 'sec-fetch-site': 'same-origin' } }
      if (operationId === 'createToken') return { payload: { ...EXAMPLES.TokenInput, user: 99_999 } }
      if (operationId === 'listApplicationPasswords') return {}
      if (operationId.startsWith('list') || operationId === 'feedEvents')
        return { url: `${options.url}?page=99` }
      return operationId === 'getIndex' ? { url: `${options.url}?namespace=other` } : {}
    },
  )
})

t.test('what can not be read is 400', async (t) => {
  const api = await build(t, SUBMITTING)
  const codes = /^rest_(invalid_param|invalid_json|missing_callback_param)$/
  await expect(t, api, 400, codes, casesOf(api, 400), ({ operation, options }) => {
    const { operationId, method } = operation
    if (['createMedia', 'createImport'].includes(operationId)) return { headers: {} }
    if (method !== 'get') return { headers: json, payload: '{' }
    if (operationId.startsWith('list')) return { url: `${options.url}?page=0` }
    return {
      url: `${options.url}?${operationId === 'getDocument' || operationId.startsWith('feed') ? 'i18n_language=xx' : '_fields='}`,
    }
  })
})

t.test('a body that is too large is 413', async (t) => {
  const api = await build(t, SUBMITTING)
  await expect(t, api, 413, /^rest_payload_too_large$/, casesOf(api, 413), ({ operation }) =>
    ['createMedia', 'createImport'].includes(operation.operationId)
      ? { headers: { 'content-type': 'text/csv' }, payload: Buffer.alloc(10 * 2 ** 20 + 1) }
      : { headers: json, payload: JSON.stringify('x'.repeat(2 ** 20)) },
  )
})

t.test('a file where none is taken is 415', async (t) => {
  const api = await build(t, SUBMITTING)
  await expect(t, api, 415, /^rest_unsupported_media_type$/, casesOf(api, 415), () => form('a.txt'))
})

t.test('what is in the trash can not be changed, by ID or by slug: 410', async (t) => {
  const api = await build(t, SUBMITTING)
  for (const [plural, body] of [
    ['events', EXAMPLES.EventUpdate],
    ['series', EXAMPLES.SeriesUpdate],
    ['venues', EXAMPLES.VenueUpdate],
    ['organizers', EXAMPLES.OrganizerUpdate],
  ]) {
    const one = plural === 'series' ? plural : plural.slice(0, -1)
    const input = EXAMPLES[`${one[0].toUpperCase()}${one.slice(1)}Input`]
    const { image: _, venue, organizer, ...rest } = input
    const own = plural === 'venues' ? { venue } : plural === 'organizers' ? { organizer } : {}
    const { id } = (await api.administrator.post(`/${plural}`, { ...rest, ...own })).body
    const { slug } = (await api.administrator.delete(`/${plural}/${id}`)).body
    // the way to the trash is a change, before which an event can be brought back
    const cases = casesOf(api, 410, id, slug).filter(
      ({ operation }) => operation.path.includes(plural) && !operation.operationId.startsWith('restore'),
    )
    t.equal(cases.length, 8, plural)
    await expect(t, api, 410, /-is-in-trash$/, cases, ({ operation }) =>
      operation.method === 'delete' ? {} : { payload: body },
    )
  }
})

t.test('what another record of the kind is called elsewhere is 409', async (t) => {
  const api = await build(t, SUBMITTING)
  const from = { source: 'crm', external_id: '1' }
  for (const [plural, one] of [
    ['events', 'Event'],
    ['series', 'Series'],
    ['venues', 'Venue'],
    ['organizers', 'Organizer'],
  ]) {
    const input = EXAMPLES[`${one}Input`]
    await must(api.administrator.post(`/${plural}`, { ...input, ...from, image: null }))
    const { id, slug } = await must(api.administrator.post(`/${plural}`, { ...input, image: null }))
    const cases = casesOf(api, 409, id, slug).filter(
      ({ operation }) =>
        operation.path.includes(`/${plural}`) &&
        !/by-external|restore/.test(operation.path) &&
        // of deletions, only those that a mirror passes on are: test/features/imports/mirror/refusals.test.ts
        operation.method !== 'delete',
    )
    t.equal(cases.length, 7, one!)
    await expect(t, api, 409, /^external_id_taken$/, cases, ({ operation }) =>
      operation.path.includes('{') ? { payload: from } : { payload: { ...input, image: null, ...from } },
    )
  }
})

t.test('what is no longer what the client saw is not changed: 412', async (t) => {
  const api = await build(t, { env: { MEDIA_DIR: t.testdir(), SUBMISSIONS: 'on' } })
  await makeExamples(api)
  const records: Record<string, [id: number, slug: string]> = {
    events: [3, 'evensong-talk'],
    series: [4, 'choir-practice'],
    venues: [1, 'teatre-de-la-lluna'],
    organizers: [2, 'cor-de-cambra'],
    categories: [1, ''],
    tags: [2, ''],
    media: [1, ''],
  }
  for (const [plural, [id, slug]] of Object.entries(records)) {
    // what is brought back has to be a change of this record: test/features/history/revisions.test.ts
    const cases = casesOf(api, 412, id, slug).filter(
      ({ operation }) => operation.path.includes(plural) && !operation.operationId.startsWith('restore'),
    )
    t.ok(cases.length > 0, plural)
    const headers = { 'if-match': '"another"' }
    await expect(t, api, 412, /^rest_precondition_failed$/, cases, () => ({ headers }))
  }
})

t.test('everything that was created can be read, changed and deleted, by ID and by slug', async (t) => {
  const api = await build(t, { env: { MEDIA_DIR: t.testdir(), SUBMISSIONS: 'on' } })
  await makeExamples(api)
  const { administrator: admin } = api
  const slugs = {
    events: 'evensong-talk',
    series: 'choir-practice',
    venues: 'teatre-de-la-lluna',
    organizers: 'cor-de-cambra',
  }
  for (const [plural, slug] of Object.entries(slugs)) {
    const path = `/${plural}/by-slug/${slug}`
    for (const method of ['get', 'put', 'post', 'delete'] as const)
      t.equal((await admin[method](path, method === 'get' ? undefined : {})).status, 200, `${method} ${path}`)
  }
  const paths = [
    '/events/3',
    '/series/4',
    '/venues/1',
    '/organizers/2',
    '/tags/2',
    '/categories/1',
    '/media/1',
  ]
  for (const path of paths) {
    const methods = path === '/media/1' ? (['get', 'delete'] as const) : (['put', 'post', 'delete'] as const)
    for (const method of methods)
      t.equal(
        (await admin[method](`${path}?force=true`, method === 'get' ? undefined : { status: 'publish' }))
          .status,
        200,
        `${method} ${path}`,
      )
  }
  const { id: user } = EXAMPLES.NewUser
  for (const path of [`/users/${user}/application-passwords/2`, '/tokens/5', `/users/${user}`])
    t.equal((await admin.delete(path)).status, 200, path)
})

const FILE = new URL('../../schemas/examples.json', import.meta.url)
const env = {
  ...{ BASE_URL: 'https://calendar.example', CURRENCY: 'EUR', TIMEZONE: 'Europe/Madrid' },
  SUBMISSIONS: 'on',
}

t.test('the examples of the document are what the service takes and answers', async (t) => {
  const media = { MEDIA_DIR: t.testdir() }
  const made = publishable(await makeExamples(await build(t, { env: { ...env, ...media } })))
  // `EXAMPLES=write npm run t -- test/document/declared.test.ts` writes them anew
  if (process.env.EXAMPLES === 'write') writeFileSync(FILE, `${JSON.stringify(made, null, 2)}\n`)
  t.same(JSON.parse(readFileSync(FILE, 'utf8')), made)
})

t.test('the examples of creates work as they stand, on a service that has nothing', async (t) => {
  const api = await build(t, SUBMITTING)
  for (const { operationId, method, path, bodyName } of operationsOf(documentOf(api.app))) {
    if (method !== 'post' || !operationId.startsWith('create') || !bodyName) continue
    if (/Passkey|Factor/.test(operationId)) continue // a challenge or ticket is another one each time
    const fresh = await build(t, SUBMITTING)
    const { status, text } = await fresh.administrator.post(path.replace('{id}', '1'), EXAMPLES[bodyName])
    t.equal(status, 201, `${operationId}: ${text.slice(0, 200)}`)
  }
})

t.test('every body and every answer has an example', async (t) => {
  const { app } = await build(t, SUBMITTING)
  const document = documentOf(app)
  const examples = new Set(Object.keys(document.components.examples!))
  const used = new Set<string>()
  visit([document.paths, document.components.requestBodies, document.components.responses], (object, way) => {
    if (way.at(-2) !== 'content' || way.at(-1) !== 'application/json') return
    const named = Object.entries((object.examples ?? {}) as Record<string, { $ref: string }>)
    t.ok(named.length > 0, way.join(' '))
    for (const [name, { $ref }] of named) {
      t.equal($ref, `#/components/examples/${name}`)
      used.add(name)
    }
  })
  t.same(used, examples, 'and none is left over')
})
