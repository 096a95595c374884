import { keyOf, type Member } from './sets.ts'

/** A category of an event. Its key is the same in all of its languages, and its name that of the desk, where it has one. */
export type Colored = { id: number; name: string; key: number }

/** Categories by their IDs, as they are told apart and called in a language. */
export function colored(
  categories: readonly (Member & { name: string })[],
  language: string,
): Map<number, Colored> {
  const names = new Map(categories.map(({ id, name }) => [id, name]))
  return new Map(
    categories.map((category) => {
      const { id, name, translations } = category
      return [id, { id, key: keyOf(category), name: names.get(translations[language] ?? id) ?? name }]
    }),
  )
}

/** Degrees between one hue and the next, which never come back to the same. */
const GOLDEN = 137.508

/** The hue of a category in degrees. What is made of it in `month.css` can be read on every surface. */
export const hueOf = ({ key }: Pick<Colored, 'key'>): number => Math.round((key * GOLDEN) % 360)

/** The categories of some events, each once, those with the most events first. An event counts for its first one, whose colour it has. */
export function categoriesOf(events: readonly { categories: Colored[] }[]): (Colored & { count: number })[] {
  const found = new Map<number, Colored & { count: number }>()
  for (const {
    categories: [category],
  } of events) {
    if (!category) continue
    const { count } = found.get(category.key) ?? { count: 0 }
    found.set(category.key, { ...category, count: count + 1 })
  }
  return [...found.values()].toSorted((a, b) => b.count - a.count)
}
