type Node = { id: number; parent: number; name: string }
/** A term with its depth in the tree: 0 for the top level. */
export type Placed<T> = T & { depth: number }

function groupBy<T>(items: readonly T[], keyOf: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** Terms in the order of a tree, by name. One whose parent is missing stands at the top level. */
export function treeOf<T extends Node>(terms: readonly T[]): Placed<T>[] {
  const known = new Set(terms.map(({ id }) => id))
  const byParent = groupBy(terms, ({ parent }) => (known.has(parent) ? parent : 0))
  const below = (parent: number, depth: number): Placed<T>[] =>
    (byParent.get(parent) ?? [])
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .flatMap((term) => [{ ...term, depth }, ...below(term.id, depth + 1)])
  return below(0, 0)
}

/** The terms that may become the parent of one: all but itself and those below it. */
export function parentsFor<T extends Node>(terms: readonly T[], id: number): Placed<T>[] {
  const tree = treeOf(terms)
  const at = tree.findIndex((term) => term.id === id)
  if (at < 0) return tree
  const after = tree.slice(at + 1).findIndex(({ depth }) => depth <= tree[at]!.depth)
  const end = after < 0 ? tree.length : at + 1 + after
  return tree.toSpliced(at, end - at)
}
