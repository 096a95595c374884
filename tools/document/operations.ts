import { choicesOf } from './choices.ts'
import {
  type Answer,
  type Body,
  type Content,
  type Header,
  isSame,
  type OpenApi,
  type Operation,
  type Parameter,
  pairs,
  resolve,
  type Schema,
  type Tell,
} from './openapi.ts'
import type { buildComparison, Way } from './schemas.ts'

type Schemas = ReturnType<typeof buildComparison>

/** Compares the parameters of an operation in the path, the query, headers and cookies. */
export function compareParameters(
  [older, newer]: [OpenApi, OpenApi],
  schemas: Schemas,
  tell: Tell,
  [key, before, after]: [key: string, before: Operation, after: Operation],
) {
  for (const [, old, now] of pairs(parametersOf(older, before), parametersOf(newer, after))) {
    const { in: place, name } = (now ?? old)!
    const where = `${key} ${place} ${name}`
    if (!now) tell(true, where, 'was removed')
    else if (!old) tell(now.required === true, where, now.required ? 'is new and required' : 'is new')
    else {
      if (!old.required && now.required) tell(true, where, 'is required now')
      if (old.required && !now.required) tell(false, where, 'is optional now')
      compareDeprecated(tell, where, old, now)
      compareForms(where, old, now)
      schemas.compare(where, schemaOf(old), schemaOf(now), 'input')
    }
  }

  /** How lists and objects are written into one text. */
  function compareForms(where: string, before: Parameter, after: Parameter) {
    const [old, now] = [formOf(before), formOf(after)]
    const isList = [isCompound(older, schemaOf(before)), isCompound(newer, schemaOf(after))].every(Boolean)
    for (const name of ['content', 'style', 'explode'] as const)
      if (old[name] !== now[name] && (isList || name === 'content'))
        tell(true, where, `has ${name} ${now[name]} instead of ${old[name]}`)
  }
}

/** Tells of a thing that is to go away some day; it still works. */
export function compareDeprecated(
  tell: Tell,
  where: string,
  before: { deprecated?: boolean },
  after: { deprecated?: boolean },
) {
  if (!before.deprecated && after.deprecated) tell(false, where, 'is deprecated now')
  if (before.deprecated && !after.deprecated) tell(false, where, 'is not deprecated any more')
}

/** By place and name; names of headers are alike in any case. */
const parametersOf = (document: OpenApi, { parameters = [] }: Operation): Record<string, Parameter> =>
  Object.fromEntries(
    parameters.map((reference) => {
      const parameter = resolve(document, reference)
      const name = parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name
      return [`${parameter.in} ${name}`, parameter]
    }),
  )

/** The schema of a parameter or header, also where it stands below a content type. */
const schemaOf = ({ schema, content = {} }: Pick<Parameter, 'schema' | 'content'>): Schema =>
  schema ?? Object.values(content)[0]?.schema ?? {}

function formOf({ in: place, content = {}, ...rest }: Parameter) {
  const style = rest.style ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  return { content: Object.keys(content)[0] ?? 'none', style, explode: rest.explode ?? style === 'form' }
}
const isCompound = (document: OpenApi, schema: Schema) =>
  choicesOf(document, schema).some(({ type }) => type === 'array' || type === 'object')

/** Compares the body and the answers of an operation, their content types and headers, and the codes of errors. */
export function compareContents(
  [older, newer]: [OpenApi, OpenApi],
  schemas: Schemas,
  tell: Tell,
  [key, before, after]: [key: string, before: Operation, after: Operation],
) {
  compareBodies(`${key} body`, bodyOf(older, before), bodyOf(newer, after))
  for (const [status, old, now] of pairs(before.responses, after.responses)) {
    const where = `${key} ${status}`
    if (!now) tell(true, where, 'was removed')
    else if (!old) tell(false, where, 'is new')
    else compareAnswers(where, resolve(older, old), resolve(newer, now))
  }

  function compareBodies(where: string, before: Body | undefined, after: Body | undefined) {
    if (before && after) {
      if (!before.required && after.required) tell(true, where, 'is required now')
      if (before.required && !after.required) tell(false, where, 'is optional now')
      compareTypes(where, before.content, after.content, 'input')
    } else if (before) tell(true, where, 'was removed')
    else if (after) tell(after.required === true, where, after.required ? 'is new and required' : 'is new')
  }

  function compareAnswers(where: string, before: Answer, after: Answer) {
    compareTypes(where, before.content, after.content, 'output')
    for (const [, old, now] of pairs(headersOf(older, before), headersOf(newer, after))) {
      const place = `${where} header ${(now ?? old)!.name}`
      if (!now) tell(true, place, 'was removed')
      else if (!old) tell(false, place, 'is new')
      else {
        if (old.required && !now.required) tell(true, place, 'may be absent now')
        if (!old.required && now.required) tell(false, place, 'is always there now')
        compareDeprecated(tell, place, old, now)
        schemas.compare(place, schemaOf(old), schemaOf(now), 'output')
      }
    }
    const [old, now] = [codesOf(older, before), codesOf(newer, after)]
    for (const code of old.filter((code) => !now.includes(code)))
      tell(true, where, `never has the code ${code} any more`)
    for (const code of now.filter((code) => !old.includes(code)))
      tell(false, where, `can have the code ${code} now`)
  }

  function compareTypes(where: string, before: Content | undefined, after: Content | undefined, way: Way) {
    for (const [type, old, now] of pairs(before, after)) {
      if (!now) tell(true, `${where} ${type}`, 'was removed')
      else if (!old) tell(false, `${where} ${type}`, 'is new')
      else {
        // one schema is compared once for all types of content that share it
        schemas.compare(where, old.schema, now.schema, way)
        if (way === 'input' && !isSame(old.encoding, now.encoding))
          tell(true, `${where} ${type}`, 'has another encoding of its members')
      }
    }
  }
}

const bodyOf = (document: OpenApi, { requestBody }: Operation) =>
  requestBody && resolve(document, requestBody)

/** The headers of an answer; their names are alike in any case. */
const headersOf = (document: OpenApi, { headers = {} }: Answer): Record<string, Header & { name: string }> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [
      name.toLowerCase(),
      { ...resolve(document, header), name },
    ]),
  )

/** The codes of errors that an answer can have: those of its examples, or else those that its schema names. */
function codesOf(document: OpenApi, { content = {} }: Answer): string[] {
  const media = Object.values(content)
  const examples = media.flatMap(({ example, examples = {} }) => [
    example,
    ...Object.values(examples).map((one) => resolve(document, one).value),
  ])
  const shown = examples.map((value) => (value as { code?: unknown } | null | undefined)?.code)
  const told = shown.filter((code) => typeof code === 'string')
  return [...new Set(told.length > 0 ? told : media.flatMap(({ schema = {} }) => declared(document, schema)))]
}

const declared = (document: OpenApi, schema: Schema): string[] =>
  choicesOf(document, schema)
    .flatMap(({ rules }) => choicesOf(document, rules.properties?.code ?? {}))
    .flatMap(({ rules }) => (rules.enum ?? []) as string[])
