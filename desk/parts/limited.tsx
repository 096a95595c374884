import { readAllowed } from '../api/limits.ts'
import { session } from '../api/session.ts'
import { useLoaded } from '../api/use.ts'
import { fill, listText, w } from '../words/words.ts'

/** Says to what the rights of whoever has signed in are limited, if they are. */
export function Limited({ language }: { language: string }) {
  const { limits } = session.get()!
  const { value } = useLoaded(`allowed ${language} ${JSON.stringify(limits)}`, () => readAllowed(language))
  if (!limits || !value) return null
  const [categories, venues] = [value.categories, value.venues].map((some) =>
    listText(some.map(({ name }) => name)),
  )
  const text =
    categories && venues
      ? w.limited_to
      : categories
        ? w.limited_to_categories
        : venues
          ? w.limited_to_venues
          : w.limited_to_nothing
  return <p class="hint">{fill(text, { categories: categories!, venues: venues! })}</p>
}
