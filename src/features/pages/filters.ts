import type { Days } from '../../calendar/days.ts'
import type { TermRecord, VenueRecord } from '../../calendar/formats/records.ts'
import { localeOf } from '../../calendar/formats/texts.ts'
import type { Service } from '../../calendar/resource/service.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { fold } from '../../kernel/text/text.ts'
import { fill } from '../../kernel/text/words.ts'
import type { Found } from './event-queries.ts'
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
  /** The name of a town. */
  town?: string | undefined
  /** `all`, or one of the languages of the site. */
  language?: string | undefined
  /** `yes`: only what one may attend online. */
  online?: 'yes' | undefined
  /** `yes`: only what is free. */
  free?: 'yes' | undefined
  /** `past` is what is over, `now` what began before today and is not over. */
  when?: 'past' | 'now' | undefined
} & Days

/** What a visitor may choose from. With more venues or towns than these, one may be named that is not among them. */
export type Choices = {
  /** All of them, in the order of their names. */
  categories: TermRecord[]
  /** The same, the most used first. */
  used: TermRecord[]
  tags: TermRecord[]
  venues: VenueRecord[]
  moreVenues: boolean
  /** Those with the most venues first. */
  towns: string[]
}

/** Entries of a filter; those of categories and tags are the most used. */
const MOST_CHOICES = 100
const MOST_TAGS = 50
/** With more categories than these, the others are not offered. */
const MOST_CATEGORIES = 1_000
/** With more venues or towns than choices their filter is a field, which suggests the newest venues, or the towns with the most of them. */
const SUGGESTED = 30

/** Compares names as people of a language order them, and numbers in them by what they are worth. */
export const byName = (language: string): ((a: string, b: string) => number) =>
  new Intl.Collator(localeOf(language), { numeric: true }).compare

/** What visitors may choose from in a language; read again after each write. */
export function openChoices(service: Service) {
  const { store } = service
  const terms = async (kind: 'categories' | 'tags', language: string, per_page: number) => {
    const most = { page: 1, per_page, orderby: 'count', order: 'desc', hide_empty: true } as const
    const found = await store.records.terms((await store[kind].list({ ...most, language }, undefined)).ids)
    const compare = byName(language)
    return found.sort((a, b) => compare(a.name, b.name))
  }
  const venues = async (language: string) => {
    const filter = { page: 1, per_page: MOST_CHOICES, has_events: true, only_with_upcoming: false }
    const { ids, total } = await store.venues.list(filter, undefined)
    const moreVenues = total > MOST_CHOICES
    const shown = moreVenues ? ids.slice(0, SUGGESTED) : ids
    const found = (await store.records.posts(shown, { caller: undefined })) as VenueRecord[]
    const compare = byName(language)
    return { venues: found.sort((a, b) => compare(a.title, b.title)), moreVenues }
  }
  return untilWritten(service, async (language): Promise<Choices> => {
    const categories = await terms('categories', language, MOST_CATEGORIES)
    return {
      categories,
      used: byUse(categories),
      tags: await terms('tags', language, MOST_TAGS),
      towns: store.towns(language, MOST_CHOICES + 1),
      ...(await venues(language)),
    }
  })
}

/** Categories in the order of how often each and those below it are used. */
function byUse(categories: TermRecord[]): TermRecord[] {
  const above = new Map(categories.map(({ id, parent_id }) => [id, parent_id]))
  const uses = new Map<number, number>()
  for (const { id, count } of categories)
    for (let at: number | undefined = id; at !== undefined && above.has(at); at = above.get(at)!)
      uses.set(at, (uses.get(at) ?? 0) + count)
  return categories.toSorted((a, b) => uses.get(b.id)! - uses.get(a.id)!)
}

type Choice = { slug: string; title: string; depth?: number }

/** A choice of one; what is chosen and none of these is one more. */
function select(name: string, label: string, any: string, choices: Choice[], chosen?: Choice): Part {
  const all = !chosen || choices.some(({ slug }) => slug === chosen.slug) ? choices : [...choices, chosen]
  return (
    all.length > 0 &&
    html`<p><label for="filter-${name}">${label}</label>
<select id="filter-${name}" name="${name}"><option value="">${any}</option>${all.map(
      ({ slug, title, depth = 0 }) =>
        html`<option value="${slug}"${slug === chosen?.slug && html` selected`}>${'\u00a0\u00a0'.repeat(depth)}${title}</option>`,
    )}</select></p>`
  )
}

/** A field for one of many, which browsers complete from some of them. */
const field = (name: string, label: string, any: string, suggested: string[], chosen?: string): Markup =>
  html`<p><label for="filter-${name}">${label}</label>
<input id="filter-${name}" name="${name}" list="${name}s" maxlength="200" placeholder="${any}" value="${chosen}">
<datalist id="${name}s">${suggested.map((title) => html`<option value="${title}"></option>`)}</datalist></p>`

