import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { links, listed_links, listings, type Place } from '../../drizzle/tables.ts'
import { type Histogram, openHistogram, type Slice } from '../histogram.ts'
import type { Changes } from './changes.ts'
import type { Db } from './db.ts'
import type { LinkKind } from './links.ts'
import { LINK_KINDS } from './listings.ts'

/** What lists of everyone are filtered by, dates apart: of the IDs of a kind one has to match. */
export type Scope = {
  language?: string | undefined
  featured?: boolean | undefined
  ticketed?: boolean | undefined
  links: Partial<Record<LinkKind, number[]>>
}
/** Whole days since 1970-01-01: events start on `from` or later, and end on `to` or earlier. */
export type Days = { from: number; to: number }

/** Numbers that all histograms together may hold, some 50 bytes each. */
const MOST_NUMBERS = 400_000
const MOST_SCOPES = 500

/** Days apart within which one query for a page's events pays, instead of one a day. */
const NEAR = 3

const keyOf = ({ language, featured, ticketed, links }: Scope) =>
  JSON.stringify([language, featured, ticketed, ...LINK_KINDS.map((kind) => links[kind])])

const isIn = (place: Place, { language, featured, ticketed, links }: Scope) =>
  (language === undefined || place.language === language) &&
  (featured === undefined || place.featured === featured) &&
  (ticketed === undefined || place.ticketed === ticketed) &&
  LINK_KINDS.every((kind) => links[kind]?.some((id) => place.links[kind].includes(id)) ?? true)

const anyOf = (ids: number[]) =>
  ids.length === 1 ? sql`= ${ids[0]}` : sql`in (select value from json_each(${JSON.stringify(ids)}))`

/**
 * From where a scope's events are read: the index that leads to the fewest of them, and the conditions it leaves. An event
 * may come up several times where `distinct` says so.
 */
function planOf({ language, featured, ticketed, links: wanted }: Scope) {
  const [first, ...others] = LINK_KINDS.filter((kind) => wanted[kind] !== undefined)
  const conditions: SQL[] = []
  if (language !== undefined) conditions.push(sql`language = ${language}`)
  for (const kind of others)
    conditions.push(
      sql`exists (select 1 from ${links} l where l.event_id = at.event_id and l.kind = ${kind} and l.target_id ${anyOf(wanted[kind]!)})`,
    )
  const flags = [
    ...(featured === undefined ? [] : [featured ? sql`featured` : sql`not featured`]),
    ...(ticketed === undefined ? [] : [ticketed ? sql`ticketed` : sql`not ticketed`]),
  ]
  if (first === undefined) {
    conditions.push(sql`listed`, ...flags)
    return { source: sql`${listings} at`, conditions, distinct: false }
  }
  conditions.push(sql`kind = ${first}`, sql`target_id ${anyOf(wanted[first]!)}`)
  if (flags.length > 0)
    conditions.push(
      sql`exists (select 1 from ${listings} where event_id = at.event_id and ${sql.join(flags, sql` and `)})`,
    )
  return { source: sql`${listed_links} at`, conditions, distinct: wanted[first]!.length > 1 }
}

const and = (conditions: SQL[]) => sql.join(conditions, sql` and `)

/**
 * Counts and pages of the lists that everyone sees. Of each scope that is asked for, a histogram is kept in memory; it is
 * made by one pass over an index and then follows the changes, of this process and of others.
 */
export function openScopes(db: Db, changes: Changes) {
  const histograms = new LRUCache<string, { scope: Scope; histogram: Histogram }>({
    max: MOST_SCOPES,
    maxSize: MOST_NUMBERS,
    sizeCalculation: ({ histogram }) => histogram.size() + 1,
  })
  let seen = 0

  /** Brings all histograms up to what is committed. */
  function follow() {
    const { seq } = changes.latest()
    const missed = seq === seen || histograms.size === 0 ? [] : changes.after(seen)
    seen = seq
    for (const { moved } of missed) {
      if (moved !== null)
        for (const { scope, histogram } of histograms.values()) {
          if (moved.from && isIn(moved.from, scope)) histogram.add(moved.from.day, moved.from.days, -1)
          if (moved.to && isIn(moved.to, scope)) histogram.add(moved.to.day, moved.to.days, 1)
        }
    }
  }

  function histogramOf(scope: Scope): Histogram {
    const key = keyOf(scope)
    const known = histograms.get(key)
    if (known) return known.histogram
    const { source, conditions, distinct } = planOf(scope)
    const counted = distinct ? sql`count(distinct event_id)` : sql`count(*)`
    const histogram = openHistogram()
    const rows = db.read.values<[number, number, number]>(
      sql`select start_day, days, ${counted} from ${source} where ${and(conditions)} group by start_day, days`,
    )
    for (const [day, days, count] of rows) histogram.add(day, days, count)
    histograms.set(key, { scope, histogram })
    return histogram
  }

  /** Events of a scope that start from the first to the last of some days. */
  function fetch(scope: Scope, first: number, last: number, to: number, { skip, take }: Omit<Slice, 'day'>) {
    const { source, conditions, distinct } = planOf(scope)
    const within = [sql`start_day between ${first} and ${last}`]
    if (to !== Number.POSITIVE_INFINITY) within.push(sql`start_day + days <= ${to}`)
    return db.read.values<[number]>(
      sql`select ${distinct ? sql`distinct event_id` : sql`event_id`} from ${source} where ${and([...conditions, ...within])} order by start_day, start_date, event_id limit ${take} offset ${skip}`,
    )
  }

  return {
    /** A page of IDs by local start, then ID (R7), and how many match. */
    list(scope: Scope, { from, to }: Days, page: number, perPage: number): { total: number; ids: number[] } {
      return db.snapshot(() => {
        follow()
        const histogram = histogramOf(scope)
        const total = histogram.count(from, to)
        const slices = histogram.slice(from, to, (page - 1) * perPage, perPage)
        const [first] = slices
        if (!first) return { total, ids: [] }
        const last = slices.at(-1)!
        const near = last.day - first.day < NEAR * slices.length
        const runs = near
          ? [fetch(scope, first.day, last.day, to, { skip: first.skip, take: perPage })]
          : slices.map((slice) => fetch(scope, slice.day, slice.day, to, slice))
        return { total, ids: runs.flat().map(([id]) => id) }
      })
    },
  }
}
