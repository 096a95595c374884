export type Json = Record<string, unknown>
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
