import { FILTERS_OF, SYNC_KINDS, type SyncKind } from '../../../schemas/changes.ts'
import { EventQuery } from '../../../schemas/event-query.ts'
import type { Service } from '../../calendar/resource/service.ts'
import { checkEventQuery, checkStatuses, openToday, readDates } from '../../calendar/routes/event-list.ts'
import { checkWords } from '../../calendar/routes/linked.ts'
import type { Caller } from '../../kernel/access/roles.ts'
import type { Problems } from '../../kernel/errors.ts'
import type { Interest } from './sources.ts'

/** Kinds of records, with filters as they were read. */
export type Given = { kinds: SyncKind[]; filters: Interest['filters']; language: string | undefined }
/** What was given means: an interest, its problems, and the time until which it would mean the same. */
type Meant = { interest: Interest; problems: Problems; until: number }

/** The kinds that are told of if none is named. Series came later, and whoever does not know them has their dates. */
const USUAL = SYNC_KINDS.filter((kind) => kind !== 'series')

/** The kinds that have all of these filters; if none has, those that have the first. */
export const kindsWith = ([first, ...others]: string[]): SyncKind[] => {
  const some = USUAL.filter((kind) => first === undefined || FILTERS_OF[kind].includes(first))
  const all = some.filter((kind) => others.every((name) => FILTERS_OF[kind].includes(name)))
  return all.length > 0 ? all : some
}

/** The first of these kinds that lacks a filter. */
export const lacking = (kinds: readonly SyncKind[], name: string) =>
  kinds.find((kind) => !FILTERS_OF[kind].includes(name))

/** The kinds whose lists are searched by words alone. */
const LINKED = ['series', 'venue', 'organizer'] as const

const { geoloc_radius } = EventQuery.properties

/** Says what filters of changes mean now. */
export function openMeanings({ store, site }: Pick<Service, 'store' | 'site'>) {
  const today = openToday(site)

  /** Keeps what dates and terms in the filters of events mean now. */
  async function pinEvents(meant: Meant, caller: Caller): Promise<Problems> {
    const { interest } = meant
    const { filters } = interest
    const query = { geoloc_radius: geoloc_radius.default, ...filters, when: 'all' } as EventQuery
    const { limits, until } = readDates(query, site, today())
    meant.until = until
    if (limits.length > 0) interest.dates = limits
    if (filters.geoloc_lat !== undefined) filters.geoloc_radius = query.geoloc_radius
    const { terms, problems } = await store.lists.resolveTerms(filters, caller)
    Object.assign(interest, terms)
    return { ...problems, ...checkEventQuery(query) }
  }

  return async ({ kinds, filters, language }: Given, caller: Caller): Promise<Meant> => {
    const interest: Interest = { kinds, filters: { ...filters }, ...(language && { language }) }
    const meant: Meant = {
      interest,
      problems: checkStatuses(filters.status, { caller }),
      until: Number.POSITIVE_INFINITY,
    }
    const add = (problems: Problems) => Object.assign(meant.problems, problems)
    if (kinds.includes('event')) add(await pinEvents(meant, caller))
    if (LINKED.some((kind) => kinds.includes(kind))) add(checkWords(filters.search))
    if (filters.parent !== undefined)
      add(await store.categories.check({ parent: filters.parent, hide_empty: false }, caller))
    return meant
  }
}
