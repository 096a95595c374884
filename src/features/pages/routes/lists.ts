import type { FastifyRequest } from 'fastify'
import type { EventRecord, VenueRecord } from '../../../calendar/formats/records.ts'
import { pathIn } from '../../../calendar/formats/urls.ts'
import { NAMED_DAYS, type NamedDays } from '../../../calendar/month-grid.ts'
import { family, type Service } from '../../../calendar/resource/service.ts'
import { secondsOf, toWall } from '../../../kernel/time/dates.ts'
import type { Choices } from '../html/filters.ts'
import { type Home, homePage, knownAt, type Listed, listPage, OWN, titleOf } from '../html/list.ts'
import { pathOf, type View } from '../html/view.ts'
import { addPage } from './page.ts'
import { DATED, LISTED, openSelections, textIn } from './selection.ts'

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

/** What a list at an address of its own is about: days by their name, or a filter. */
type Own = { named?: NamedDays; own?: (typeof OWN)[number] }

/** The dates that a feed of days by their name is filtered by, which go on with the days; that of a weekend has all events. */
const FEEDS: Record<NamedDays, Record<string, string>> = {
  today: { starts_after: 'yesterday', starts_before: 'today' },
  tomorrow: { starts_after: 'today', starts_before: 'tomorrow' },
  weekend: {},
  'next-7-days': { starts_after: 'yesterday', starts_before: '+6 days' },
}

/** Whether an address asks for the first page of all, without any filter. */
const isPlain = (request: FastifyRequest) =>
  DATED.every((name) => [undefined, name === 'page' ? '1' : undefined].includes(textIn(request, name)))

/** `/`, what a visitor may want to see first; `/events/`: the calendar from now on, with search and filters; `/events/today/` and others: what people look for most. */
export const listPages = family('pages of lists', async (app, service) => {
  const selections = openSelections(service)
  const homeOf = openHome(service)
  const choicesIn = openChoices(service)
  const { languages } = service.site

  const understood = ({ named, own }: Own) =>
    named ? LISTED.filter((name) => name !== 'when') : own ? DATED.filter((name) => name !== own) : DATED
  const add = (url: string, about: Own = {}) =>
    addPage(app, service, url, 'list', understood(about), async (view, request) => {
      const { named, own } = about
      const choices = await choicesIn(view.language)
      if (url === '/' && isPlain(request)) {
        const home = await homeOf(view, request)
        return homePage(view, headOf(view, url, home.listed), { ...home, choices })
      }
      const found = await selections.list(view, request, {}, own ? { [own]: 'yes' } : {}, { named })
      const listed = { ...found, own }
      // what is not the first page is the same at both addresses
      const head = headOf(view, url === '/' ? '/events/' : url, listed)
      return listPage(view, head, { ...listed, choices, isHome: url === '/' })
    })
  const headOf = (view: View, place: string, listed: Listed & Own) => {
    const { q, search, category, tag, from, to } = listed.filters
    const has = (name: (typeof OWN)[number]) => listed.own === name || listed.filters[name]
    return {
      title: place === '/' ? '' : titleOf(view, listed),
      ...knownAt(pathOf(view, place), listed),
      translations: Object.fromEntries(
        languages.map((language) => [language, pathIn(view.front, language, place)]),
      ),
      feeds: {
        q,
        search,
        categories: category,
        tags: tag,
        free: has('free') ? 'true' : undefined,
        attendance_mode: has('online') ? 'online,mixed' : undefined,
        ...(listed.named ? FEEDS[listed.named] : { start_date: from, starts_before: to }),
      },
    }
  }
  add('/')
  add('/events/')
  for (const named of NAMED_DAYS) add(`/events/${named}/`, { named })
  for (const own of OWN) add(`/events/${own}/`, { own })
})

/** Events in the parts of the page. */
const MOST = { highlights: 3, weekend: 6, next: 9, added: 6 }
/** For how long after its publication an event is new, in milliseconds. */
const NEW = 14 * 24 * 60 * 60_000

/** Reads what the first page of the site shows; all that comes is in one of its parts. */
function openHome(service: Service) {
  const { store, site } = service
  const selections = openSelections(service)

  /** The events that were added last and published within two weeks, without those that are shown already. */
  async function added(view: View, without: ReadonlySet<number>) {
    const now = toWall(site.clock(), 'UTC')
    const ids = store.lists.newest(view.language, secondsOf(now), MOST.added + without.size)
    const since = toWall(site.clock() - NEW, 'UTC')
    const found = await store.published(ids.filter((id) => !without.has(id)))
    const events = found.filter(({ date_utc }) => date_utc > since).slice(0, MOST.added)
    return { events, total: events.length, repeats: new Map() }
  }

  return async (view: View, request: FastifyRequest): Promise<Omit<Home, 'choices'>> => {
    const highlights = await selections.featured(view, MOST.highlights)
    const weekend = await selections.weekend(view, MOST.weekend)
    const idsOf = (events: EventRecord[]) => events.map(({ id }) => id)
    const first = new Set(idsOf([...highlights.events, ...weekend.events]))
    const found = await selections.list(view, request, {}, {}, { per_page: MOST.next + first.size })
    const isLeft = ({ id }: EventRecord) => !first.has(id)
    const highlighted = new Set(idsOf(highlights.events))
    const running = found.running.filter(({ id }) => !highlighted.has(id))
    const events = found.events.filter(isLeft).slice(0, MOST.next)
    const shown = new Set([...first, ...idsOf([...running, ...events])])
    const listed = { ...found, running, events }
    return { highlights, weekend, listed, added: await added(view, shown) }
  }
}
