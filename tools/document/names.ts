import type { OpenApi, Operation, Tell } from './openapi.ts'

/**
 * Compares the names of schemas, of which generators make types. `names` says which components stand where those of the
 * older document stood.
 */
export function compareSchemaNames(
  older: OpenApi,
  newer: OpenApi,
  names: Map<string, Set<string>>,
  tell: Tell,
) {
  const kept = newer.components?.schemas ?? {}
  for (const name of Object.keys(older.components?.schemas ?? {})) {
    const others = [...(names.get(name) ?? [])]
      .filter((other) => other !== name)
      .toSorted()
      .join(', ')
    if (!(name in kept) && others === '') tell(true, `schema ${name}`, 'was removed: generated types lack it')
    else if (!(name in kept))
      tell(true, `schema ${name}`, `is now ${others}: generated types have another name`)
    else if (others !== '') tell(false, `schema ${name}`, `is ${others} in some places now`)
  }
}

/** Compares the first tags of operations, of which generators make classes; a tag that was only renamed is told once. */
export function compareTags(
  tell: Tell,
  operations: [key: string, before: Operation, after: Operation][],
  newer: Operation[],
) {
  const used = new Set(newer.map(tagOf))
  const renamed = new Map<string, Set<string>>()
  const moved = operations.filter(([, before, after]) => tagOf(before) !== tagOf(after))
  for (const [, before, after] of moved)
    renamed.set(tagOf(before), (renamed.get(tagOf(before)) ?? new Set()).add(tagOf(after)))
  const once = [...renamed].filter(([tag, tags]) => tags.size === 1 && !used.has(tag)).map(([tag]) => tag)
  for (const tag of once)
    tell(true, `tag ${tag}`, `is now ${[...renamed.get(tag)!]}: generated classes have another name`)
  for (const [key, before, after] of moved)
    if (!once.includes(tagOf(before)))
      tell(true, key, `is tagged ${tagOf(after)} instead of ${tagOf(before)}: generated classes differ`)
}
const tagOf = ({ tags = [] }: Operation) => tags[0] ?? 'nothing'
