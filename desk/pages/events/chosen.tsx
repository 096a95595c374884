import { list, read } from '../../api/client.ts'
import { SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Icon } from '../../parts/icon.tsx'
import { may } from '../../parts/shell.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { isDay } from '../../rules/wall.ts'
import { dayText } from '../../words/dates.ts'
import { fill, languageName, number, type Words, w } from '../../words/words.ts'
import { queryOf } from './query.ts'

type Query = Place['query']

/** What a list can be filtered by, each with the members of the address that say so. */
const FILTERS = {
  ...{ search: ['search'], status: ['status'], when: ['when', 'from', 'to'], category: ['category'] },
  ...{ series: ['series'], language: ['language'], dates: ['dates'] },
} as const
type Filter = keyof typeof FILTERS

/** The filters that are chosen, with their values. */
export const chosenIn = (query: Query): [name: Filter, value: string][] =>
  (Object.keys(FILTERS) as Filter[]).flatMap((name): [Filter, string][] => {
    const [value] = FILTERS[name].flatMap((member) => query[member] ?? [])
    return value === undefined ? [] : [[name, value]]
  })

/** What is asked for without a filter. */
const without = (query: Query, name: Filter): Query =>
  Object.fromEntries(
    Object.entries(query).filter(
      ([member]) => member !== 'page' && !FILTERS[name].some((of) => of === member),
    ),
  )

/** The names of the categories and the series by which a list is filtered. */
async function namesOf({ category, series }: Query): Promise<{ category?: string; series?: string }> {
  const [categories, of] = await Promise.all([
    category === undefined
      ? undefined
      : list<{ name: string }>('/categories', 'categories', { include: category, hide_empty: false }),
    series === undefined
      ? undefined
      : read<{ title: string }>(`/series/${encodeURIComponent(series)}`, { _fields: 'title' }),
  ])
  return {
    ...(categories && { category: categories.rows.map(({ name }) => name).join(', ') }),
    ...(of && { series: of.title }),
  }
}

/** A day of the address in words, or what stands in its place. */
const dayAt = (day: string) => (isDay(day) ? dayText(day) : day)

/** The filters that are chosen, in words. */
function useChosen(query: Query) {
  const { category, series } = query
  const { value: names = {} } = useLoaded(`names of ${category} ${series}`, () => namesOf(query))
  const textOf = (name: Filter, value: string): string => {
    const { from, to } = query
    if (name === 'search') return fill(w.quoted, { text: value })
    if (name === 'language') return SITE.languages.includes(value) ? languageName(value) : value
    if (name === 'dates') return w.every_date
    if (name === 'status') return w[`status_${value}` as keyof Words] ?? value
    if (name === 'category' || name === 'series') return names[name] ?? w[name]
    const days = [from && `${w.from} ${dayAt(from)}`, to && `${w.to} ${dayAt(to)}`].filter(Boolean)
    return days.join(' · ') || (w[`when_${value}` as keyof Words] ?? value)
  }
  return chosenIn(query).map(([name, value]) => ({ name, text: textOf(name, value) }))
}

/** The filters that are chosen, each of which can be taken off. Status and search stand above them. */
export function Chosen({ query }: { query: Query }) {
  const chosen = useChosen(query).filter(({ name }) => name !== 'status' && name !== 'search')
  if (chosen.length === 0) return null
  return (
    <ul class="chosen-filters" aria-label={w.chosen_filters}>
      {chosen.map(({ name, text }) => (
        <li key={name}>
          <a
            href={hashOf(['events'], without(query, name))}
            aria-label={fill(w.remove_one, { name: text })}
            class="chip"
          >
            {text} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
      {chosen.length > 1 && (
        <li>
          <a href={hashOf(['events'], query.status ? { status: query.status } : {})}>{w.clear_filters}</a>
        </li>
      )}
    </ul>
  )
}

/** How many events a list has. */
const countOf = async (query: Query): Promise<number> => {
  const { _fields, ...asked } = queryOf({ path: ['events'], query })
  const { total } = await list('/events', 'events', {
    ...asked,
    page: 1,
    per_page: 1,
    _fields: 'total,total_pages',
  })
  return total
}

/** Says that no event matches, and how many there are without each of the filters, where that helps. */
export function NothingFound({ query }: { query: Query }) {
  const chosen = useChosen(query)
  const { value: counts } = useLoaded(`counts without of ${JSON.stringify(query)}`, () =>
    Promise.all(chosen.map(({ name }) => countOf(without(query, name)))),
  )
  const helpful = chosen.flatMap((one, at) => (counts?.[at] ? { ...one, count: counts[at] } : []))
  return (
    <div class="empty">
      <Icon name="search" />
      <h2>{w.no_match}</h2>
      {helpful.length > 0 && (
        <>
          <p>{w.take_off}</p>
          <ul>
            {helpful.map(({ name, text, count }) => (
              <li key={name}>
                <a class="button plain" href={hashOf(['events'], without(query, name))}>
                  {fill(w.without, { what: text, count: number(count) })}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      <a href={hashOf(['events'])}>{w.clear_filters}</a>
    </div>
  )
}

/** Says that nothing is coming up, or that there are no events yet, and what to do. */
export function NothingYet() {
  const { value: past } = useLoaded('past events', () => countOf({ when: 'past' }))
  if (past === undefined) return null
  return (
    <div class="empty">
      <Icon name="month" />
      <h2>{past > 0 ? w.nothing_coming : w.no_events}</h2>
      {past === 0 && may('create records') && <p>{w.no_events_hint}</p>}
      <ul>
        {may('create records') && (
          <li>
            <a class="button" href="#/events/new">
              {past > 0 ? w.new_event : w.first_event}
            </a>
          </li>
        )}
        {past > 0 ? (
          <li>
            <a class="button plain" href={hashOf(['events'], { when: 'past' })}>
              {fill(w.past_events, { count: number(past) })}
            </a>
          </li>
        ) : (
          may('import events') && (
            <li>
              <a class="button plain" href="#/import">
                {w.import}
              </a>
            </li>
          )
        )}
      </ul>
    </div>
  )
}
