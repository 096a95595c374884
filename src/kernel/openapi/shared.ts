import { capital } from './responses.ts'
import type { Complete, Json } from './rewrite.ts'

/** Where equal parameters occur, and the names of the collections of these operations. */
type Use = { part: Json; count: number; collections: string[] }

/** `i18n_language` as `I18nLanguage`. */
const pascal = (name: string) =>
  name
    .split(/[^a-z0-9]+/i)
    .filter(Boolean)
    .map(capital)
    .join('')
const SINGULAR: Record<string, string> = { categories: 'category', media: 'media' }
const singular = (plural: string) => SINGULAR[plural] ?? plural.replace(/s$/, '')

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
function nameParts(uses: Map<string, Use>, schemas: string[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set(schemas.map((name) => name.toLowerCase()))
  for (const [key, { part, count, collections }] of uses) {
    if (count < 2) continue
    const plain = pascal(String(part.name))
    const long = pascal(singular(collections[0]!)) + plain
    const possible = [...(collections.length > 1 ? [plain] : []), long, `${long}Parameter`]
    const name = possible.find((one) => !taken.has(one.toLowerCase()))!
    taken.add(name.toLowerCase())
    names.set(key, name)
  }
  return names
}

/**
 * Moves parameters that are equal in several operations to the components, and refers to them. Bodies and responses of success stay in
 * the operations: some generators of clients do not follow a reference there. Errors are components already.
 */
export function shareParts(document: Complete): Complete {
  const { paths, components } = document
  const uses = new Map<string, Use>()
  for (const [path, methods] of Object.entries(paths))
    for (const { parameters = [] } of Object.values(methods))
      for (const part of parameters as Json[]) count(uses, part, path)
  const names = nameParts(uses, Object.keys(components.schemas!))
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
