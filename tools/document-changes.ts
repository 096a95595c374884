type Json = Record<string, unknown>
type Schema = Json & {
  $ref?: string
  type?: string
  enum?: unknown[]
  items?: Schema
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
}
type Parameter = { name: string; in: string; required?: boolean; schema: Schema }
type Body = { required?: boolean; content: Record<string, { schema: Schema }> }
type Operation = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: Body
  responses: Record<string, { $ref?: string; content?: Body['content'] }>
  security?: object[]
}
export type OpenApi = { paths: Record<string, Record<string, Operation>>; components?: Json }

/** A difference of two documents; breaking where a client of the older one may fail with the newer. */
export type Change = { breaking: boolean; where: string; what: string }

/** Whether the service reads a schema, and must not ask for more; or writes it, and must not give less. */
type Direction = 'input' | 'output'
type Tell = (breaking: boolean, where: string, what: string) => void

/** What changed from the older document to the newer one. */
export function compareDocuments(older: OpenApi, newer: OpenApi): Change[] {
  const changes: Change[] = []
  const tell: Tell = (breaking, where, what) => changes.push({ breaking, where, what })
  const schemas = buildComparison(older, newer, tell)
  for (const [key, before, after] of pairs(operationsOf(older), operationsOf(newer))) {
    if (!after) tell(true, key, 'was removed')
    else if (!before) tell(false, key, 'is new')
    else compareOperation(key, before, after)
  }
  return changes

  function compareOperation(key: string, before: Operation, after: Operation) {
    if (before.operationId !== after.operationId)
      tell(true, key, `is called ${after.operationId} instead of ${before.operationId}`)
    if (isOpen(before) && !isOpen(after)) tell(true, key, 'needs credentials now')
    if (!isOpen(before) && isOpen(after)) tell(false, key, 'needs no credentials any more')
    compareParameters(key, before, after)
    compareBodies(`${key} body`, before.requestBody, after.requestBody)
    for (const [status, old, now] of pairs(before.responses, after.responses)) {
      const where = `${key} ${status}`
      if (!now) tell(true, where, 'was removed')
      else if (!old) tell(false, where, 'is new')
      else compareContents(where, answerOf(older, old), answerOf(newer, now), 'output')
    }
  }

  function compareParameters(key: string, before: Operation, after: Operation) {
    for (const [name, old, now] of pairs(parametersOf(before), parametersOf(after))) {
      const where = `${key} ${name}`
      if (!now) tell(true, where, 'was removed')
      else if (!old) tell(now.required === true, where, now.required ? 'is new and required' : 'is new')
      else {
        if (!old.required && now.required) tell(true, where, 'is required now')
        if (old.required && !now.required) tell(false, where, 'is optional now')
        schemas.compare(where, old.schema, now.schema, 'input')
      }
    }
  }

  function compareBodies(where: string, before: Body | undefined, after: Body | undefined) {
    if (before && after) {
      if (!before.required && after.required) tell(true, where, 'is required now')
      compareContents(where, before.content, after.content, 'input')
    } else if (before) tell(true, where, 'was removed')
    else if (after) tell(after.required === true, where, after.required ? 'is new and required' : 'is new')
  }

  function compareContents(where: string, before: Body['content'], after: Body['content'], way: Direction) {
    for (const [type, old, now] of pairs(before, after)) {
      if (!now) tell(true, `${where} ${type}`, 'was removed')
      else if (!old) tell(false, `${where} ${type}`, 'is new')
      else schemas.compare(where, old.schema, now.schema, way)
    }
  }
}

