import { isObject, type Json, rewrite } from './rewrite.ts'

/** One type, or a choice of several; `null` among them is a member of its own. */
function typesOf(type: unknown): Json {
  if (!Array.isArray(type)) return type === undefined ? {} : { type }
  const types = type.filter((one) => one !== 'null')
  return {
    ...(types.length === 1 ? { type: types[0] } : { anyOf: types.map((one) => ({ type: one })) }),
    ...(types.length < type.length && { nullable: true }),
  }
}

const isNull = (schema: unknown) => isObject(schema) && schema.type === 'null'

/** A choice without `null`, which is a member of its own; a choice of one is that one. */
function choiceOf(name: 'anyOf' | 'oneOf', choice: unknown): Json {
  if (!Array.isArray(choice)) return {}
  const others = choice.filter((schema) => !isNull(schema))
  if (others.length === choice.length) return { [name]: choice }
  return { ...(others.length === 1 ? { allOf: others } : { [name]: others }), nullable: true }
}

/** A limit that excludes its value. */
const limitOf = (name: 'minimum' | 'maximum', exclusive: string, value: unknown): Json =>
  value === undefined ? {} : { [name]: value, [exclusive]: true }

/** A reference with other members beside it, which OpenAPI 3.0 ignores. */
function referenceOf({ $ref, ...rest }: Json): Json {
  if ($ref === undefined) return rest
  return Object.keys(rest).length === 0 ? { $ref } : { allOf: [{ $ref }], ...rest }
}

function older(schema: Json): Json {
  const { examples, exclusiveMinimum, exclusiveMaximum, identifier, type, anyOf, oneOf, ...others } = schema
  const { const: only, ...rest } = others
  return referenceOf({
    ...typesOf(type),
    ...choiceOf('anyOf', anyOf),
    ...choiceOf('oneOf', oneOf),
    ...rest,
    ...(only !== undefined && { enum: [only] }),
    ...(Array.isArray(examples) && { example: examples[0] }),
    ...(examples !== undefined && !Array.isArray(examples) && { examples }),
    ...limitOf('minimum', 'exclusiveMinimum', exclusiveMinimum),
    ...limitOf('maximum', 'exclusiveMaximum', exclusiveMaximum),
    ...(identifier !== undefined && { url: 'https://opensource.org/license/mit' }),
  })
}

/** Converts an OpenAPI 3.1 document to 3.0.3, for generators that need it (D42). */
export const downgrade = <T extends Json>(document: T): T => ({
  ...(rewrite(document, older) as T),
  openapi: '3.0.3',
})
