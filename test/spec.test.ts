import t from 'tap'
import { build } from './support/app.ts'
import { documentOf, type Operation, operationsOf, type Published } from './support/document.ts'
import { ENDPOINTS, type Endpoint, GENERATED, type Row, type Type } from './support/specification.ts'

/** What the service offers beyond the specification: where, name, and the ruling that allows it. */
const ADDITIONS: [where: RegExp, name: string, ruling: string][] = [
  [/^get \/(?!doc|media)/, 'query _fields', 'D28'],
  [/^get \/events$/, 'query geoloc_radius', 'D18'],
  [/^get \/events$/, 'query password', 'D15, D29'],
  [/^get \/events\/by-slug/, 'query password', 'D7, D15'],
  [/^delete /, 'query force', 'D30'],
  [/^post \/events$/, 'body password', 'D15'],
  [/^(post|put|patch) \/events/, 'body ticketed', 'D19'],
  [/^(post|put|patch) \/events/, 'body post_parent', 'D20'],
  [/^(post|put|patch) \/(venues|organizers)/, 'body slug', 'D6, R11'],
  [/^(post|put|patch) \/venues/, 'body geo_lat', 'D18'],
  [/^(post|put|patch) \/venues/, 'body geo_lng', 'D18'],
  [/^(post|put|patch) \//, 'body translation_of', 'D21'],
]
/** Addresses that the specification lacks, with the ruling that allows them. */
const MORE_PATHS: [path: string, ruling: string][] = [
  ['/media', 'D43'],
  ['/media/{id}', 'D43'],
  ['/users', 'R2'],
  ['/users/{id}', 'R2'],
  ['/users/{id}/application-passwords', 'R2'],
  ['/users/{id}/application-passwords/{password_id}', 'R2'],
  ['/tokens', 'R2'],
  ['/tokens/{id}', 'R2'],
]

const keyOf = ({ method, path }: Pick<Operation, 'method' | 'path'>) => `${method} ${path}`

function typeOf({ type, format, items, enum: words }: Published): Type | string {
  if (type === undefined) return 'none declared'
  if (words) return `one of ${words.toSorted().join(', ')}`
  if (type === 'array') return `array of ${items?.type}`
  return format ?? type
}

/** The parameters of an operation as rows of the specification, by place and name. */
function rowsOf({ parameters, body }: Operation): Map<string, Row> {
  const rows = new Map<string, Row>()
  const add = (place: string, name: string, schema: Published, required = false) =>
    rows.set(`${place} ${name}`, [
      name,
      typeOf(schema) as Type,
      required ? 'required' : 'optional',
      schema.default,
    ])
  for (const { in: place, name, schema, required } of parameters) add(place, name, schema, required)
  for (const [name, schema] of Object.entries(body?.properties ?? {}))
    add('body', name, schema, body?.required?.includes(name))
  return rows
}

/** What the document has to say for a row: defaults of null and generated ones are not published. */
function expected([name, type, required, fallback]: Row, published: Row): Row {
  const stated = type === 'not stated' ? published[1] : type
  return [name, stated, required, fallback === null || fallback === GENERATED ? undefined : fallback]
}

const placed = ({ inPath, query, body }: Endpoint): [string, Row][] =>
  Object.entries({ path: inPath, query, body }).flatMap(([place, rows]) =>
    rows.map((row): [string, Row] => [`${place} ${row[0]}`, row]),
  )

t.test('the document has every endpoint of the specification and its parameters', async (t) => {
  const { app } = await build(t)
  const operations = new Map(operationsOf(documentOf(app)).map((operation) => [keyOf(operation), operation]))
  for (const endpoint of ENDPOINTS) {
    const key = keyOf(endpoint)
    const operation = operations.get(key)
    if (!t.ok(operation, `${key} exists`)) continue
    const published = rowsOf(operation!)
    for (const [name, row] of placed(endpoint)) {
      const found = published.get(name)
      if (t.ok(found, `${key} takes ${name}`)) t.same(found, expected(row, found!), `${key} ${name}`)
    }
  }
})

t.test('what the document has beyond the specification is allowed by a ruling', async (t) => {
  const { app } = await build(t)
  const endpoints = new Map(ENDPOINTS.map((endpoint) => [keyOf(endpoint), endpoint]))
  const used = new Set<unknown>()
  for (const operation of operationsOf(documentOf(app))) {
    const key = keyOf(operation)
    const more = MORE_PATHS.find(([path]) => path === operation.path)
    if (more) used.add(more)
    if (more) continue
    const endpoint = endpoints.get(key)
    if (!t.ok(endpoint, `${key} is specified`)) continue
    const specified = new Set(placed(endpoint!).map(([name]) => name))
    for (const name of rowsOf(operation).keys()) {
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
