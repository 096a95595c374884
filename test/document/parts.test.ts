import t from 'tap'
import { DOCUMENTATION } from '../../src/document.ts'
import type { ErrorCode } from '../../src/kernel/errors.ts'
import { errors } from '../../src/kernel/errors.ts'
import { type Complete, nameWords, shareParts } from '../../src/kernel/openapi/components.ts'
import { print } from '../../src/kernel/openapi/document.ts'
import { nameOf as nameOfRefusal } from '../../src/kernel/openapi/responses.ts'
import { build } from '../support/app.ts'
import { documentOf, operationsOf, type Published, visit } from '../support/document.ts'

const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif']

/** What is for administrators only. */
const ADMINISTRATION = ['Users', 'Webhooks', 'Settings', 'Submissions', 'Digests']

t.test('what people need first comes first, and what does the same as something else last', async (t) => {
  const document = documentOf((await build(t)).app)
  const operations = operationsOf(document)
  const names = ['Event', 'Series', 'Venue', 'Organizer', 'Category', 'Tag']
  const first = names.flatMap((One) => {
    const Plural = { Category: 'Categories', Series: 'Series' }[One] ?? `${One}s`
    const bySlug = /Category|Tag/.test(One)
      ? []
      : [`get${One}BySlug`, `get${One}ByExternalId`, `upsert${One}`, `restore${One}`]
    const own = One === 'Event' ? ['createPreview'] : []
    return [`list${Plural}`, `create${One}`, `get${One}`, `update${One}`, `delete${One}`, ...bySlug, ...own]
  })
  const media = [
    'listMedia',
    'createMedia',
    'getMedia',
    'updateMedia',
    'deleteMedia',
    'getMediaUses',
    'cropMedia',
  ]
  const history = operations.filter(({ tags }) => tags[0] === 'History').length
  const ofAliases = operations.filter(({ tags }) => tags[0] === 'Aliases')
  const rest = operations.filter(({ tags }) => tags[0] !== 'Aliases')
  t.same(
    rest
      .filter(({ tags }) => tags[0] !== 'History')
      .slice(0, first.length + media.length)
      .map(({ operationId }) => operationId),
    [...first, ...media],
  )
  t.same(
    new Set(rest.slice(first.length + history + media.length).map(({ tags }) => tags[0])),
    new Set([
      'Feeds',
      'Search',
      'Batch',
      'Imports',
      'Submissions',
      'Digests',
      'Changes',
      'Session',
      'Users',
      'Webhooks',
      'Settings',
      'Audit',
      'Index',
    ]),
  )
  t.same(
    (document.tags as { name: string }[]).map(({ name }) => name),
    [
      'Events',
      'Series',
      'Venues',
      'Organizers',
      'Categories',
      'Tags',
      'History',
      'Media',
      'Search',
      'Feeds',
      'Batch',
      'Imports',
      'Submissions',
      'Digests',
      'Changes',
      'Session',
      'Users',
      'Webhooks',
      'Settings',
      'Audit',
      'Index',
      'Aliases',
    ],
  )
  t.equal(ofAliases.length, 4 * 6 + 2 * 2)
  visit(document.paths, ({ operationId, deprecated, description }, [path, method]) => {
    if (operationId === undefined) return
    const isTwin =
      (method === 'put' && !/^(upsert|setOwnPassword)/.test(String(operationId))) ||
      (method === 'post' && path!.endsWith('}'))
    t.equal(deprecated, isTwin || undefined, `${operationId}`)
    if (isTwin) t.match(description, /Use PATCH/, `${operationId}`)
  })
})

const isUpload = (operationId: string) => ['createMedia', 'createImport'].includes(operationId)

