import { plainOf } from './event.ts'

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
  ...{ name, slug, language },
  description: plainOf(description),
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

/** A category or a tag as it is chosen from: what the desk keeps of all of them. */
export type Term = {
  id: number
  name: string
  language: string
  /** Published events with it. */
  count: number
  parent?: number
  translations: Record<string, number>
}
type Node = { id: number; name: string; parent?: number; language?: string }
/** A term with its depth in the tree: 0 for the top level. */
export type Placed<T> = T & { depth: number }

const collators = new Map<string | undefined, Intl.Collator>()
function collatorOf(language: string | undefined): Intl.Collator {
  const known = collators.get(language) ?? new Intl.Collator(language, { numeric: true })
  collators.set(language, known)
  return known
}
/** The order of names in a language, in which "2" comes before "10". */
export const byName = (a: Omit<Node, 'id'>, b: Omit<Node, 'id'>): number =>
  collatorOf(a.language).compare(a.name, b.name)

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

/** Terms in the order of a tree, by name. One whose parent is missing stands at the top level. */
export function treeOf<T extends Node>(terms: readonly T[]): Placed<T>[] {
  const known = new Set(terms.map(({ id }) => id))
  const byParent = groupBy(terms, ({ parent = 0 }) => (known.has(parent) ? parent : 0))
  const below = (parent: number, depth: number): Placed<T>[] =>
    (byParent.get(parent) ?? [])
      .toSorted(byName)
      .flatMap((term) => [{ ...term, depth }, ...below(term.id, depth + 1)])
  return below(0, 0)
}

/** The terms that may become the parent of one: all but itself and those below it. */
export function parentsFor<T extends Node>(terms: readonly T[], id: number): Placed<T>[] {
  const tree = treeOf(terms)
  const at = tree.findIndex((term) => term.id === id)
  return at < 0 ? tree : tree.toSpliced(at, 1 + below(tree, at).length)
}

/** What stands below a term of a tree. */
function below<T>(tree: readonly Placed<T>[], at: number): Placed<T>[] {
  const rest = tree.slice(at + 1)
  const end = rest.findIndex(({ depth }) => depth <= tree[at]!.depth)
  return end < 0 ? rest : rest.slice(0, end)
}

/** A text as it is compared: without case, accents and the point of `col·legi`. */
const folded = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[\p{M}·]/gu, '')
    .toLowerCase()
    .trim()
const wordsOf = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)

/** How well a name fits what was typed: 0 is the name itself, then come its beginning, the beginnings of its words, and any part of it. */
export function fitOf(name: string, typed: string): number | undefined {
  const [own, text] = [folded(name), folded(typed)]
  if (own === text) return 0
  if (own.startsWith(text)) return 1
  const [words, parts] = [wordsOf(own), wordsOf(text)]
  if (parts.length > 0 && parts.every((part) => words.some((word) => word.startsWith(part)))) return 2
  return own.includes(text) ? 3 : undefined
}

/** The terms of a tree whose names have what was typed, with those that they are below. */
export const found = <T extends Node>(tree: readonly Placed<T>[], typed: string): Placed<T>[] =>
  tree.filter((term, at) => [term, ...below(tree, at)].some(({ name }) => fitOf(name, typed) !== undefined))

/** Terms of a tree without those below a folded one, each with how many are below it. */
export function unfolded<T extends Node>(
  tree: readonly Placed<T>[],
  isFolded: (id: number) => boolean,
): (Placed<T> & { below: number })[] {
  let hidden = Number.POSITIVE_INFINITY
  return tree.flatMap((term, at) => {
    if (term.depth > hidden) return []
    hidden = isFolded(term.id) ? term.depth : Number.POSITIVE_INFINITY
    return [{ ...term, below: below(tree, at).length }]
  })
}

/** A term that is offered: in a tree, or with the names of those that it is below. */
export type Offered<T> = Placed<T> & { path: string[] }

/** The most that are offered of what was typed. */
const MOST = 50

/**
 * What is offered of terms, language by language. Without a text all of them, as a tree; categories in their order and tags by use. With a text
 * those that have it, the best first, and first the language that has the best one.
 */
export function offer<T extends Term>(
  terms: readonly T[],
  typed: string,
  languages: readonly string[],
): Offered<T>[] {
  const known = new Map(terms.map((term) => [term.id, term]))
  const pathOf = ({ parent = 0 }: T): string[] => {
    const above = known.get(parent)
    return above ? [...pathOf(above), above.name] : []
  }
  const groups = languages.map((code) => {
    const own = terms.filter(({ language }) => language === code)
    if (typed.trim() === '') return { best: 0, own: plain(own) }
    const fits = own
      .map((term) => ({ term, fit: fitOf(term.name, typed) ?? Number.NaN }))
      .filter(({ fit }) => !Number.isNaN(fit))
      .toSorted((a, b) => a.fit - b.fit || b.term.count - a.term.count || byName(a.term, b.term))
      .slice(0, MOST)
    return {
      best: fits[0]?.fit ?? 0,
      own: fits.map(({ term }) => ({ ...term, depth: 0, path: pathOf(term) })),
    }
  })
  return groups.toSorted((a, b) => a.best - b.best).flatMap(({ own }) => own)
}
/** Categories as a tree, and the tags that are used most. */
const plain = <T extends Term>(own: readonly T[]): Offered<T>[] =>
  own.some(({ parent }) => parent !== undefined)
    ? treeOf(own).map((term) => ({ ...term, path: [] }))
    : own
        .toSorted((a, b) => b.count - a.count || byName(a, b))
        .slice(0, MOST)
        .map((term) => ({ ...term, depth: 0, path: [] }))
