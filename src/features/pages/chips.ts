import { type Days, NAMED_DAYS, type NamedDays } from '../../calendar/days.ts'
import type { TermRecord } from '../../calendar/formats/records.ts'
import { queryOf } from '../../calendar/formats/urls.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { fill } from '../../kernel/text/words.ts'
import { asTitle, shortDay } from './dates.ts'
import type { Found } from './event-queries.ts'
import { type Choices, type Filters, townOf } from './filters.ts'
import { linkToTerm, pathOf, type View } from './page.ts'
import { nameOfLanguage } from './words.ts'

/** What is chosen of the calendar: days by their name, and filters. */
export type Chosen = { named?: NamedDays | undefined; filters: Filters }
/** The address of a page with what is chosen. */
export type ChosenLink = (chosen: Chosen) => string

/** What days are called in links to them, and the titles of their pages. */
export const NAMES = {
  today: { name: 'today', title: 'on_today' },
  tomorrow: { name: 'tomorrow', title: 'on_tomorrow' },
  weekend: { name: 'this_weekend', title: 'on_weekend' },
  'next-7-days': { name: 'next_7_days', title: 'on_next_7_days' },
} as const satisfies Record<NamedDays, object>

/** The filters that have a page of their own: of what one may attend online, and of what is free. */
export const OWN = ['online', 'free'] as const

/** Days in words, as a title. */
export function daysInWords(view: View, { from, to }: Days): string {
  const [first, last] = [from, to].map((day) => day && shortDay(day, view))
  if (first && last) return first === last ? first : `${first} – ${last}`
  return first ? fill(view.words.from_date, { date: first }) : fill(view.words.until, { date: last! })
}

/** Whether a filter is the only one that is used. */
const isAlone = (filters: Filters, own: keyof Filters) =>
  filters[own] !== undefined &&
  Object.entries(filters).every(([name, value]) => name === own || name === 'when' || !value)

/** The address of the list with what is chosen, of which days by their name and some filters have a page of their own. */
export const listLink =
  (view: View): ChosenLink =>
  ({ named, filters }) => {
    if (named) {
      const { when, from, to, ...rest } = filters
      return pathOf(view, `/events/${named}/`) + queryOf(rest)
    }
    const own = OWN.find((name) => isAlone(filters, name))
    return own
      ? pathOf(view, `/events/${own}/`) + queryOf({ when: filters.when })
      : pathOf(view, '/events/') + queryOf(filters)
  }

/** The address of a page at `path` with the filters that are chosen. */
export const pageLink =
  (path: string): ChosenLink =>
  ({ filters }) =>
    path + queryOf(filters)

/** What is chosen, each with what is left without it. */
function chipsOf(view: View, { named, filters }: Chosen, found: Found): { name: string; left: Chosen }[] {
  const { words } = view
  const without = (...names: (keyof Filters)[]): Chosen => ({
    named,
    filters: { ...filters, ...Object.fromEntries(names.map((name) => [name, undefined])) },
  })
  const { q, search, venue, town, language, online, free, when, from, to } = filters
  const terms = (kind: 'category' | 'tag') =>
    found[kind].map(({ name, slug }) => {
      const rest = found[kind].map((term) => term.slug).filter((one) => one !== slug)
      return { name, left: { named, filters: { ...filters, [kind]: rest.join() || undefined } } }
    })
  const one = (is: unknown, name: () => string, ...names: (keyof Filters)[]) =>
    is ? [{ name: name(), left: without(...names) }] : []
  return [
    ...(named ? [{ name: words[NAMES[named].name], left: { filters } }] : []),
    ...one(from || to, () => asTitle(daysInWords(view, filters), view.language), 'from', 'to'),
    ...one(when, () => words[when === 'past' ? 'past_events' : 'on_now'], 'when'),
    ...one(q, () => fill(words.quoted, { word: q! }), 'q'),
    ...one(search, () => fill(words.quoted, { word: search! }), 'search'),
    ...terms('category'),
    ...terms('tag'),
    ...one(town, () => town!, 'town'),
    ...one(venue, () => found.venue!.title, 'venue'),
    ...one(free, () => words.free, 'free'),
    ...one(online, () => words.online, 'online'),
    ...one(language, () => (language === 'all' ? words.any_language : nameOfLanguage(language!)), 'language'),
  ]
}