t.test('request headers and media types are declared where they are read', async (t) => {
  const document = documentOf((await build(t)).app)
  for (const { operationId, method, tags, path, headers, content, responses } of operationsOf(document)) {
    const isRecord = !ADMINISTRATION.includes(tags[0]!) && path !== '/'
    const isRead = method === 'get'
    const expected = [
      ...(isRead && isRecord ? ['If-None-Match', 'If-Modified-Since'] : []),
      ...(responses[412] ? ['If-Match'] : []),
      ...(/^(create(Event|Series|Venue|Organizer|Category|Tag)|restore\w+(?<!Revision)|batch)$/.test(
        operationId,
      )
        ? ['Idempotency-Key']
        : []),
      ...(operationId.startsWith('upsert') ? ['If-None-Match'] : []),
      ...(isUpload(operationId) ? ['Content-Disposition'] : []),
      ...(operationId === 'listChanges' ? ['Last-Event-ID'] : []),
    ]
    t.same(headers, expected, operationId)
    t.equal(responses[304] !== undefined, isRead && isRecord, operationId)
    const isConditional =
      (isRecord &&
        path.includes('{') &&
        !['createPreview', 'undoImport', 'cropMedia'].includes(operationId)) ||
      tags[0] === 'Settings'
    t.equal(responses[412] !== undefined, isConditional && !isRead, operationId)
    const json = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data']
    const files = operationId === 'createMedia' ? IMAGES : ['text/calendar', 'text/csv']
    const types = isUpload(operationId) ? ['multipart/form-data', ...files] : json
    t.same(Object.keys(content ?? {}), content ? types : [], operationId)
  }
})

const LISTS = /^(list(?!Changes)|feed(Events|Category|Tag|Venue|Organizer|Series)$)/

const SEARCHED = /^(listEvents|feed(?!Event$))/

