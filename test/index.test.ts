import t from 'tap'
import { build } from './support/app.ts'
import { documentOf, operationsOf } from './support/document.ts'
import { ENDPOINTS, GENERATED } from './support/specification.ts'

type Endpoint = { methods: string[]; args: Record<string, Record<string, unknown>> }
type Route = { namespace: string; methods: string[]; endpoints: Endpoint[]; _links?: object }

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
        .replace(/\{(\w+)\}/g, '(?P<$1>\\d+)')
        .replace(/\/$/, '')
      return [`/${namespace}${pattern}`, methods.sort()]
    })
    const routes = Object.entries(body.routes as Record<string, Route>)
    t.same(
      routes.map(([pattern, { methods }]) => [pattern, methods.toSorted()]),
      expected,
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
  for (const { method, path, parameters, body } of operationsOf(documentOf(app))) {
    const pattern = Object.keys(routes).find(
      (one) =>
        one.replace(/\(\?P<(\w+)>.*?\)(?=\/|$)/g, '{$1}').replace('/calendar/events/v1', '') ===
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
      const { type, format, items, enum: words, default: fallback } = schema
      const { description: _, ...rest } = args[name]!
      // which the document has no type for
      if (rest.default === null) delete rest.default
      t.same(
        rest,
        JSON.parse(JSON.stringify({ type, format, items, enum: words, default: fallback, required })),
        `${method} ${path} ${name}`,
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
    for (const [name, , , fallback] of [...query, ...body]) {
      if (fallback === GENERATED) continue
      // no member of an update has one
      const isTold = fallback !== null || (method === 'post' && !path.includes('{'))
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