/** What is chosen, of which each is taken off by a link; nothing if nothing is. */
export function chosenChips(view: View, chosen: Chosen, found: Found, link: ChosenLink): Part {
  const { words } = view
  const chips = chipsOf(view, chosen, found)
  return (
    chips.length > 0 &&
    html`<nav class="chosen" aria-label="${words.chosen}"><ul>${chips.map(
      ({ name, left }) =>
        html`<li><a href="${link(left)}" rel="nofollow"><span class="unseen">${words.remove} </span>${name} <span aria-hidden="true">×</span></a></li>`,
    )}${chips.length > 1 && html`<li class="all"><a href="${link({ filters: {} })}">${words.clear}</a></li>`}</ul></nav>`
  )
}

/** Categories and towns that are offered at once. */
export const MOST_TOPICS = 12
const MOST_TOWNS = 8

/** A link of a row: what it adds, or takes off where it is chosen. */
type Pill = { name: string; href: string; isOn?: boolean | undefined }

/** A row of links by what it is about; nothing without any. */
export const row = (kind: string, name: string, pills: Pill[], more?: Part): Part =>
  pills.length > 0 &&
  html`<nav class="${kind}" aria-label="${name}"><span aria-hidden="true">${name}</span><ul>${pills.map(
    (pill) =>
      html`<li><a href="${pill.href}"${pill.isOn && html` aria-current="true"`}>${pill.name}</a></li>`,
  )}${more}</ul></nav>`

/** The way to all categories, with what is chosen. */
export const moreTopics = (view: View, { when, ...filters }: Filters, named?: NamedDays): Markup =>
  html`<li><a class="more" href="${pathOf(view, '/events/categories/')}${queryOf({ ...filters, days: named })}">${view.words.all_categories}</a></li>`

/** The categories that have none above them. */
function topOf(categories: TermRecord[]): TermRecord[] {
  const known = new Set(categories.map(({ id }) => id))
  return categories.filter(({ parent_id }) => !known.has(parent_id))
}

/**
 * What people look for most, in rows: when, what and where. Each link adds to what is chosen, in place of another of its kind, or takes it
 * off. A category alone has its own page.
 */
export function rows(
  view: View,
  { used, towns }: Choices,
  chosen: Chosen,
  categories: TermRecord[] = topOf(used),
): Markup {
  const { words } = view
  const { named, filters } = chosen
  const link = listLink(view)
  const toggle = (name: 'free' | 'online'): Pill => ({
    name: words[name],
    href: link({ named, filters: { ...filters, [name]: filters[name] ? undefined : 'yes' } }),
    isOn: filters[name] !== undefined,
  })
  const days = NAMED_DAYS.map((day): Pill => {
    const isOn = day === named
    return {
      name: words[NAMES[day].name],
      href: link(isOn ? { filters } : { named: day, filters }),
      isOn,
    }
  })
  const isPlain = !named && Object.entries(filters).every(([name, value]) => name === 'category' || !value)
  const topics = categories.slice(0, MOST_TOPICS).map((term): Pill => {
    const isOn = term.slug === filters.category
    const category = isOn ? undefined : term.slug
    return {
      name: term.name,
      href: isPlain && category ? linkToTerm(view, term) : link({ named, filters: { ...filters, category } }),
      isOn,
    }
  })
  const places = towns.slice(0, MOST_TOWNS).map((name): Pill => {
    const isOn = filters.town !== undefined && townOf([name], filters.town) === name
    return { name, href: link({ named, filters: { ...filters, town: isOn ? undefined : name } }), isOn }
  })
  const more = categories.length > MOST_TOPICS && moreTopics(view, filters, named)
  return html`<div class="rows">${row('soon', words.when, days)}${row('topics', words.what, [toggle('free'), ...topics], more)}${row('towns', words.where, [toggle('online'), ...places])}</div>`
}

/** The filters of an address by the names of the API, for its feeds and subscriptions. */
export const feedFilters = (
  { q, search, category, tag, town, online, free }: Filters,
  { venue }: Found,
): Record<string, string | undefined> => ({
  q,
  search,
  categories: category,
  tags: tag,
  town,
  venue: venue && String(venue.id),
  attendance_mode: online && 'online,mixed',
  free: free && 'true',
})

/** The paths of a page by language with its filters, as each language spells them. */
export const pathsWith = (
  paths: Record<string, string>,
  inLanguage: (language: string) => Filters,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(paths).map(([language, path]) => [language, path + queryOf(inLanguage(language))]),
  )
