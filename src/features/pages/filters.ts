import type { Days } from '../../calendar/days.ts'
import type { TermRecord, VenueRecord } from '../../calendar/formats/records.ts'
import type { Service } from '../../calendar/resource/service.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { fill } from '../../kernel/text/words.ts'
import { pathOf, untilWritten, type View } from './page.ts'
import { nameOfLanguage } from './words.ts'

/** The filters of a list as its address names them: slugs, and the language of the events. */
export type Filters = {
  /** What a person looks for. */
  q?: string | undefined
  /** Parts of texts, as in addresses of earlier versions. */
  search?: string | undefined
  category?: string | undefined
  tag?: string | undefined
  venue?: string | undefined
  /** `all`, or one of the languages of the site. */
  language?: string | undefined
  /** `yes`: only what one may attend online. */
  online?: 'yes' | undefined
  /** `yes`: only what is free. */
  free?: 'yes' | undefined
  /** `past` is what is over, `now` what began before today and is not over. */
  when?: 'past' | 'now' | undefined
} & Days

/** What a visitor may choose from. With more venues than these, one may be named that is not among them. */
export type Choices = {
  categories: TermRecord[]
  tags: TermRecord[]
  venues: VenueRecord[]
  moreVenues: boolean
}

/** Entries of a filter; those of tags are the most used. */
const MOST_CHOICES = 100
const MOST_TAGS = 50
/** With more venues than choices their filter is a field, which suggests the newest. */
const SUGGESTED = 30

/** What visitors may choose from in a language; read again after each write. */
export function openChoices(service: Service) {
  const { store } = service
  const terms = async (kind: 'categories' | 'tags', language: string) => {
    const orderby = kind === 'tags' ? ('count' as const) : ('name' as const)
    const order = kind === 'tags' ? ('desc' as const) : ('asc' as const)
    const per_page = kind === 'tags' ? MOST_TAGS : MOST_CHOICES
    const filter = { page: 1, per_page, orderby, order, hide_empty: true, language }
    return store.records.terms((await store[kind].list(filter, undefined)).ids)
  }
  const venues = async () => {
    const filter = { page: 1, per_page: MOST_CHOICES, has_events: true, only_with_upcoming: false }
    const { ids, total } = await store.venues.list(filter, undefined)
    const moreVenues = total > MOST_CHOICES
    const shown = moreVenues ? ids.slice(0, SUGGESTED) : ids
    const found = (await store.records.posts(shown, { caller: undefined })) as VenueRecord[]
    return { venues: found.sort((a, b) => a.title.localeCompare(b.title)), moreVenues }
  }
  return untilWritten(service, async (language): Promise<Choices> => {
    const categories = await terms('categories', language)
    return { categories, tags: await terms('tags', language), ...(await venues()) }
  })
}

type Choice = { slug: string; title: string; depth?: number }

const select = (name: string, label: string, any: string, choices: Choice[], chosen: string | undefined) =>
  choices.length > 0 &&
  html`<p><label for="filter-${name}">${label}</label>
<select id="filter-${name}" name="${name}"><option value="">${any}</option>${choices.map(
    ({ slug, title, depth = 0 }) =>
      html`<option value="${slug}"${slug === chosen && html` selected`}>${'\u00a0\u00a0'.repeat(depth)}${title}</option>`,
  )}</select></p>`

/** A field for a venue that may be one of many, which browsers complete from some of them. */
function venueField({ words }: View, venues: VenueRecord[], chosen: string | undefined): Markup {
  const title = venues.find(({ slug }) => slug === chosen)?.title ?? chosen
  return html`<p><label for="filter-venue">${words.venue}</label>
<input id="filter-venue" name="venue" list="venues" maxlength="200" placeholder="${words.any_venue}" value="${title}">
<datalist id="venues">${venues.map(({ title }) => html`<option value="${title}"></option>`)}</datalist></p>`
}

/** Two fields for the days that a list is about. */
const dayFields = ({ words }: View, { from, to }: Days): Markup =>
  html`<p><label for="filter-from">${words.from_day}</label>
<input id="filter-from" name="from" type="date" value="${from}"></p>
<p><label for="filter-to">${words.to_day}</label>
<input id="filter-to" name="to" type="date" value="${to}"></p>`

/** Categories below their parents. */
function asTree(terms: TermRecord[], parent = 0, depth = 0): Choice[] {
  const known = new Set(terms.map(({ id }) => id))
  return terms
    .filter(({ parent_id }) => (known.has(parent_id) ? parent_id : 0) === parent)
    .flatMap(({ id, slug, name }) => [{ slug, title: name, depth }, ...asTree(terms, id, depth + 1)])
}

/** Whether a filter is the only one that is used. */
const isAlone = (filters: Filters, own: keyof Filters) =>
  Object.entries(filters).every(([name, value]) => name === own || name === 'when' || !value)

/**
 * The form with all filters, which works without script. At the address of all events it also chooses days. `own` is the filter that
 * the page itself stands for: with no other one the form is closed.
 */
export function filterForm(
  view: View,
  { categories, tags, venues, moreVenues }: Choices,
  filters: Filters,
  path?: string,
  own?: 'online' | 'free',
): Markup {
  const { words, front, language } = view
  const { q, search, category, tag, venue, online, free, when, from, to } = filters
  const action = path ?? pathOf(view, '/events/')
  const typed = q ?? search
  const languages = [
    { slug: 'all', title: words.any_language },
    ...front.languages
      .filter((one) => one !== language)
      .map((one) => ({ slug: one, title: nameOfLanguage(one) })),
  ]
  const isUsed = [category, tag, venue, filters.language, online, free, from, to].some(Boolean)
  const isOpen = isUsed && !(own && isAlone(filters, own))
  return html`<details class="filters"${isOpen && html` open`}><summary>${words.filters}</summary>
<form action="${action}">
<p><label for="filter-search">${words.search}</label>
<input id="filter-search" name="q" type="search" maxlength="200" value="${typed}" data-suggest></p>
${select('category', words.category, words.any_category, asTree(categories), category)}
${select(
  'tag',
  words.tag,
  words.any_tag,
  tags.map(({ slug, name }) => ({ slug, title: name })),
  tag,
)}
${moreVenues ? venueField(view, venues, venue) : select('venue', words.venue, words.any_venue, venues, venue)}
${front.languages.length > 1 && select('language', words.language, nameOfLanguage(language), languages, filters.language)}
${path === undefined && dayFields(view, filters)}
<p class="check"><label><input name="online" type="checkbox" value="yes"${online && html` checked`}> ${words.only_online}</label>
<label><input name="free" type="checkbox" value="yes"${free && html` checked`}> ${words.only_free}</label></p>
${when && html`<input type="hidden" name="when" value="${when}">`}
<p class="buttons"><button>${words.apply}</button>${(isUsed || typed) && html` <a href="${action}">${words.clear}</a>`}</p>
</form></details>`
}

/** A search some words of which occur nowhere: as it was taken, and these words as they were typed. */
export type Corrected = { search: string; typed: string[] }

/** For which words events are shown, and which occur nowhere; nothing if all stand as they were typed. */
export const correctedNote = ({ words }: View, corrected: Corrected | undefined): Part =>
  corrected &&
  html`<p class="corrected">${fill(words.corrected, { search: corrected.search })} <span>${fill(words.corrected_from, { words: corrected.typed.map((word) => fill(words.quoted, { word })).join(', ') })}</span></p>`
