import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { downgrade } from '../../src/kernel/openapi/document.ts'
import { compareDocuments } from '../../tools/document/changes.ts'
import {
  lookUp,
  type OpenApi,
  type Operation,
  operationsOf,
  resolve,
  type Schema,
} from '../../tools/document/openapi.ts'

const WHOLE = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as OpenApi
/** Our document with one operation of each kind, for speed. */
const READ: OpenApi = {
  ...WHOLE,
  paths: Object.fromEntries(
    ['/events', '/events/{id}', '/media', '/users'].map((path) => [path, WHOLE.paths[path]!]),
  ),
}

/** Every schema that requests or answers consist of, except below unions, where a choice may contain another. */
function schemasOf(document: OpenApi, way: 'input' | 'output'): Schema[] {
  const found = new Set<Schema>()
  const add = (schema: Schema | undefined) => {
    if (!schema) return
    if (schema.$ref !== undefined) return add(lookUp(document, schema.$ref) as Schema)
    if (found.has(schema) || schema.allOf) return
    found.add(schema)
    for (const inner of [schema.items, ...Object.values(schema.properties ?? {})]) add(inner)
  }
  for (const operation of Object.values(operationsOf(document))) {
    const { parameters = [], requestBody, responses } = operation
    const bodies = requestBody ? [resolve(document, requestBody)] : []
    const answers = Object.values(responses).map((answer) => resolve(document, answer))
    if (way === 'input') for (const parameter of parameters) add(resolve(document, parameter).schema)
    for (const { content = {} } of way === 'input' ? bodies : answers)
      for (const { schema } of Object.values(content)) add(schema)
  }
  return [...found]
}
const is =
  (...types: string[]) =>
  (schema: Schema) =>
    types.includes(schema.type as string) && !schema.enum && schema.const === undefined
const optionalOf = ({ properties = {}, required = [] }: Schema) =>
  Object.keys(properties).filter((name) => !required.includes(name))
const namesOf = ({ properties = {} }: Schema) => Object.keys(properties)
const set = (name: string, change: (value: never) => unknown) => (schema: Schema) => {
  schema[name] = change(schema[name] as never)
}

/** What narrows a schema: `fits` says where, `edit` does it. */
type Kind = [title: string, fits: (schema: Schema) => boolean, edit: (schema: Schema) => unknown]
const NARROWINGS: Kind[] = [
  ['a longer text', is('string'), set('minLength', (least = 0) => least + 1)],
  ['a shorter text', is('string'), set('maxLength', (most = 9) => most - 1)],
  ['a pattern', is('string'), set('pattern', (pattern = '') => `^x${pattern}`)],
  ['words', is('string'), set('enum', () => ['only'])],
  [
    'fewer words',
    ({ enum: words = [] }) => words.length > 1,
    set('enum', (words: unknown[]) => words.slice(1)),
  ],
  [
    'one word',
    ({ enum: words = [] }) => words.length > 1,
    (schema) => Object.assign(schema, { const: schema.enum![0] }),
  ],
  ['a higher minimum', is('integer', 'number'), set('minimum', (least = 0) => least + 1)],
  ['a lower maximum', is('integer', 'number'), set('maximum', (most = 99) => most - 1)],
  ['a step', is('integer'), set('multipleOf', () => 7)],
  ['fewer items', is('array'), set('maxItems', (most = 9) => most - 1)],
  ['more items', is('array'), set('minItems', (least = 0) => least + 1)],
  ['items without twins', is('array'), set('uniqueItems', () => true)],
  ['other items', is('array'), set('items', () => ({ type: 'boolean', enum: [true] }))],
  [
    'a required member',
    (schema) => optionalOf(schema).length > 0,
    (schema) => set('required', (names = []) => [...names, optionalOf(schema)[0]])(schema),
  ],
  [
    'no other members',
    ({ type, additionalProperties = true }) => type === 'object' && additionalProperties !== false,
    set('additionalProperties', () => false),
  ],
  ['another type', is('string'), (schema) => Object.assign(schema, { type: 'boolean' })],
]
const BREAKS: Record<'input' | 'output', Kind[]> = {
  input: [
    ...NARROWINGS,
    [
      'a removed member',
      (schema) => namesOf(schema).length > 0,
      (schema) => delete schema.properties![namesOf(schema)[0]!],
    ],
    ['another default', ({ default: value }) => value !== undefined, set('default', () => 'other')],
  ],
  output: [
    [
      'null',
      is('string', 'integer', 'boolean', 'array', 'object'),
      (schema) => Object.assign(schema, { type: [schema.type, 'null'] }),
    ],
    ['anything', is('string', 'integer', 'boolean', 'array', 'object'), (schema) => delete schema.type],
    [
      'a union',
      is('string', 'integer', 'boolean'),
      (schema) =>
        Object.assign(schema, { anyOf: [{ type: schema.type }, { type: 'array' }], type: undefined }),
    ],
    [
      'a word more',
      ({ enum: words }) => words !== undefined,
      set('enum', (words: unknown[]) => [...words, 'another']),
    ],
    [
      'a removed member',
      (schema) => namesOf(schema).length > 0,
      (schema) => delete schema.properties![namesOf(schema)[0]!],
    ],
    [
      'a member that may be absent',
      ({ required = [], properties = {} }) => required.some((name) => name in properties),
      set('required', () => []),
    ],
    ['another format', ({ format }) => format !== undefined, set('format', () => 'other')],
  ],
}
/** What breaks the clients of an operation. */
const ANSWERED: [
  title: string,
  fits: (operation: Operation) => unknown,
  edit: (operation: Operation) => unknown,
][] = [
  ['no answer', () => true, ({ responses }) => delete responses[Object.keys(responses)[0]!]],
  ['a parameter less', ({ parameters }) => parameters?.length, (operation) => operation.parameters!.pop()],
  [
    'a required parameter',
    () => true,
    (operation) => {
      operation.parameters = [...(operation.parameters ?? []), { name: 'x', in: 'query', required: true }]
    },
  ],
  ['no body', ({ requestBody }) => requestBody, (operation) => delete operation.requestBody],
  [
    'a type of body less',
    ({ requestBody }) => requestBody?.content,
    ({ requestBody }) => delete requestBody!.content[Object.keys(requestBody!.content)[0]!],
  ],
  [
    'other credentials',
    ({ security }) => security,
    (operation) => Object.assign(operation, { security: [{ other: [] }] }),
  ],
  [
    'a header less',
    ({ responses }) => responses[200]?.headers?.ETag,
    ({ responses }) => delete responses[200]!.headers!.ETag,
  ],
  ['another name', () => true, (operation) => Object.assign(operation, { operationId: 'other' })],
  ['another tag', () => true, (operation) => Object.assign(operation, { tags: ['Other'] })],
]

