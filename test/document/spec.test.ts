import t from 'tap'
import { FORMATS } from '../../src/features/feeds/formats/formats.ts'
import { build } from '../support/app.ts'
import {
  type Document,
  documentOf,
  formsOf,
  type Operation,
  operationsOf,
  type Published,
} from '../support/document.ts'
import { ENDPOINTS, type Endpoint, GENERATED, type Row } from './specification.ts'

/** What the service offers beyond the specification: where, name, and the ruling that allows it. */
const ADDITIONS: [where: RegExp, name: string, ruling: string][] = [
  [/^get \/(?!doc|media)/, 'query _fields', 'D28'],
  [/^get \/events$/, 'query geoloc_radius', 'D18'],
  [/^get \/events$/, 'query orderby', 'docs/decisions, lists have an order'],
  [/^get \/events$/, 'query q', 'R18'],
  [/^get \/events$/, 'query order', 'docs/decisions, lists have an order'],
  [/^get \/events$/, 'query when', 'docs/decisions, what is upcoming'],
  [/^get \/events$/, 'query password', 'D15, D29'],
  [/^get \/events\/by-slug/, 'query password', 'D7, D15'],
  [/^delete /, 'query force', 'D30'],
  [/^delete \/(categories|tags)\/\{id\}/, 'query reassign', 'docs/decisions, merging terms'],
  [/^post \/events$/, 'body password', 'D15'],
  [/^(post|put|patch) \/events\/by-slug/, 'body password', 'R10'],
  [/^(post|put|patch) \/events/, 'body ticketed', 'D19'],
  [/^(post|put|patch) \/events/, 'body post_parent', 'D20'],
  [/^get \/events$/, 'query event_status', 'docs/decisions, states of events'],
  [/^get \/events$/, 'query free', 'docs/decisions, what is free'],
  [/^get \/events$/, 'query town', 'docs/decisions, towns'],
  [/^get \/events$/, 'query attendance_mode', 'docs/decisions, states of events'],
  [/^get \/\w+s$/, 'query modified_after', 'docs/decisions, what was modified'],
  [/^get \/\w+s$/, 'query modified_before', 'docs/decisions, what was modified'],
  [/^(post|put|patch) \/events/, 'body event_status', 'docs/decisions, states of events'],
  [/^(post|put|patch) \/events/, 'body attendance_mode', 'docs/decisions, states of events'],
  [/^(post|put|patch) \/events/, 'body virtual_url', 'docs/decisions, states of events'],
  [/^(post|put|patch) \/events/, 'body event_status_reason', 'docs/decisions, states of events'],
  [/^(post|put|patch) \/(venues|organizers)\/by-slug/, 'body slug', 'D6'],
  [/^(post|put|patch) \/(venues|organizers)\/\{id\}/, 'body slug', 'R10'],
  [/^get \/events$/, 'query series', 'docs/decisions, series'],
  [/^get \/events$/, 'query expand', 'docs/decisions, series'],
  [/^(post|put|patch|delete) \/events\//, 'query apply_to', 'docs/decisions, series'],
  [/^(post|put|patch|delete) \/(events|venues|organizers)\//, 'query translations', 'R17'],
  [/^(post|put|patch) \/events/, 'body recurrence', 'docs/decisions, series'],
  [/^(post|put|patch) \/events/, 'body overrides', 'docs/decisions, series'],
  [/^(post|put|patch) \/venues/, 'body geo_lat', 'D18'],
  [/^(post|put|patch) \/venues/, 'body geo_lng', 'D18'],
  [/^(post|put|patch) \//, 'body translation_of', 'D21'],
  [/^(post|put|patch) \/(events|venues|organizers)/, 'body source', 'docs/decisions, other systems'],
  [/^(post|put|patch) \/(events|venues|organizers)/, 'body external_id', 'docs/decisions, other systems'],
]
/** Addresses that the specification lacks, with the ruling that allows them. */
const MORE_PATHS: [path: string, ruling: string][] = [
  ['/changes', 'R6'],
  ['/batch', 'docs/decisions, batches'],
  ['/suggest', 'R18'],
  ['/events/{id}/preview', 'docs/decisions, previews'],
  ...['events', 'series', 'venues', 'organizers'].map((of): [string, string] => [
    `/${of}/{id}/restore`,
    'docs/decisions, restoring',
  ]),
  ...['events', 'series', 'venues', 'organizers'].map((of): [string, string] => [
    `/${of}/by-external/{source}/{external_id}`,
    'docs/decisions, other systems',
  ]),
  ['/series', 'docs/decisions, series'],
  ['/series/{id}', 'docs/decisions, series'],
  ['/series/by-slug/{slug}', 'docs/decisions, series'],
  ['/events/{id}/revisions', 'docs/decisions, history'],
  ['/events/{id}/revisions/{revision_id}/restore', 'docs/decisions, history'],
  ['/series/{id}/revisions', 'docs/decisions, history'],
  ['/series/{id}/revisions/{revision_id}/restore', 'docs/decisions, history'],
  ['/media', 'D43'],
  ['/media/{id}', 'D43'],
  ['/media/{id}/uses', 'docs/decisions, uses of pictures'],
  ['/media/{id}/crop', 'docs/decisions, cropped pictures'],
  ['/session', 'R2'],
  ['/session/cookie', 'R2'],
  ...['/session/factor', '/session/passkey', '/session/passkey/options'].map((path): [string, string] => [
    path,
    'docs/decisions, second factors and passkeys',
  ]),
  ...['totp', 'totp/confirm', 'recovery-codes', 'passkeys', 'passkeys/options', 'passkeys/{passkey_id}'].map(
    (of): [string, string] => [`/users/{id}/${of}`, 'docs/decisions, second factors and passkeys'],
  ),
  ...['provider-links', 'provider-links/{link_id}'].map((of): [string, string] => [
    `/users/{id}/${of}`,
    'docs/decisions, links with a provider',
  ]),
  ['/users', 'R2'],
  ['/users/{id}', 'R2'],
  ['/users/{id}/application-passwords', 'R2'],
  ['/users/{id}/application-passwords/{password_id}', 'R2'],
  ['/users/{id}/password', 'docs/decisions, people'],
  ['/users/{id}/invitation', 'docs/decisions, people'],
  ['/invitations/accept', 'docs/decisions, people'],
  ['/password-resets', 'docs/decisions, people'],
  ['/password-resets/confirm', 'docs/decisions, people'],
  ['/users/{id}/sessions', 'R20'],
  ['/users/{id}/sessions/{session_id}', 'R20'],
  ['/audit', 'R2'],
  ['/imports', 'docs/decisions, imports'],
  ['/imports/{id}/undo', 'docs/decisions, imports'],
  ...['', '/challenge', '/{id}', '/{id}/accept', '/{id}/ask', '/{id}/refuse'].map((of): [string, string] => [
    `/submissions${of}`,
    'docs/decisions, submissions',
  ]),
  ['/digests', 'docs/decisions, digests'],
  ['/digests/{id}', 'docs/decisions, digests'],
  ['/settings', 'docs/decisions, settings'],
  ['/tokens', 'R2'],
  ['/tokens/{id}', 'R2'],
  ['/webhooks', 'webhooks'],
  ['/webhooks/{id}', 'webhooks'],
  ['/webhooks/{id}/secret', 'webhooks'],
  ['/webhooks/{id}/test', 'webhooks'],
  ['/webhooks/{id}/replay', 'webhooks'],
  ['/webhooks/{id}/deliveries', 'webhooks'],
  ['/webhooks/{id}/deliveries/{delivery_id}', 'webhooks'],
  ['/webhooks/{id}/deliveries/{delivery_id}/replay', 'webhooks'],
  ['/events.fullcalendar.json', 'formats'],
  ...[
    'events',
    'events/{id}',
    'categories/{id}',
    'tags/{id}',
    'venues/{id}',
    'organizers/{id}',
    'series/{id}',
  ].map((of): [string, string] => [`/${of}.{format}`, 'formats']),
]

const keyOf = ({ method, path }: Pick<Operation, 'method' | 'path'>) => `${method} ${path}`

/** A form in the words of the specification. */
function typesOf({ type, format, pattern, items, enum: words }: Published): string[] {
  if (type === 'array') return items ? typesOf(items).map((one) => `array of ${one}`) : ['array']
  if (type !== 'string') return [format ?? String(type)]
  // words are texts, and so are dates in more forms than that of RFC 3339
  if (words)
    return [
      'string',
      `one of ${words
        .filter((word) => word !== null)
        .sort()
        .join(', ')}`,
    ]
  const takes = pattern !== undefined && DATES.every((date) => new RegExp(pattern).test(date))
  return [format ?? 'string', ...(takes ? ['date-time'] : [])]
}
const DATES = ['2027-05-14T20:00:00Z', '2027-05-14T20:00:00+02:00', '2027-05-14t20:00:00.5-05:30']

/** A list in an address has commas, so that one item is sent as it would be without a list. */
const alone = (type: string) => [type, type.replace('array of ', '')]

type Found = { types: string[]; required: Row[2]; fallback: unknown }

/** The parameters of an operation by place and name. */
function rowsOf(document: Document, { parameters, body }: Operation): Map<string, Found> {
  const rows = new Map<string, Found>()
  const add = (place: string, name: string, schema: Published, required = false) =>
    rows.set(`${place} ${name}`, {
      types: formsOf(document, schema)
        .flatMap(typesOf)
        .flatMap((type) => (place === 'query' ? alone(type) : type)),
      required: required ? 'required' : 'optional',
      fallback: schema.default,
    })
  for (const { in: place, name, schema, required } of parameters) add(place, name, schema, required)
  for (const [name, schema] of Object.entries(body?.properties ?? {}))
    add('body', name, schema, body?.required?.includes(name))
  return rows
}

/** No member of an update has a default (R10). */
const isUpdate = ({ method, path }: Endpoint) => path.includes('{') && !['get', 'delete'].includes(method)

/** Whether the published type is that of a row or one of several with it (R10). Where a row has none, any is. */
const isDeclared = ([, type]: Row, { types }: Found) =>
  type === 'not stated' || type === 'none declared' || types.includes(type)

const placed = ({ inPath, query, body }: Endpoint): [string, Row][] =>
  Object.entries({ path: inPath, query, body }).flatMap(([place, rows]) =>
    rows.map((row): [string, Row] => [`${place} ${row[0]}`, row]),
  )

t.test('the document has every endpoint of the specification and its parameters', async (t) => {
  const { app } = await build(t)
  const document = documentOf(app)
  const operations = new Map(operationsOf(document).map((operation) => [keyOf(operation), operation]))
  for (const endpoint of ENDPOINTS) {
    const key = keyOf(endpoint)
    const operation = operations.get(key)
    if (!t.ok(operation, `${key} exists`)) continue
    const published = rowsOf(document, operation!)
    for (const [name, row] of placed(endpoint)) {
      const found = published.get(name)
      if (!t.ok(found, `${key} takes ${name}`)) continue
      const [, type, required, fallback] = row
      t.ok(isDeclared(row, found!), `${key} ${name} is ${found!.types}, and ${type} among them`)
      t.equal(found!.required, required, `${key} ${name}`)
      // defaults of null and generated ones are not published
      const isTold =
        fallback !== null && fallback !== GENERATED && !(isUpdate(endpoint) && name.startsWith('body '))
      t.equal(found!.fallback, isTold ? fallback : undefined, `${key} ${name}`)
    }
  }
})

t.test('what the document has beyond the specification is allowed by a ruling', async (t) => {
  const { app } = await build(t)
  const endpoints = new Map(ENDPOINTS.map((endpoint) => [keyOf(endpoint), endpoint]))
  const used = new Set<unknown>()
  const document = documentOf(app)
  for (const operation of operationsOf(document)) {
    const key = keyOf(operation)
    const more = MORE_PATHS.find(([path]) => path === operation.path)
    if (more) used.add(more)
    if (more) continue
    const endpoint = endpoints.get(key)
    if (!t.ok(endpoint, `${key} is specified`)) continue
    const specified = new Set(placed(endpoint!).map(([name]) => name))
    for (const name of rowsOf(document, operation).keys()) {
      const additions = ADDITIONS.filter(([where, added]) => where.test(key) && added === name)
      for (const addition of additions) used.add(addition)
      t.equal(specified.has(name) ? 0 : 1, additions.length, `${key} ${name} is specified, or added once`)
    }
  }
  t.same(
    [...ADDITIONS, ...MORE_PATHS].filter((addition) => !used.has(addition)),
    [],
    'no addition is listed in vain',
  )
})

type IndexEndpoint = { methods: string[]; args: Record<string, Record<string, unknown>> }
type Route = { namespace: string; methods: string[]; endpoints: IndexEndpoint[]; _links?: object }

const MOUNTS: [path: string, namespace: string][] = [
  ['/calendar/events/v1', 'calendar/events/v1'],
  ['/ca/calendar/events/v1', 'calendar/events/v1'],
  ['/wp-json/tribe/events/v1', 'tribe/events/v1'],
  ['/es/wp-json/tribe/events/v1', 'tribe/events/v1'],
]

t.test('the index lists every route with its methods, under the namespace of the mount', async (t) => {
  const { anonymous, app } = await build(t)
  const published = new Map<string, string[]>()
  for (const { path, method } of operationsOf(documentOf(app)))
    published.set(path, [...(published.get(path) ?? []), method.toUpperCase()])

  for (const [mount, namespace] of MOUNTS) {
    const { status, body, headers } = await anonymous.get(`/${mount}`)
    t.match(
      { status, headers },
      { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
    )
    t.same(Object.keys(body), ['namespace', 'routes', '_links'])
    t.equal(body.namespace, namespace)
    t.same(body._links, { up: [{ href: `http://calendar.test${mount}/` }] })

    const expected = [...published].map(([path, methods]) => {
      const pattern = path
        .replace('{slug}', '(?P<slug>[^/]+)')
        .replace('{format}', `(?P<format>${FORMATS.map(({ extension }) => extension).join('|')})`)
        .replace(/\{(\w+)\}/g, '(?P<$1>\\d+)')
        .replace(/\/$/, '')
      return [`/${namespace}${pattern}`, methods.sort()] as const
    })
    const routes = Object.entries(body.routes as Record<string, Route>)
    t.same(
      routes.map(([pattern, { methods }]) => [pattern, methods.toSorted()]).sort(),
      expected.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    )
    t.same(
      routes.slice(0, 3).map(([pattern]) => pattern.slice(namespace.length + 1)),
      ['', '/doc', '/events'],
      'in the order of the reference',
    )
    for (const [pattern, route] of routes) {
      t.equal(route.namespace, namespace)
      t.same(
        route.endpoints.flatMap(({ methods }) => methods),
        route.methods,
        `${pattern}: endpoints have these methods, each once`,
      )
      const self = `http://calendar.test${mount}${pattern.slice(namespace.length + 1)}`
      t.same(route._links, pattern.includes('(') ? undefined : { self: [{ href: self }] })
    }
  }
})

t.test('the index describes parameters as the document does', async (t) => {
  const { anonymous, app } = await build(t)
  const { routes } = (await anonymous.get('')).body as { routes: Record<string, Route> }
  const document = documentOf(app)
  for (const { method, path, parameters, body } of operationsOf(document)) {
    const pattern = Object.keys(routes).find(
      (one) =>
        one.replace(/\(\?P<(\w+)>.*?\)(?=[/.]|$)/g, '{$1}').replace('/calendar/events/v1', '') ===
        path.replace(/\/$/, ''),
    )!
    const { args } = routes[pattern]!.endpoints.find(({ methods }) => methods.includes(method.toUpperCase()))!
    // a slug in the body of an update stands over that in the path
    const members = new Map([
      ...parameters.map(({ name, schema, required }) => [name, { schema, required }] as const),
      ...Object.entries(body?.properties ?? {}).map(
        ([name, schema]) => [name, { schema, required: body!.required?.includes(name) }] as const,
      ),
    ])
    t.same(new Set(Object.keys(args)), new Set(members.keys()), `${method} ${path}`)
    for (const [name, { schema, required = false }] of members) {
      const { description: _, default: shown, required: isRequired, ...rest } = args[name]!
      const label = `${method} ${path} ${name}`
      // a default of null is in the index only
      t.equal(shown ?? undefined, schema.default, label)
      t.equal(isRequired, required, label)
      // the index has the type of the specification, which may be one of several in the document
      const declared = formsOf(document, schema).flatMap(typesOf)
      const types = formsOf(document, rest as Published).flatMap(typesOf)
      t.ok(
        types.some((type) => type === 'undefined' || declared.includes(type)),
        `${label} is ${types} in the index, ${declared} in the document`,
      )
    }
  }
})

t.test('the index has the words and defaults of the specification', async (t) => {
  const { anonymous } = await build(t)
  const { routes } = (await anonymous.get('')).body as { routes: Record<string, Route> }
  let nulls = 0
  for (const { method, path, query = [], body = [] } of ENDPOINTS) {
    const pattern = `/calendar/events/v1${path.replace('{id}', '(?P<id>\\d+)').replace('{slug}', '(?P<slug>[^/]+)')}`
    const { endpoints } = routes[pattern.replace(/\/$/, '')]!
    const { args } = endpoints.find(({ methods }) => methods.includes(method.toUpperCase()))!
    t.same(args.i18n_language!.enum, ['en', 'ca', 'es'], `${method} ${path}`)
    const isCreate = method === 'post' && !path.includes('{')
    for (const [name, , , fallback] of [...query, ...body]) {
      if (fallback === GENERATED) continue
      // no member of an update has one (R10)
      const isTold = isCreate || (fallback !== null && query.some(([one]) => one === name))
      t.same(args[name]!.default, isTold ? fallback : undefined, `${method} ${path} ${name}`)
      if (isTold && fallback === null) nulls += Number(args[name]!.default === null)
    }
  }
  t.equal(nulls, 28)
})

t.test('the declared default of the namespace is that of the mount', async (t) => {
  const { anonymous } = await build(t)
  for (const [mount, namespace] of MOUNTS) {
    const { body } = await anonymous.get(`/${mount}/`)
    t.match(body.routes[`/${namespace}`].endpoints[0].args, {
      namespace: { default: namespace, type: 'string', required: false },
      context: { default: 'view' },
    })
  }
})

t.test('the index of another namespace is 404', async (t) => {
  const { anonymous } = await build(t)
  for (const [mount, namespace] of MOUNTS) {
    const plain = await anonymous.get(`/${mount}`)
    for (const query of [
      `namespace=${namespace}`,
      `namespace=${namespace.replaceAll('/', '%2F')}`,
      'context=edit',
    ])
      t.equal((await anonymous.get(`/${mount}?${query}`)).text, plain.text, query)
    const others = ['x', 'calendar', '', 'calendar/events/v1', 'tribe/events/v1'].filter(
      (one) => one !== namespace,
    )
    for (const other of others)
      t.match(
        await anonymous.get(`/${mount}?namespace=${other}`),
        { status: 404, body: { code: 'rest_invalid_namespace', data: { status: 404 } } },
        `${mount} ${other}`,
      )
  }
})
