import { categoriesOf, hueOf } from '../../rules/hues.ts'
import { hashOf, type Place } from '../../rules/places.ts'
import { number, w } from '../../words/words.ts'
import type { Entry } from './data.ts'

/** Whether an event has a category, as the address names it: by the first of its languages. */
export const isOf = ({ categories }: Entry, key: string | undefined): boolean =>
  key === undefined || categories.some((category) => String(category.key) === key)

/** The categories of what is shown with their colours. A click shows those events alone, another one all again. */
export function Legend({ entries, place: { path, query } }: { entries: Entry[]; place: Place }) {
  const found = categoriesOf(entries)
  if (found.length === 0) return null
  return (
    <ul class="legend" aria-label={w.categories}>
      {found.map((category) => {
        const { key, name, count } = category
        const isChosen = query.category === String(key)
        return (
          <li key={key}>
            <a
              class="hued"
              style={{ '--hue': String(hueOf(category)) }}
              href={hashOf(path, { ...query, category: isChosen ? undefined : key })}
              aria-current={isChosen ? 'true' : undefined}
            >
              {name} <span class="count">{number(count)}</span>
            </a>
          </li>
        )
      })}
    </ul>
  )
}
