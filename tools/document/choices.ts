import { lookUp, type OpenApi, type Schema, show } from './openapi.ts'

/** One of the alternatives that a schema allows: of one type, with all its rules; `name` where it is a component. */
export type Choice = { name?: string; type: string; rules: Schema }

/** Rules that must not rise for values that are sent, and rules that must not fall. */
export const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'uniqueItems']
export const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
/** Rules of which it is not known which value is stricter. */
export const FORMS = ['format', 'pattern', 'multipleOf']
/** Rules that are only compared as a whole. */
export const OTHERS = [
  ...[
    'not',
    'if',
    'then',
    'else',
    'patternProperties',
    'propertyNames',
    'dependentRequired',
    'dependentSchemas',
  ],
  ...['prefixItems', 'contains', 'minContains', 'maxContains', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['contentEncoding', 'contentMediaType'],
]
const MEMBERS = ['properties', 'required', 'additionalProperties']
const RULES = new Set([...LOWER, ...UPPER, ...FORMS, ...OTHERS, ...MEMBERS, 'enum', 'items'])
const COMBINED = new Set([...RULES, 'type', 'nullable', 'const', 'anyOf', 'oneOf'])

/** The types to which a rule applies; every type unless it stands here. */
const TYPES = Object.fromEntries([
  ...['minLength', 'maxLength', 'pattern'].map((rule) => [rule, ['string']]),
  ...[...LOWER, ...UPPER].filter((rule) => /imum$/.test(rule)).map((rule) => [rule, ['integer', 'number']]),
  ...['items', 'minItems', 'maxItems', 'uniqueItems'].map((rule) => [rule, ['array']]),
  ...[...MEMBERS, 'minProperties', 'maxProperties'].map((rule) => [rule, ['object']]),
  ['format', ['string', 'integer', 'number']],
]) as Record<string, string[]>

/** The reference that a schema consists of, beside descriptions and defaults; 3.0 wraps it in an `allOf`. */
export function referenceOf(schema: Schema): string | undefined {
  if (Object.keys(schema).some((key) => COMBINED.has(key))) return undefined
  return schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]!.$ref : undefined)
}

/** The name of a component in a reference to it. */
export const nameOf = (reference: string) => reference.split('/').at(-1)!

/** All alternatives of a schema: each type, each branch of its unions, with the rules of everything that applies to all. */
export function choicesOf(document: OpenApi, schema: Schema | boolean): Choice[] {
  if (schema === false) return []
  if (schema === true) return [{ type: 'any', rules: {} }]
  const { $ref, allOf = [], anyOf, oneOf } = schema
  const unions = [anyOf, oneOf].filter((union) => union !== undefined)
  const parts = [
    ...($ref === undefined ? [] : [referred(document, $ref)]),
    ...allOf.map((part) => choicesOf(document, part)),
    ...unions.map((union) => union.flatMap((part) => choicesOf(document, part))),
  ]
  const all = parts.reduce(
    (choices, part) => choices.flatMap((one) => part.flatMap((other) => both(one, other))),
    ownChoices(schema),
  )
  const choices = joinWords(all)
  const hasNull = choices.some(({ type }) => type === 'null')
  return schema.nullable && !hasNull ? [...choices, { type: 'null', rules: {} }] : choices
}

function referred(document: OpenApi, reference: string): Choice[] {
  const choices = choicesOf(document, lookUp(document, reference) as Schema)
  return choices.length === 1 ? [{ ...choices[0]!, name: nameOf(reference) }] : choices
}

/** The alternatives by the types and words that the schema names itself. */
function ownChoices(schema: Schema): Choice[] {
  const words = 'const' in schema ? [schema.const] : schema.enum
  const types = schema.type === undefined ? (words?.map(typeOf) ?? ['any']) : [schema.type].flat()
  return [...new Set(types)].flatMap((type) => {
    const own = Object.entries(readBounds(schema)).filter(
      ([rule]) =>
        RULES.has(rule) && rule !== 'enum' && (type === 'any' || (TYPES[rule]?.includes(type) ?? true)),
    )
    const fitting = words?.filter(
      (word) => typeOf(word) === type || (type === 'number' && typeof word === 'number'),
    )
    if (fitting?.length === 0) return []
    return {
      type,
      rules: { ...Object.fromEntries(own), ...(fitting && type !== 'null' && { enum: fitting }) },
    }
  })
}

