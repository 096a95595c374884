import { knownAt, type Listed, listPage, titleOf } from '../../../formats/html/list.ts'
import type { Choices } from '../../../formats/html/parts/filters.ts'
import { pathIn, pathOf, type View } from '../../../formats/html/view.ts'
import type { VenueRecord } from '../../../formats/records.ts'
import { family, type Service } from '../../resource/service.ts'
import { LISTED } from './address.ts'
import { addPage } from './page.ts'
import { openSelections } from './selection.ts'

/** Highlights on the first page. */
const HIGHLIGHTS = 3
/** Entries of a filter; those of tags are the most used. */
const MOST_CHOICES = 100
const MOST_TAGS = 50
/** With more venues than choices their filter is a field, which suggests the newest. */
const SUGGESTED = 30

/** What visitors may choose from in a language; read again after each write. */
export function openChoices({ store }: Service) {
  const cached = new Map<string, { seq: number; choices: Choices }>()
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
  return async (language: string): Promise<Choices> => {
    const { seq } = store.changes.latest()
    const known = cached.get(language)
    if (known?.seq === seq) return known.choices
    const choices = {
      categories: await terms('categories', language),
      tags: await terms('tags', language),
      ...(await venues()),
    }
    cached.set(language, { seq, choices })
    return choices
  }
}

/** `/` and `/events/`: the calendar from now on, with search and filters. */
export const listPages = family('pages of lists', async (app, service) => {
  const selections = openSelections(service)
  const choicesIn = openChoices(service)
  const { languages } = service.site

  const add = (url: string) =>
    addPage(app, service, url, 'list', LISTED, async (view, request) => {
      const listed = await selections.list(view, request, {})
      const { filters, page } = listed
      const isFirst =
        url === '/' && page === 1 && Object.values(filters).every((value) => value === undefined)
      const highlights = isFirst
        ? await selections.featured(view, HIGHLIGHTS)
        : { events: [], repeats: new Map() }
      const shown = new Set(highlights.events.map(({ id }) => id))
      const running = listed.running.filter(({ id }) => !shown.has(id))
      const choices = await choicesIn(view.language)
      return listPage(view, headOf(view, url, listed, isFirst), { ...listed, running, choices, highlights })
    })
  const headOf = (view: View, url: string, listed: Listed, isFirst: boolean) => {
    const { q, search, category, tag } = listed.filters
    // what is not the first page is the same at both addresses
    const place = isFirst ? url : '/events/'
    return {
      title: isFirst ? '' : titleOf(view, listed.filters, listed.corrected),
      ...knownAt(pathOf(view, place), listed),
      translations: Object.fromEntries(
        languages.map((language) => [language, pathIn(view.front, language, place)]),
      ),
      feeds: { q, search, categories: category, tags: tag },
    }
  }
  add('/')
  add('/events/')
})
