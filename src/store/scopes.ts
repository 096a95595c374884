import { LRUCache } from 'lru-cache'
import type { Place } from '../../drizzle/tables.ts'
import { type Histogram, openHistogram, type Slice } from '../histogram.ts'
import { type Changes, EVERYTHING } from './changes.ts'
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

type Plan = { source: string; conditions: string[]; values: unknown[]; distinct: boolean }

/**
 * From where a scope's events are read: the index that leads to the fewest of them, and the conditions it leaves. An event
 * may come up several times where `distinct` says so.
 */
function planOf({ language, featured, ticketed, links }: Scope): Plan {
  const [first, ...others] = LINK_KINDS.filter((kind) => links[kind] !== undefined)
  const conditions: string[] = []
  const values: unknown[] = []
  const add = (condition: string, ...given: unknown[]) => {
    conditions.push(condition)
    values.push(...given)
  }
  const among = (kind: LinkKind) =>
    links[kind]!.length === 1 ? '= ?' : 'in (select value from json_each(?))'
  const ids = (kind: LinkKind) => (links[kind]!.length === 1 ? links[kind]![0] : JSON.stringify(links[kind]))

  if (first === undefined) conditions.push('listed = 1')
  else add(`kind = ? and target_id ${among(first)}`, first, ids(first))
  if (language !== undefined) add('language = ?', language)
  for (const kind of others)
    add(
      `exists (select 1 from links where event_id = at.event_id and kind = ? and target_id ${among(kind)})`,
      ...[kind, ids(kind)],
    )
  const flags = Object.entries({ featured, ticketed }).flatMap(([name, wanted]) =>
    wanted === undefined ? [] : [`${name} = ${wanted ? 1 : 0}`],
  )
  if (first === undefined) conditions.push(...flags)
  else if (flags.length > 0)
    conditions.push(`exists (select 1 from listings where event_id = at.event_id and ${flags.join(' and ')})`)
  return {
    source: first === undefined ? 'listings at' : 'listed_links at',
    conditions,
    values,
    distinct: first !== undefined && links[first]!.length > 1,
  }
}

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
    for (const { kind, moved } of missed) {
      if (kind === EVERYTHING) histograms.clear()
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
    const { source, conditions, values, distinct } = planOf(scope)
    const counted = distinct ? 'count(distinct event_id)' : 'count(*)'
    const histogram = openHistogram()
    const rows = db.rows<[number, number, number]>(
      `select start_day, days, ${counted} from ${source} where ${conditions.join(' and ')} group by start_day, days`,
      ...values,
    )
    for (const [day, days, count] of rows) histogram.add(day, days, count)
    histograms.set(key, { scope, histogram })
    return histogram
  }

  /** Events of a scope that start from the first to the last of some days. */
  function fetch(scope: Scope, first: number, last: number, to: number, { skip, take }: Omit<Slice, 'day'>) {
    const { source, conditions, values, distinct } = planOf(scope)
    const where = [...conditions, 'start_day between ? and ?', 'start_day + days <= ?'].join(' and ')
    return db.rows<[number]>(
      `select ${distinct ? 'distinct event_id' : 'event_id'} from ${source} where ${where} order by start_day, start_date, event_id limit ? offset ?`,
      ...[...values, first, last, to, take, skip],
    )
  }

  return {
    /** A page of IDs by local start, then ID (R7), and how many match. */
    list(scope: Scope, { from, to }: Days, page: number, perPage: number): { total: number; ids: number[] } {
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
    },
  }
}
