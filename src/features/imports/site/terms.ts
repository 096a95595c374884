import { blank, idOf, linesOf, type Shown, type Taken, textOf, translationsOf } from './taken.ts'

/** What is taken of a category or tag. The ones inside events have the same members. */
export function takeTerm(kind: 'category' | 'tag', record: Shown, language?: string): Taken {
  return {
    ...blank(kind, idOf(record.id)),
    name: textOf(record, 'name') ?? '',
    body: {
      ...linesOf(record, ['name']),
      slug: textOf(record, 'slug'),
      description: textOf(record, 'description') ?? null,
      i18n_language: textOf(record, 'language') ?? language,
    },
    parent: kind === 'category' ? idOf(record.parent) : 0,
    translations: translationsOf(record),
  }
}

/** Terms so that each comes after the one above it. Of those that are above each other in a circle, one comes first. */
export function fromTheTop(terms: Taken[]): Taken[] {
  const left = new Map(terms.map((term) => [term.id, term]))
  const ordered: Taken[] = []
  const add = (term: Taken) => {
    // before those above it, so that a circle ends
    left.delete(term.id)
    const above = left.get(term.parent)
    if (above) add(above)
    ordered.push(term)
  }
  for (const term of terms) if (left.has(term.id)) add(term)
  return ordered
}
