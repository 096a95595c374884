import type { EventForm, Ref } from '../rules/event.ts'
import { inAll } from '../rules/limits.ts'
import { treeOf } from '../rules/term.ts'
import { listAll } from './client.ts'
import { session } from './session.ts'

type Category = Ref & { parent: number; language: string }
type Venue = { id: number; venue: string }

/** The categories of a language and the venues that the limits of whoever has signed in allow; undefined without limits. */
export async function readAllowed(
  language: string,
): Promise<{ categories: Ref[]; venues: Ref[] } | undefined> {
  const { limits } = session.get()!
  if (!limits) return undefined
  const [ids, places] = [inAll(limits, 'categories'), inAll(limits, 'venues')]
  const read = <T>(plural: string, some: number[], more: object = {}) =>
    some.length === 0 ? [] : listAll<T>(`/${plural}`, plural, { include: some.slice(0, 100).join(), ...more })
  const [categories, venues] = await Promise.all([
    read<Category>('categories', ids, { hide_empty: false }),
    read<Venue>('venues', places),
  ])
  const spoken = treeOf(categories.filter((one) => one.language === language))
  return {
    categories: spoken.filter(({ depth }) => depth === 0).map(({ id, name }) => ({ id, name })),
    venues: venues.map(({ id, venue: name }) => ({ id, name })),
  }
}

/** What a new event begins with where the limits leave no choice. */
export async function onlyChoice(language: string): Promise<Partial<EventForm>> {
  const allowed = await readAllowed(language)
  if (!allowed) return {}
  const { categories, venues } = allowed
  if (categories.length + venues.length !== 1) return {}
  return categories.length === 1 ? { categories } : { venue: venues }
}