/** Compares schemas; each pair of components once for each direction, under its own name. */
function buildComparison(older: OpenApi, newer: OpenApi, tell: Tell) {
  const done = new Set<string>()
  return { compare }

  function compare(where: string, before: Schema, after: Schema, way: Direction) {
    const name = nameOf(before)
    if (name !== undefined || nameOf(after) !== undefined) {
      const key = `${way} ${name} ${nameOf(after)}`
      if (done.has(key)) return
      done.add(key)
      const place = name !== undefined && name === nameOf(after) ? `${name} (${way})` : where
      compareSchemas(place, resolve(older, before), resolve(newer, after), way)
    } else compareSchemas(where, before, after, way)
  }

  function compareSchemas(where: string, before: Schema, after: Schema, way: Direction) {
    const input = way === 'input'
    const [old, now] = [typeOf(before), typeOf(after)]
    if (old !== now) tell(!(input ? now === 'any' : old === 'any'), where, `is ${now} instead of ${old}`)
    compareWords(where, before.enum, after.enum, input)
    compareLimits(where, before, after, input, tell)
    compareMembers(where, before, after, way)
    if (before.items && after.items) compare(`${where}[]`, before.items, after.items, way)
    if (before.anyOf && after.anyOf) compareUnions(where, before.anyOf, after.anyOf, way)
  }

  function compareWords(
    where: string,
    before: unknown[] | undefined,
    after: unknown[] | undefined,
    input: boolean,
  ) {
    if (!before && after) tell(input, where, `is one of ${after.join(', ')} now`)
    if (before && !after) tell(!input, where, 'is no longer one of a few words')
    if (!before || !after) return
    const gone = before.filter((word) => !after.includes(word))
    const added = after.filter((word) => !before.includes(word))
    if (gone.length > 0) tell(input, where, `is never ${gone.join(', ')} any more`)
    if (added.length > 0) tell(!input, where, `can be ${added.join(', ')} now`)
  }

  function compareMembers(where: string, before: Schema, after: Schema, way: Direction) {
    const input = way === 'input'
    for (const [name, old, now] of pairs(before.properties ?? {}, after.properties ?? {})) {
      const place = `${where}.${name}`
      const [was, is] = [before.required?.includes(name) ?? false, after.required?.includes(name) ?? false]
      if (!now) tell(true, place, 'was removed')
      else if (!old) tell(input && is, place, is && input ? 'is new and required' : 'is new')
      else {
        if (!was && is) tell(input, place, input ? 'is required now' : 'is always there now')
        if (was && !is) tell(!input, place, input ? 'is optional now' : 'may be absent now')
        compare(place, old, now, way)
      }
    }
  }

  function compareUnions(where: string, before: Schema[], after: Schema[], way: Direction) {
    const kinds = (union: Schema[]) => Object.fromEntries(union.map((schema) => [kindOf(schema), schema]))
    for (const [kind, old, now] of pairs(kinds(before), kinds(after))) {
      if (!now) tell(way === 'input', where, `is never ${kind} any more`)
      else if (!old) tell(way === 'output', where, `can be ${kind} now`)
      else compare(where, old, now, way)
    }
  }
}

/** Limits: those that must not rise for what is sent, and those that must not fall. */
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems']
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems']

function compareLimits(where: string, before: Schema, after: Schema, input: boolean, tell: Tell) {
  for (const name of [...LOWER, ...UPPER]) {
    const sign = LOWER.includes(name) ? 1 : -1
    const of = (schema: Schema) => (schema[name] === undefined ? -Infinity : sign * Number(schema[name]))
    const [old, now] = [of(before), of(after)]
    if (old !== now)
      tell(
        input === now > old,
        where,
        `has ${name} ${after[name] ?? 'no more'} instead of ${before[name] ?? 'none'}`,
      )
  }
  for (const name of ['format', 'pattern'])
    if (before[name] !== after[name])
      tell(
        input ? after[name] !== undefined : before[name] !== undefined,
        where,
        `has ${name} ${after[name] ?? 'none'} instead of ${before[name] ?? 'none'}`,
      )
}

/** Every name of two records with what stands there before and after. */
const pairs = <T>(
  before: Record<string, T>,
  after: Record<string, T>,
): [string, T | undefined, T | undefined][] =>
  Object.keys({ ...before, ...after }).map((name) => [name, before[name], after[name]])

const operationsOf = ({ paths }: OpenApi): Record<string, Operation> =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  )
const parametersOf = ({ parameters = [] }: Operation) =>
  Object.fromEntries(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]))
/** Anybody may ask: no security at all, or none among the choices. */
const isOpen = ({ security = [] }: Operation) =>
  security.length === 0 || security.some((choice) => Object.keys(choice).length === 0)

function lookUp(document: OpenApi, reference: string): unknown {
  const names = reference.slice('#/'.length).split('/')
  return names.reduce<unknown>((at, name) => (at as Json)[name], document)
}
const resolve = (document: OpenApi, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (lookUp(document, schema.$ref) as Schema)
const answerOf = (document: OpenApi, answer: Operation['responses'][string]): Body['content'] =>
  (answer.$ref === undefined ? answer : (lookUp(document, answer.$ref) as typeof answer)).content ?? {}

const nameOf = ({ $ref }: Schema) => $ref?.split('/').at(-1)
const typeOf = ({ type, anyOf }: Schema) => type ?? (anyOf ? 'one of several' : 'any')
/** What a choice of a union is called. */
const kindOf = (schema: Schema): string =>
  nameOf(schema) ??
  (schema.items ? `a list of ${kindOf(schema.items)}` : (schema.enum ?? [typeOf(schema)]).join(', '))