t.test('response headers are declared where they occur', async (t) => {
  const document = documentOf((await build(t)).app)
  for (const { operationId, method, tags, path, content, responses } of operationsOf(document))
    for (const [status, { headers, content: answer }] of Object.entries(responses)) {
      const at = `${operationId} ${status}`
      const isRecord = !ADMINISTRATION.includes(tags[0]!) && path !== '/'
      const isDone = Number(status) < 300
      const isWrite = method !== 'get' && method !== 'delete'
      const has = (name: string) => name in headers
      t.ok(has('X-Request-Id') && has('Vary'), at)
      const tagged =
        ((isDone && method !== 'delete') || status === '304') && (isRecord || tags[0] === 'Settings')
      const isTrashed = 'event-no-longer-available' in (answer?.['application/json']?.examples ?? {})
      t.equal(has('ETag'), tagged || isTrashed || status === '412', at)
      t.equal(
        has('X-Ignored-Fields'),
        isDone && isWrite && content !== undefined && !isUpload(operationId),
        at,
      )
      t.equal(has('X-Created-Terms'), isDone && isWrite && path.startsWith('/events'), at)
      const isAlone = /\{/.test(path) || method !== 'get'
      const mayDiffer =
        /^\/(events|series|venues|organizers)(\/(\{id\}|by-slug\/\{slug\}|by-external\/\{source\}\/\{external_id\}))?$/.test(
          path,
        )
      t.equal(has('X-Translations-Differ'), isDone && mayDiffer && isAlone && method !== 'delete', at)
      t.equal(has('X-Ignored-Parameters'), isDone, at)
      t.equal(has('X-WP-Total'), isDone && LISTS.test(operationId), at)
      t.equal(has('X-Search-Corrections'), isDone && SEARCHED.test(operationId), at)
      const isLinked =
        /^(list(?!Changes)|feed(?!Event$|FullCalendar)|get(Event|Series|Venue|Organizer|Category|Tag)$)/
      t.equal(has('Link'), isDone && isLinked.test(operationId), at)
      t.equal(has('Retry-After'), status === '429' || status === '503', at)
      t.equal(has('Location'), status === '201', at)
    }
})

t.test('typed clients can tell errors apart by their code', async (t) => {
  const { app } = await build(t)
  const document = documentOf(app)
  const words = document.components.schemas.ErrorCode!.enum
  t.same(words, app.documentation.places.errors)
  t.same(words!.toSorted(), Object.keys(errors).sort())
  for (const { operationId, responses } of operationsOf(document))
    for (const [status, { content }] of Object.entries(responses)) {
      if (Number(status) < 400) continue
      const { schema, examples } = content!['application/json']!
      const { code } = schema.allOf![1]!.properties! as { code: Published & { const?: string } }
      const codes = code.const === undefined ? code.enum! : [code.const]
      t.same(codes, Object.keys(examples!), `${operationId} ${status}`)
      for (const one of codes) {
        const [own] = errors[one as keyof typeof errors]
        t.ok(own === Number(status) || (one === 'rest_forbidden' && status === '401'), `${one} ${status}`)
      }
    }
})

t.test('a path with an ID or slug may be no route', async (t) => {
  const { anonymous, editor, app } = await build(t)
  for (const { method, path, responses } of operationsOf(documentOf(app)))
    if (path.includes('{')) t.ok(responses[404], `${method} ${path}`)
  for (const path of ['/events/abc', '/venues/1a', '/tags/-1', '/media/x'])
    t.match(await anonymous.get(path), { status: 404, body: { code: 'rest_no_route' } }, path)
  t.match(await editor.patch('/events/abc', {}), { status: 404, body: { code: 'rest_no_route' } })
})

t.test('a set of words with a name is referred to by it', async (t) => {
  const document = documentOf((await build(t)).app)
  const { schemas, parameters } = document.components
  const names = ['Status', 'Language', 'Role', 'Scope', 'ErrorCode']
  const sets = new Map(names.map((name) => [String(schemas[name]!.enum), name]))
  visit([document.paths, schemas, parameters], ({ enum: words }, way) => {
    const name = sets.get(String(words))
    if (name && way.at(-1) !== name) t.fail(`${way.join('.')} is ${name}`)
  })
  t.equal(schemas.CalendarEvent!.properties!.status!.$ref, '#/components/schemas/Status')
  t.match(schemas.UserInput!.properties!.role, { $ref: '#/components/schemas/Role', description: /^Role/ })
})

const EMPTY = { paths: {}, components: { schemas: {} } }

t.test('a set with an empty word has names for its words', async (t) => {
  const Maps = { type: 'string', enum: ['', 'yes', 'not-now'] }
  const { components } = nameWords({ ...EMPTY, components: { schemas: { Maps } } }, ['en'], [])
  t.same(components.schemas!.Maps, { ...Maps, 'x-enum-varnames': ['Empty', 'Yes', 'NotNow'] })
  t.match(components.schemas!.Language, { enum: ['en'] })
})

const nameOfErrors = (codes: readonly ErrorCode[]) => nameOfRefusal(codes, DOCUMENTATION.refusals)

t.test('errors name the response that has them, wherever it is', async (t) => {
  t.equal(nameOfErrors(['venue-not-found', 'rest_no_route']), 'VenueNotFound')
  t.equal(nameOfErrors(['rest_no_route']), 'NoRoute')
  t.equal(nameOfErrors(['rest_invalid_param', 'term_exists']), 'InvalidParamOrTermExists')
  const both = ['rest_invalid_param', 'rest_invalid_json', 'rest_bad_request'] as const
  t.equal(nameOfErrors(both), 'InvalidBody')
  t.equal(
    nameOfErrors([...both, 'empty_content', 'could-not-create-venue', 'could-not-create-organizer']),
    'InvalidBodyOrInvalidEvent',
  )
})

t.test('equal parts become one component, whose name says what it is', async (t) => {
  const parameter = (name: string, description: string) => ({ name, in: 'query', description })
  const operation = (...parameters: object[]) => ({ get: { parameters, responses: {} } })
  const share = (document: Complete) => shareParts(document, DOCUMENTATION.singulars)
  const { paths, components } = share({
    components: { parameters: {}, schemas: { MediaStatus: {}, Status: {} } },
    paths: {
      '/events': operation(parameter('page', 'Page.'), parameter('force', 'One.'), parameter('own', 'Own.')),
      '/events/{id}': operation(parameter('event_id', 'ID.'), parameter('force', 'One.')),
      '/events/x': operation(parameter('event_id', 'ID.'), parameter('force', 'One.')),
      '/categories': operation(parameter('page', 'Page.'), parameter('force', 'Two.')),
      '/media': operation(parameter('force', 'Two.'), parameter('force', 'One.'), parameter('status', 'S.')),
      '/media/{id}': operation(parameter('status', 'S.')),
    },
  })
  t.same(components.parameters, {
    Page: parameter('page', 'Page.'),
    Force: parameter('force', 'One.'),
    EventEventId: parameter('event_id', 'ID.'),
    CategoryForce: parameter('force', 'Two.'),
    MediaStatusParameter: parameter('status', 'S.'),
  })
  t.same(paths['/events']!.get!.parameters, [
    { $ref: '#/components/parameters/Page' },
    { $ref: '#/components/parameters/Force' },
    parameter('own', 'Own.'),
  ])
})

t.test('coordinates of a new venue need each other; those of an update may be there', async (t) => {
  const { app, editor } = await build(t)
  const { schemas } = documentOf(app).components
  const { VenueInput, VenueUpdate } = schemas as Record<string, Published & { dependentRequired?: object }>
  t.same(VenueInput!.dependentRequired, { geo_lat: ['geo_lng'], geo_lng: ['geo_lat'] })
  t.equal(VenueUpdate!.dependentRequired, undefined)
  for (const half of [
    ...[{ geo_lat: 41.9 }, { geo_lng: 2.2 }, { geo_lat: null }, { geo_lng: null }],
    ...[
      { geo_lat: 41.9, geo_lng: null },
      { geo_lat: null, geo_lng: 2.2 },
    ],
  ])
    t.match(await editor.post('/venues', { venue: 'Hall', ...half }), { status: 400 })
  t.match(await editor.post('/venues', { venue: 'Nowhere', geo_lat: null, geo_lng: null }), { status: 201 })
  const { body } = await editor.post('/venues', { venue: 'Hall', geo_lat: 41.9, geo_lng: 2.2 })
  t.match(await editor.patch(`/venues/${body.id}`, { geo_lat: 42 }), { status: 200, body: { geo_lat: 42 } })
})

t.test('every component has a name of its own, whatever generators make of it', async (t) => {
  const { schemas, parameters, responses, headers } = documentOf((await build(t)).app).components
  // what openapi-typescript-codegen has in the index of its clients besides
  const reserved = ['ApiError', 'CancelablePromise', 'CancelError', 'OpenAPI', 'OpenAPIConfig']
  const names = [...reserved, ...Object.keys(schemas), ...Object.keys(parameters!)].map((name) =>
    name.toLowerCase(),
  )
  t.same(
    names.filter((name, at) => names.indexOf(name) < at),
    [],
  )
  t.ok(responses && headers)
})

t.test(
  'bodies and responses of success stand in their operations, for generators that follow no reference',
  async (t) => {
    const { paths } = documentOf((await build(t)).app)
    type Given = Record<string, { requestBody?: object; responses: Record<string, object> }>
    for (const [path, methods] of Object.entries(paths as unknown as Record<string, Given>))
      for (const [method, { requestBody = {}, responses }] of Object.entries(methods)) {
        t.notOk('$ref' in requestBody, `${method} ${path}`)
        for (const [status, response] of Object.entries(responses))
          t.equal('$ref' in response, Number(status) >= 300, `${method} ${path} ${status}`)
      }
  },
)

t.test('the document has a line for each operation and component', async (t) => {
  const document = documentOf((await build(t)).app)
  const lines = print(document).toString().split('\n')
  for (const { operationId } of operationsOf(document))
    t.equal(lines.filter((line) => line.includes(`"operationId":"${operationId}"`)).length, 1, operationId)
  t.match(
    print({ servers: [{ url: '/' }], paths: {}, components: {} }).toString(),
    /^\{\n"servers":\[\{"url":"\/"\}\],\n"paths":\{\}/,
  )
})