/** `exclusiveMinimum` of 3.0 says that `minimum` is excluded; in 3.1 it is the bound. */
function readBounds(schema: Schema): Schema {
  const read = { ...schema }
  for (const [inner, outer] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof read[outer] !== 'boolean') continue
    const excluded = read[outer]
    delete read[outer]
    if (!excluded) continue
    read[outer] = read[inner]
    delete read[inner]
  }
  return read
}

const typeOf = (value: unknown) =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : Number.isInteger(value)
        ? 'integer'
        : typeof value

/** What fits two alternatives at once, or nothing. */
function both(one: Choice, other: Choice): Choice[] {
  if (isFree(one)) return [other]
  if (isFree(other)) return [one]
  const type = narrowerType(one.type, other.type)
  if (type === undefined) return []
  const rules = Object.keys({ ...one.rules, ...other.rules }).map((rule) => {
    const values = [one.rules[rule], other.rules[rule]].filter((value) => value !== undefined)
    return [rule, values.length === 1 ? values[0] : joinRule(rule, values)]
  })
  return [{ type, rules: Object.fromEntries(rules) }]
}
const isFree = ({ type, rules }: Choice) => type === 'any' && Object.keys(rules).length === 0

function narrowerType(one: string, other: string): string | undefined {
  if (one === other || other === 'any') return one
  if (one === 'any') return other
  return [one, other].toSorted().join() === 'integer,number' ? 'integer' : undefined
}

// biome-ignore lint/suspicious/noExplicitAny: the rule says what its values are
function joinRule(rule: string, [one, other]: any[]): unknown {
  if (LOWER.includes(rule)) return Math.max(one, other)
  if (UPPER.includes(rule)) return Math.min(one, other)
  if (rule === 'enum') return one.filter((word: unknown) => other.includes(word))
  if (rule === 'required') return [...new Set([...one, ...other])]
  if (rule === 'items' || rule === 'additionalProperties') return { allOf: [one, other] }
  if (rule !== 'properties') return other
  const shared = Object.keys(one).filter((name) => name in other)
  return {
    ...one,
    ...other,
    ...Object.fromEntries(shared.map((name) => [name, { allOf: [one[name], other[name]] }])),
  }
}

/** Alternatives that are only words become one; `true` and `false` are all of a boolean. */
function joinWords(choices: Choice[]): Choice[] {
  const isWords = ({ rules }: Choice) => isEqualKeys(rules, ['enum'])
  const types = new Set(choices.filter(isWords).map(({ type }) => type))
  const joined = [...types].map((type): Choice => {
    const alike = choices.filter((choice) => isWords(choice) && choice.type === type)
    const words = [...new Set(alike.flatMap(({ rules }) => rules.enum as unknown[]))]
    const rules = type === 'boolean' && words.length === 2 ? {} : { enum: words }
    return alike.length === 1 ? { ...alike[0]!, rules } : { type, rules }
  })
  return [...choices.filter((choice) => !isWords(choice)), ...joined]
}
const isEqualKeys = (object: object, keys: string[]) => Object.keys(object).join() === keys.join()

/** What an alternative is called in a message. */
export function kindOf(document: OpenApi, { name, type, rules }: Choice): string {
  if (name !== undefined) return name
  if (rules.enum) return rules.enum.map(show).join(', ')
  if (rules.items) return `a list of ${kindsOf(document, choicesOf(document, rules.items))}`
  return rules.format === undefined ? type : `${type} (${rules.format})`
}
/** What several alternatives are called. */
export const kindsOf = (document: OpenApi, choices: Choice[]) =>
  choices.map((choice) => kindOf(document, choice)).join(' or ')
