import { isObject, type Json, rewrite } from './components.ts'

/** One type, or a choice of several; `null` among them is a member of its own beside the first. */
function typesOf(type: unknown): Json {
  if (!Array.isArray(type)) return type === undefined ? {} : { type }
  const types = type.filter((one) => one !== 'null')
  const nullable = types.length < type.length && { nullable: true }
  if (types.length === 1) return { type: types[0], ...nullable }
  return { anyOf: types.map((one, at) => ({ type: one, ...(at === 0 && nullable) })) }
}

const isNull = (schema: unknown) => isObject(schema) && schema.type === 'null'

/** In 3.0 only what has a type can be null, and a set of words has to contain it. */
const canBeNull = (schema: unknown) =>
  isObject(schema) && typeof schema.type === 'string' && schema.enum === undefined

/**
 * A choice without `null`: one of the others can be null instead. A choice of one is that one, which keeps a reference, and loses
 * its null.
 */
function choiceOf(name: 'anyOf' | 'oneOf', choice: unknown): Json {
  if (!Array.isArray(choice)) return {}
  const others = choice.filter((schema) => !isNull(schema))
  if (others.length === choice.length) return { [name]: choice }
  const at = others.findIndex(canBeNull)
  const members = others.map((one, index) => (index === at ? { ...one, nullable: true } : one))
  return members.length === 1 ? members[0] : { [name]: members }
}

/** A limit that excludes its value. */
const limitOf = (name: 'minimum' | 'maximum', exclusive: string, value: unknown): Json =>
  value === undefined ? {} : { [name]: value, [exclusive]: true }

/**
 * A reference alone: OpenAPI 3.0 ignores what stands beside it. An `allOf` would keep the words, but generators for typed languages
 * make a class of its own of each.
 */
const referenceOf = ({ $ref, ...rest }: Json): Json => ($ref === undefined ? rest : { $ref })

/** One media type: of a body in several, generators make as many functions of one name. */
const firstOf = (content: Json): Json => Object.fromEntries(Object.entries(content).slice(0, 1))

function older(schema: Json): Json {
  const { examples, exclusiveMinimum, exclusiveMaximum, identifier, type, anyOf, oneOf, ...others } = schema
  // 3.0 has no word for members that need each other: the description says it
  const { const: only, content, dependentRequired: _, ...rest } = others
  return referenceOf({
    ...typesOf(type),
    ...choiceOf('anyOf', anyOf),
    ...choiceOf('oneOf', oneOf),
    ...rest,
    ...(isObject(content) && { content: firstOf(content) }),
    ...(only !== undefined && { enum: [only] }),
    ...(Array.isArray(examples) && { example: examples[0] }),
    ...(examples !== undefined && !Array.isArray(examples) && { examples }),
    ...limitOf('minimum', 'exclusiveMinimum', exclusiveMinimum),
    ...limitOf('maximum', 'exclusiveMaximum', exclusiveMaximum),
    ...(identifier !== undefined && { url: 'https://opensource.org/license/mit' }),
  })
}

/** A document without the schemas that it does not use: those of media types and messages that were left out. */
function onlyUsed<T extends Json>(document: T): T {
  const components = document.components as { schemas: Json }
  const text = JSON.stringify(document)
  const used = Object.entries(components.schemas).filter(([name]) =>
    text.includes(`"#/components/schemas/${name}"`),
  )
  return { ...document, components: { ...components, schemas: Object.fromEntries(used) } }
}

/** Converts an OpenAPI 3.1 document to 3.0.3, for generators that need it (D42). */
export const downgrade = <T extends Json>({ webhooks: _, ...document }: T): T =>
  onlyUsed({
    ...(rewrite(document, older) as T),
    openapi: '3.0.3',
  })