/** The real document with an edit at one of the places that fit, and what is told of it, there and back. */
function edited<T>(places: (document: OpenApi) => T[], edit: (place: T) => unknown, at: number) {
  const newer = structuredClone(READ)
  const all = places(newer)
  edit(all[at % all.length]!)
  const broken = (one: OpenApi, other: OpenApi) =>
    compareDocuments(one, other).filter(({ breaking }) => breaking)
  return { there: () => broken(READ, newer), back: () => broken(newer, READ) }
}
const anywhere = (check: (at: number) => void) =>
  fc.assert(fc.property(fc.nat(), check), { seed: 9, numRuns: 2 })

t.test(
  'our document compared with itself has not changed; its older form has fewer media types and nulls',
  async (t) => {
    t.same(compareDocuments(WHOLE, structuredClone(WHOLE)), [])
    const older = downgrade(WHOLE as never) as never as OpenApi
    const told = [...compareDocuments(WHOLE, older), ...compareDocuments(older, WHOLE)]
    const isMedia = ({ where }: { where: string }) => / [a-z]+\/[\w.+-]+$/.test(where)
    // what only these media types and messages have
    const isLeftOut = ({ where }: { where: string }) =>
      /^schema (JsonFeed|LinkedData|\w+Message)$/.test(where)
    // what 3.0 has no word for
    const isUnsaid = ({ what }: { what: string }) => what === 'has another dependentRequired'
    const others = told
      .filter((change) => !isMedia(change) && !isLeftOut(change) && !isUnsaid(change))
      .map(({ where, what }) => `${where} ${what}`)
    t.same(
      others.filter((text) => !/OrNull \(input\) (is never null any more|can be null now)$/.test(text)),
      [],
    )
  },
)

for (const way of ['input', 'output'] as const)
  for (const [title, fits, edit] of BREAKS[way])
    t.test(`${title} anywhere in the ${way} of our document is breaking`, async (t) => {
      const places = (document: OpenApi) => schemasOf(document, way).filter(fits)
      t.ok(places(READ).length > 0, 'it can happen')
      anywhere((at) => t.ok(edited(places, edit, at).there().length > 0))
    })

for (const [title, fits, edit] of NARROWINGS.filter(([title]) => !/^(another type|other items)$/.test(title)))
  t.test(`without ${title}, a request of our document may only say more, which breaks nobody`, async (t) => {
    const places = (document: OpenApi) => {
      const given = new Set(schemasOf(document, 'output'))
      return schemasOf(document, 'input').filter((schema) => fits(schema) && !given.has(schema))
    }
    anywhere((at) => t.same(edited(places, edit, at).back(), []))
  })

for (const [title, fits, edit] of ANSWERED)
  t.test(`${title} of any operation of our document is breaking`, async (t) => {
    const places = (document: OpenApi) =>
      Object.values(document.paths)
        .flatMap((path) => Object.values(path) as Operation[])
        .filter(fits)
    anywhere((at) => t.ok(edited(places, edit, at).there().length > 0))
  })
