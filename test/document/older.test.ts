import t from 'tap'
import { downgrade } from '../../src/kernel/openapi/document.ts'
import { build } from '../support/app.ts'
import { documentOf, visit } from '../support/document.ts'

type Json = Record<string, unknown>
const EMPTY = { paths: {}, components: { schemas: {} } }

t.test('every word of 3.1 has one in 3.0', async (t) => {
  const cases: [newer: object, older: object][] = [
    [{ type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [{ type: ['string', 'integer'] }, { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
    [
      { type: ['string', 'integer', 'null'] },
      { anyOf: [{ type: 'string', nullable: true }, { type: 'integer' }] },
    ],
    [{ const: false }, { enum: [false] }],
    [{ $ref: '#/x' }, { $ref: '#/x' }],
    [{ $ref: '#/x', description: 'X.' }, { $ref: '#/x' }],
    [{ anyOf: [{ $ref: '#/x' }, { type: 'null' }] }, { $ref: '#/x' }],
    [
      { anyOf: [{ $ref: '#/x' }, { type: 'string' }, { type: 'null' }] },
      { anyOf: [{ $ref: '#/x' }, { type: 'string', nullable: true }] },
    ],
    [
      { oneOf: [{ type: 'string' }, { const: 1 }, { type: 'null' }] },
      { oneOf: [{ type: 'string', nullable: true }, { enum: [1] }] },
    ],
    [{ anyOf: [{ type: 'string' }, true] }, { anyOf: [{ type: 'string' }, true] }],
    [{ content: { a: {}, b: {} } }, { content: { a: {} } }],
    [{ dependentRequired: { a: ['b'], b: ['a'] } }, {}],
    [{ exclusiveMinimum: 0 }, { minimum: 0, exclusiveMinimum: true }],
    [{ exclusiveMaximum: 9 }, { maximum: 9, exclusiveMaximum: true }],
    [
      { type: 'string', examples: ['a', 'b'] },
      { type: 'string', example: 'a' },
    ],
    [{ examples: { a: { $ref: '#/a' } } }, { examples: { a: { $ref: '#/a' } } }],
    [{ default: { type: ['a', 'null'] } }, { default: { type: ['a', 'null'] } }],
    [
      { properties: { const: { const: 'a' }, examples: { type: ['string', 'null'] } } },
      { properties: { const: { enum: ['a'] }, examples: { type: 'string', nullable: true } } },
    ],
  ]
  for (const [newer, older] of cases) {
    const used = { 'x-used': { $ref: '#/components/schemas/X' } }
    const document = { ...EMPTY, ...used, components: { schemas: { X: newer } } }
    const { openapi, components } = downgrade<Record<string, unknown>>(document) as typeof document & {
      openapi: string
    }
    t.same([openapi, components.schemas.X], ['3.0.3', older], JSON.stringify(newer))
  }
})

/** What the two versions say in words of their own; the test above compares these. */
const WORDS = ['type', 'nullable', 'anyOf', 'oneOf', 'allOf', '$ref', 'const', 'enum', 'example', 'examples']
const LIMITS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'dependentRequired'],
  ...['identifier', 'url', 'openapi'],
]

/** With the first media type of a body alone, as in 3.0. */
const firstContent = (part: object & { content?: object }) =>
  part.content ? { ...part, content: Object.fromEntries(Object.entries(part.content).slice(0, 1)) } : part

/** A part of a document without what versions say in words of their own, however deep; and with what is inside of it. */
function common(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(common)
  if (typeof part !== 'object' || part === null) return part
  if ('$ref' in part && typeof part.$ref === 'string') return {}
  // a word or null, which is the reference to the word
  if ('anyOf' in part && Array.isArray(part.anyOf) && part.anyOf.length === 2 && '$ref' in part.anyOf[0])
    if (part.anyOf[1].type === 'null') return {}
  const members = Object.entries(firstContent(part)).filter(([name]) => ![...WORDS, ...LIMITS].includes(name))
  return Object.fromEntries(members.map(([name, member]) => [name, common(member)]))
}

t.test('the 3.0 twin says the same in the words of 3.0', async (t) => {
  const { app, anonymous } = await build(t)
  const newer = documentOf(app)
  const { body: older, headers } = await anonymous.get('/doc/openapi-3.0.json')
  t.match(headers, { 'content-type': 'application/json; charset=utf-8' })
  t.same(older, JSON.parse(JSON.stringify(downgrade(newer))))
  t.equal(older.openapi, '3.0.3')
  const { examples, ...components } = older.components
  t.same(examples, newer.components.examples, 'examples are as they were')
  const { examples: _, ...rest } = newer.components
  // schemas of what 3.0 leaves out are not there
  const schemas = Object.fromEntries(
    Object.entries(rest.schemas as object).filter(([name]) => name in components.schemas),
  )
  const { webhooks: _messages, ...others } = newer
  t.same(common({ ...older, components }), common({ ...others, components: { ...rest, schemas } }))
  t.notOk('webhooks' in older || 'EventMessage' in components.schemas, '3.0 has no webhooks')

  const wrong: string[] = []
  visit([older.paths, components], (object: Json, way) => {
    const at = way.join('.')
    if (way.at(-1) === 'properties' || way.includes('example') || way.includes('examples')) return
    const { type, $ref, examples, exclusiveMinimum, exclusiveMaximum } = object
    if (Array.isArray(type) || type === 'null') wrong.push(`${at} has the type ${type}`)
    if ('dependentRequired' in object) wrong.push(`${at} has members that need each other`)
    if ('const' in object) wrong.push(`${at} has a const`)
    if (Array.isArray(examples)) wrong.push(`${at} has a list of examples`)
    if ($ref !== undefined && Object.keys(object).length > 1) wrong.push(`${at} has words beside a reference`)
    if (typeof (exclusiveMinimum ?? exclusiveMaximum ?? true) !== 'boolean') wrong.push(`${at} has a limit`)
  })
  t.same(wrong, [])
})
