import { choicesOf } from './choices.ts'
import {
  type OpenApi,
  type Operation,
  type Parameter,
  pairs,
  resolve,
  type Schema,
  type Tell,
} from './openapi.ts'
import type { buildComparison } from './schemas.ts'

export type Schemas = ReturnType<typeof buildComparison>

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
export const schemaOf = ({ schema, content = {} }: Pick<Parameter, 'schema' | 'content'>): Schema =>
  schema ?? Object.values(content)[0]?.schema ?? {}

function formOf({ in: place, content = {}, ...rest }: Parameter) {
  const style = rest.style ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  return { content: Object.keys(content)[0] ?? 'none', style, explode: rest.explode ?? style === 'form' }
}
const isCompound = (document: OpenApi, schema: Schema) =>
  choicesOf(document, schema).some(({ type }) => type === 'array' || type === 'object')
