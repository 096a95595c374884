import type { SyncKind } from '../../../schemas/changes.ts'
import type { Status } from '../../../schemas/common.ts'
import { FILTER_NAMES } from '../../../schemas/event-flags.ts'
import { STATE_NAMES } from '../../../schemas/event-states.ts'
import type { DateLimit } from '../../calendar/index/day-histogram.ts'
import type { openEventLists } from '../../calendar/lists/event-lists.ts'
import type {
  OwnFilter,
  OwnTermFilter,
  openLinkedLists,
  openTermLists,
} from '../../calendar/lists/linked-records.ts'
import type { EventFilter, Selection } from '../../calendar/lists/selection.ts'
import { readableTraits } from '../../calendar/records/visibility.ts'
import type { Documents, Json, View } from '../../calendar/views/documents.ts'
import { TOUCHED, type Was } from '../../kernel/database/changes.ts'

/** The caller that records are shown to, and the mount of their URLs. `spend` is told what finding them costs. */
export type Audience = Pick<View, 'caller' | 'origin'> & Pick<Selection, 'spend'>

/** The records of one kind that someone follows. Every call is of one moment. */
export type Source = {
  /** Those of these records that match. */
  among(ids: number[]): Set<number>
  /** The first `most` matching records after this ID, by ID. */
  after(id: number, most: number): number[]
  /** Whether the caller could find a record that was so, whatever else the filters say. */
  couldFind(was: Was): boolean
  /** The bits of `TOUCHED` on which it depends whether a record matches. */
  depends: number
  show(ids: number[]): Map<number, Json>
}

export type Lists = {
  lists: ReturnType<typeof openEventLists>
  series: Pick<ReturnType<typeof openLinkedLists>, 'byId'>
  venues: Pick<ReturnType<typeof openLinkedLists>, 'byId'>
  organizers: Pick<ReturnType<typeof openLinkedLists>, 'byId'>
  categories: Pick<ReturnType<typeof openTermLists>, 'byId'>
  tags: Pick<ReturnType<typeof openTermLists>, 'byId'>
  documents: Documents
}

/** What it depends on whether an event matches a selection. */
function dependsOn({
  flags,
  states,
  links,
  located,
  search,
  query,
  parent,
  dates,
  include,
  limited,
}: Selection): number {
  const uses = {
    dates: dates.length > 0 && !include,
    traits:
      parent !== undefined ||
      FILTER_NAMES.some((name) => flags[name] !== undefined) ||
      STATE_NAMES.some((name) => states?.[name] !== undefined),
    links:
      Object.keys(links).length > 0 || located !== undefined || query !== undefined || limited !== undefined,
    texts: search !== undefined || query !== undefined,
  }
  const names = Object.keys(uses) as (keyof typeof uses)[]
  return names.reduce<number>((bits, name) => (uses[name] ? bits | TOUCHED[name] : bits), TOUCHED.sight)
}

/**
 * Whether someone who sees records of these statuses, of others than the author only published ones, could find a record that was so. Limits
 * may have allowed it: the log does not know its links of then.
 */
const isSeen = (
  { statuses, author }: Pick<Selection, 'statuses' | 'author'>,
  was: Was,
  language: string | undefined,
) =>
  statuses.includes(was.status as Status) &&
  (author === undefined || was.status === 'publish' || was.author === author) &&
  (language === undefined || was.language === language)

/** The selection of events that an interest means now. */
async function selectionOf(
  { lists }: Lists,
  interest: Interest,
  { caller, spend }: Audience,
): Promise<Selection> {
  const { filters, dates = [], categories, tags, language } = interest
  const pinned = { ...filters, ...(categories && { categories }), ...(tags && { tags }) }
  const order = { by: 'start', descending: false } as const
  return (await lists.select(pinned, { dates, order, language, spend }, caller)).selection
}

async function eventsOf(store: Lists, interest: Interest, audience: Audience, all: boolean): Promise<Source> {
  const { byId } = store.lists
  const selection = await selectionOf(store, interest, audience)
  await byId.ready(selection, all)
  const { include, language } = selection
  return {
    among: (ids) => byId.among(selection, ids),
    after: (id, most) => byId.after(selection, id, most),
    couldFind: (was) => isSeen(selection, was, language) && (include !== undefined || !was.hidden),
    depends: dependsOn(selection),
    show: (ids) => store.documents.postsNow(ids, audience),
  }
}

/** The source of records of one kind. `all` says that it lists them from a beginning, which takes longer to prepare. */
export async function openSource(
  store: Lists,
  kind: SyncKind,
  interest: Interest,
  audience: Audience,
  all: boolean,
): Promise<Source> {
  if (kind === 'event') return eventsOf(store, interest, audience, all)
  const { filters, language } = interest
  const spoken = language === undefined ? {} : { language }
  if (kind === 'series' || kind === 'venue' || kind === 'organizer') {
    const { caller } = audience
    const list = { series: store.series, venue: store.venues, organizer: store.organizers }[kind]
    const seen = readableTraits(caller, filters)
    return {
      ...list.byId({ ...filters, ...spoken }, caller),
      couldFind: (was) => isSeen(seen, was, language),
      depends:
        TOUCHED.sight |
        (filters.search === undefined ? 0 : TOUCHED.texts) |
        (seen.limited ? TOUCHED.links : 0),
      show: (ids) => store.documents.postsNow(ids, audience),
    }
  }
  const list = { category: store.categories, tag: store.tags }[kind]
  return {
    ...list.byId({ ...filters, ...spoken, hide_empty: filters.hide_empty === true }, audience.caller),
    couldFind: (was) => language === undefined || was.language === language,
    depends: TOUCHED.sight,
    show: (ids) => store.documents.termsNow(ids, audience),
  }
}

/** The kinds of records that can be followed, in the order in which a beginning lists them. */
export const KINDS: readonly SyncKind[] = ['category', 'tag', 'venue', 'organizer', 'series', 'event']

/** The filters of lists, as they were read; each applies to the kinds whose lists have it. */
type Filters = Omit<EventFilter, 'page' | 'per_page'> &
  Omit<OwnFilter, 'language'> &
  Omit<OwnTermFilter, 'language' | 'hide_empty'> & { hide_empty?: boolean }

/**
 * What is followed: kinds of records, and filters. What a filter meant at the beginning is kept: the limits of its dates, and the IDs of
 * terms that it named. It is plain JSON.
 */
export type Interest = {
  kinds: SyncKind[]
  filters: Filters
  /** All languages if absent. */
  language?: string
  /** The limits that the filters by date meant. */
  dates?: DateLimit[]
  /** The terms that the filters `categories` and `tags` meant. */
  categories?: number[]
  tags?: number[]
}

/** How far a follower has come: all that was written up to `at`, apart from the rest of a beginning. It is plain JSON. */
export type Cursor = {
  /** The number of the last row of the log that is done. */
  at: number
  /** The records that are still to be listed: from this kind on, those after this ID. */
  rest?: { kind: SyncKind; after: number; again?: true }
}