function venueChoice(
  { words }: View,
  { venues, moreVenues }: Choices,
  slug: string | undefined,
  { venue }: Found,
): Part {
  const chosen = slug === undefined ? undefined : { slug, title: venue!.title }
  return moreVenues
    ? field(
        'venue',
        words.venue,
        words.any_venue,
        venues.map(({ title }) => title),
        chosen?.title,
      )
    : select('venue', words.venue, words.any_venue, venues, chosen)
}

/** The town of these that a filter names in any spelling, or as it stands there. */
export const townOf = (towns: string[], town: string) => towns.find((one) => fold(one) === fold(town)) ?? town

function townChoice({ words }: View, towns: string[], town: string | undefined): Part {
  const chosen = town && townOf(towns, town)
  const named = (title: string) => ({ slug: title, title })
  return towns.length > MOST_CHOICES
    ? field('town', words.town, words.any_town, towns.slice(0, SUGGESTED), chosen)
    : select('town', words.town, words.any_town, towns.map(named), chosen ? named(chosen) : undefined)
}

/** Two fields for the days that a list is about. */
const dayFields = ({ words }: View, { from, to }: Days): Markup =>
  html`<p><label for="filter-from">${words.from_day}</label>
<input id="filter-from" name="from" type="date" value="${from}"></p>
<p><label for="filter-to">${words.to_day}</label>
<input id="filter-to" name="to" type="date" value="${to}"></p>`

/** Categories below their parents, in the order given. */
export function asTree(categories: TermRecord[]): { category: TermRecord; depth: number }[] {
  const known = new Set(categories.map(({ id }) => id))
  const below = new Map<number, TermRecord[]>()
  for (const one of categories) {
    const parent = known.has(one.parent_id) ? one.parent_id : 0
    const own = below.get(parent)
    if (own) own.push(one)
    else below.set(parent, [one])
  }
  const walk = (parent: number, depth: number): { category: TermRecord; depth: number }[] =>
    (below.get(parent) ?? []).flatMap((category) => [{ category, depth }, ...walk(category.id, depth + 1)])
  return walk(0, 0)
}

/** Terms as one choice: of several none is offered but all of them. */
const asChoice = (slug: string | undefined, terms: TermRecord[]): Choice | undefined =>
  slug === undefined ? undefined : { slug, title: terms.map(({ name }) => name).join(', ') }

/** The form with all filters, which works without script. At the address of all events it also chooses days. */
export function filterForm(
  view: View,
  choices: Choices,
  { filters, found }: { filters: Filters; found: Found },
  path?: string,
): Markup {
  const { words, front, language } = view
  const { q, search, category, tag, venue, town, online, free, when } = filters
  const action = path ?? pathOf(view, '/events/')
  const typed = q ?? search
  const languages = [
    { slug: 'all', title: words.any_language },
    ...front.languages
      .filter((one) => one !== language)
      .map((one) => ({ slug: one, title: nameOfLanguage(one) })),
  ]
  const offered = new Set(choices.used.slice(0, MOST_CHOICES))
  const categories = asTree(choices.categories.filter((one) => offered.has(one))).map(
    ({ category: { slug, name }, depth }) => ({ slug, title: name, depth }),
  )
  const tags = choices.tags.map(({ slug, name }) => ({ slug, title: name }))
  return html`<details class="filters"><summary>${words.filters}</summary>
<form action="${action}">
<p><label for="filter-search">${words.search}</label>
<input id="filter-search" name="q" type="search" maxlength="200" value="${typed}" data-suggest></p>
${select('category', words.category, words.any_category, categories, asChoice(category, found.category))}
${select('tag', words.tag, words.any_tag, tags, asChoice(tag, found.tag))}
${townChoice(view, choices.towns, town)}
${venueChoice(view, choices, venue, found)}
${
  front.languages.length > 1 &&
  select(
    'language',
    words.language,
    nameOfLanguage(language),
    languages,
    languages.find(({ slug }) => slug === filters.language),
  )
}
${path === undefined && dayFields(view, filters)}
<p class="check"><label><input name="online" type="checkbox" value="yes"${online && html` checked`}> ${words.only_online}</label>
<label><input name="free" type="checkbox" value="yes"${free && html` checked`}> ${words.only_free}</label></p>
${when && html`<input type="hidden" name="when" value="${when}">`}
<p class="buttons"><button>${words.apply}</button></p>
</form></details>`
}

/** A search some words of which occur nowhere: as it was taken, and these words as they were typed. */
export type Corrected = { search: string; typed: string[] }

/** For which words events are shown, and which occur nowhere; nothing if all stand as they were typed. */
export const correctedNote = ({ words }: View, corrected: Corrected | undefined): Part =>
  corrected &&
  html`<p class="corrected">${fill(words.corrected, { search: corrected.search })} <span>${fill(words.corrected_from, { words: corrected.typed.map((word) => fill(words.quoted, { word })).join(', ') })}</span></p>`
