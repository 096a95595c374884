import { STATUSES } from '../../../schemas/common.ts'
import { ROLES, SCOPES } from '../../../schemas/user.ts'
import { capital } from './responses.ts'

export type Json = Record<string, unknown>
/** The places of what a document lists, whichever part of the service declares it first. What is in no list comes last. */
export type Places = Record<'tags' | 'schemas' | 'operations' | 'errors', readonly string[]>
/** A document whose operations are complete. */
export type Complete = Json & {
  paths: Record<string, Record<string, Json>>
  components: Record<string, Json>
}

/** Members that hold data, which is no part of the document itself. */
const DATA = new Set(['example', 'examples', 'default', 'const', 'enum'])

/**
 * Returns a copy of a part of a document with `change` applied to every object, inner ones first. Data is left as it is, and so are
 * maps of properties, whose names are those of members.
 */
export function rewrite(value: unknown, change: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, change))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => {
    if (DATA.has(name)) return [name, member]
    return [name, name === 'properties' ? rewriteEach(member as Json, change) : rewrite(member, change)]
  })
  return change(Object.fromEntries(members))
}

/** A map of names to schemas, with each schema rewritten. */
const rewriteEach = (map: Json, change: (object: Json) => Json): Json =>
  Object.fromEntries(Object.entries(map).map(([name, member]) => [name, rewrite(member, change)]))

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Compares by the places of names in a list; what is not in it is last. */
export function byPlace<T>(list: readonly string[], nameOf: (one: T) => string) {
  const places = new Map(list.map((name, at) => [name, at]))
  const placeOf = (one: T) => places.get(nameOf(one)) ?? list.length
  return (one: T, other: T) => placeOf(one) - placeOf(other)
}

/** What was collected of routes and components, with these in their places. */
export function inPlace({ components, paths, ...others }: Complete, places: Places): Complete {
  const schemas = Object.entries(components.schemas!).toSorted(byPlace(places.schemas, ([name]) => name))
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    .toSorted(byPlace(places.operations, ({ operation }) => String(operation.operationId)))
  const placed: Complete['paths'] = {}
  for (const { path, method, operation } of operations)
    placed[path] = { ...placed[path], [method]: operation }
  return { ...others, components: { ...components, schemas: Object.fromEntries(schemas) }, paths: placed }
}

/** Sets of words that occur in many places, each described once. */
const wordsOf = (
  languages: readonly string[],
  codes: readonly string[],
): Record<string, { description: string; enum: readonly string[] }> => ({
  Status: { description: 'Status of a record.', enum: STATUSES },
  Language: { description: 'A language of this calendar.', enum: languages },
  Role: { description: 'Role of a user. Each role has all rights of the roles before it.', enum: ROLES },
  Scope: { description: 'What a token may do within the rights of its user.', enum: SCOPES },
  ErrorCode: { description: 'Machine-readable error code.', enum: codes },
})

/** A name for a word, for languages whose constants need one. */
const constant = (word: unknown) =>
  String(word) === ''
    ? 'Empty'
    : String(word).replace(/(?:^|[^a-z0-9]+)(\w?)/gi, (_, letter: string) => letter.toUpperCase())

/** Refers to named sets of words wherever they occur, and names the words of a set that has an empty one. */
export function nameWords(
  document: Complete,
  languages: readonly string[],
  codes: readonly string[],
): Complete {
  const words = wordsOf(languages, codes)
  const names = new Map(Object.entries(words).map(([name, { enum: set }]) => [String(set), name]))
  const named = rewrite(document, (schema) => {
    const { type, enum: set, ...rest } = schema
    if (!Array.isArray(set)) return schema
    const name = type === 'string' && names.get(String(set))
    if (name) return { $ref: `#/components/schemas/${name}`, ...rest }
    return set.includes('') ? { ...schema, 'x-enum-varnames': set.map(constant) } : schema
  }) as Complete
  const components = Object.entries(words).map(([name, { description, enum: set }]) => [
    name,
    { type: 'string', enum: set, description },
  ])
  named.components.schemas = { ...named.components.schemas, ...Object.fromEntries(components) }
  return named
}

/** Where equal parameters occur, and the names of the collections of these operations. */
type Use = { part: Json; count: number; collections: string[] }

/** `i18n_language` as `I18nLanguage`. */
const pascal = (name: string) =>
  name
    .split(/[^a-z0-9]+/i)
    .filter(Boolean)
    .map(capital)
    .join('')

const isReference = (part: Json) => '$ref' in part

/** Counts equal parameters. */
function count(uses: Map<string, Use>, part: Json, path: string) {
  if (isReference(part)) return
  const key = JSON.stringify(part)
  const use = uses.get(key) ?? { part, count: 0, collections: [] }
  use.count++
  const collection = path.split('/')[1]!
  if (!use.collections.includes(collection)) use.collections.push(collection)
  uses.set(key, use)
}

/**
 * Names for parameters that occur at least twice, by content. One that only one collection has, or whose name another one has already,
 * is named after its first collection too. No name is that of a schema: some generators make a type of each component, in one index
 * and in files whose names have no case.
 */
function nameParts(
  uses: Map<string, Use>,
  schemas: string[],
  singulars: Record<string, string>,
): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set(schemas.map((name) => name.toLowerCase()))
  for (const [key, { part, count, collections }] of uses) {
    if (count < 2) continue
    const plain = pascal(String(part.name))
    const [first] = collections as [string]
    const long = pascal(singulars[first] ?? first.replace(/s$/, '')) + plain
    const possible = [...(collections.length > 1 ? [plain] : []), long, `${long}Parameter`]
    const name = possible.find((one) => !taken.has(one.toLowerCase()))!
    taken.add(name.toLowerCase())
    names.set(key, name)
  }
  return names
}

/**
 * Moves parameters that are equal in several operations to the components, and refers to them. Bodies and responses of success stay in
 * the operations: some generators of clients do not follow a reference there. Errors are components already. `singulars` are those of
 * collections that are not their plurals without an s.
 */
export function shareParts(document: Complete, singulars: Record<string, string>): Complete {
  const { paths, components } = document
  const uses = new Map<string, Use>()
  for (const [path, methods] of Object.entries(paths))
    for (const { parameters = [] } of Object.values(methods))
      for (const part of parameters as Json[]) count(uses, part, path)
  const names = nameParts(uses, Object.keys(components.schemas!), singulars)
  const share = (part: Json): Json => {
    const name = names.get(JSON.stringify(part))
    return name === undefined ? part : { $ref: `#/components/parameters/${name}` }
  }
  const sharing = ({ parameters, ...operation }: Json): Json =>
    parameters === undefined ? operation : { ...operation, parameters: (parameters as Json[]).map(share) }
  const moved = Object.fromEntries([...names].map(([key, name]) => [name, uses.get(key)!.part]))
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => [method, sharing(operation)]),
        ),
      ]),
    ),
    components: { ...components, parameters: { ...moved, ...components.parameters } },
  }
}
