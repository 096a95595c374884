/** Categories and tags, which differ in the parent. */
export type TermKind = 'category' | 'tag'
/** The paths of their lists, which are also the names of their parts of the desk. */
export const PLURAL = { category: 'categories', tag: 'tags' } as const

/** A category or a tag as a response of the API has it. */
export type TermRecord = {
  id: number
  name: string
  slug: string
  description: string
  /** Published events with it. */
  count: number
  parent?: number
  language: string
  translations: Record<string, number>
  url: string
}

/** A category or a tag as it is edited. */
export type TermForm = { name: string; slug: string; description: string; parent: string; language: string }

/** A record as it is edited. */
export const toTermForm = ({ name, slug, description, parent = 0, language }: TermRecord): TermForm => ({
  ...{ name, slug, description, language },
  parent: String(parent),
})

/** A category or a tag that nobody has written yet. */
export const emptyTerm = (parent: string, language: string): TermForm => ({
  ...{ name: '', slug: '', description: '', parent, language },
})

/** The members of a body for the names that an editor has changed. A tag has no parent, and an empty slug is made of the name. */
export const toTermBody =
  (kind: TermKind) =>
  (form: TermForm, names: readonly (keyof TermForm)[]): Record<string, unknown> => {
    const body: Record<string, unknown> = {}
    for (const name of names) {
      if (name === 'language') body.i18n_language = form.language
      else if (name === 'parent') Object.assign(body, kind === 'category' && { parent: Number(form.parent) })
      else if (name !== 'slug' || form.slug.trim() !== '') body[name] = form[name]
    }
    return body
  }

/** The field of the form that shows an error of a member of a request. */
export const termFieldOf = (member: string): string => (member === 'i18n_language' ? 'language' : member)

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
