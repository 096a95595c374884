import { eq, getTableColumns, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { events, type links, occurrences, posts, terms } from '../../../drizzle/tables.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { type Changes, openFollowing } from '../../kernel/database/changes.ts'
import { type Db, openMapper, prepared, type Queries } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import {
  blanked,
  type EventRecord,
  type OrganizerRecord,
  ownEvent,
  ownOrganizer,
  ownSeries,
  ownVenue,
  type Post,
  type PostRecord,
  type SeriesDate,
  type SeriesRecord,
  type TermRecord,
  type TermRow,
  type VenueRecord,
} from '../formats/records.ts'
import { type LinkKind, NO_REFS, selectWhole, toRefs } from '../records/rows.ts'
import { isOpen, shown, type View } from '../records/visibility.ts'
import { canRead, canReadTerm } from '../rights.ts'

/** IDs by language of the other records of a set of translations. */
export const openTranslations = (db: Db) => ({
  /** The translations of an event, venue or organizer that the caller may read. */
  ofPost: (id: number, group: number, caller: Caller): Record<string, number> =>
    Object.fromEntries(
      db
        .rows<[number, string, Post['status'], number]>(
          'select id, language, status, author_id from posts where translation_group = ? and id <> ? order by language',
          ...[group, id],
        )
        .filter(
          ([id, , status, author_id]) => status !== 'trash' && canRead(caller, { id, status, author_id }),
        )
        .map(([id, language]) => [language, id]),
    ),
  /** The translations of a category or tag that the caller may see. */
  ofTerm: (id: number, group: number, caller: Caller): Record<string, number> =>
    Object.fromEntries(
      db
        .rows<[string, number, 0 | 1]>(
          'select language, id, hidden from terms where translation_group = ? and id <> ? order by language',
          ...[group, id],
        )
        .filter(([, , hidden]) => canReadTerm(caller, { hidden: hidden === 1 }))
        .map(([language, id]) => [language, id]),
    ),
})

/** The columns of a post that records show, and those that decide who sees what. */
const {
  kind,
  password_hash,
  translation_group,
  folded,
  folded_title,
  untrashed_slug,
  untrashed_status,
  image_id,
  ...SHOWN
} = getTableColumns(posts)
const isAmong = (
  column: typeof posts.id | typeof terms.id | typeof links.event_id | typeof occurrences.series_id,
) => sql`${column} in (select value from json_each(${sql.placeholder('ids')}))`

const WHOLE = { post: SHOWN, password_hash, translation_group }
const wholePosts = (db: Queries) => selectWhole(db, WHOLE).where(isAmong(posts.id))
const LINKS = `select event_id, kind, target_id from links
  where event_id in (select value from json_each(?)) order by position`
const dateRows = prepared((db) =>
  db
    .select({
      ...getTableColumns(occurrences),
      status: posts.status,
      modified_utc: posts.modified_utc,
      start_date: events.start_date,
      utc_start_date: events.utc_start_date,
      utc_end_date: events.utc_end_date,
    })
    .from(occurrences)
    .innerJoin(posts, eq(posts.id, occurrences.post_id))
    .innerJoin(events, eq(events.post_id, occurrences.post_id))
    .where(isAmong(occurrences.series_id))
    .orderBy(occurrences.recurrence_id, occurrences.post_id)
    .prepare(),
)
/** The rows of the terms with some IDs (`ids`, as JSON). */
export const termRows = prepared((db) => db.select().from(terms).where(isAmong(terms.id)).prepare())

type Row = Awaited<ReturnType<typeof wholePosts>>[number]

/** Terms in the order of their names. */
const named = (ids: number[], rows: Map<number, TermRow>) =>
  ids
    .map((id) => rows.get(id)!)
    .sort((a, b) => (a.folded_name < b.folded_name ? -1 : a.folded_name > b.folded_name ? 1 : 0))

/** Complete records with the related records that they show, as a caller may see them. All formats except the stored one are made from them. */
export function openRecords(db: Db, { currency }: Pick<Site, 'currency'>) {
  const translations = openTranslations(db)
  const whole = wholePosts(db.read).prepare()
  const { sql: query } = whole.getQuery()
  const rowOf = openMapper<Row>(whole)

  /** Posts by ID, with what decides who sees them. */
  const postsOf = (ids: number[]) =>
    new Map(
      db.rows(query, JSON.stringify(ids)).map((columns) => {
        const row = rowOf(columns)
        const { id, status, author_id } = row.post
        return [id, Object.assign(row, { status, author_id })]
      }),
    )
  const termsOf = (ids: number[]) =>
    new Map(
      termRows(db.read)
        .all({ ids: JSON.stringify(ids) })
        .map((row) => [row.id, row]),
    )
  const translationsOf = ({ post, translation_group: group }: Row, caller: Caller) => ({
    translations: group === null ? {} : translations.ofPost(post.id, group, caller),
  })

  /** A venue or an organizer. */
  function linkedRecord(row: Row, caller: Caller): VenueRecord | OrganizerRecord {
    const { post, venue, organizer } = row
    const own = venue ? ownVenue(post, venue, row) : ownOrganizer(post, organizer!, row)
    return Object.assign(own, translationsOf(row, caller))
  }

  /** The events that this view may see in full, with their links. */
  async function openLinks(rows: Row[], view: Pick<View, 'caller' | 'opens'>) {
    const open: number[] = []
    for (const { post, event, password_hash } of rows)
      if (event && (await isOpen({ ...post, password_hash }, view))) open.push(post.id)
    const own = new Map(open.map((id) => [id, [] as { kind: LinkKind; id: number }[]]))
    for (const [event, kind, id] of db.rows<[number, LinkKind, number]>(LINKS, JSON.stringify(open)))
      own.get(event)!.push({ kind, id })
    return new Map([...own].map(([id, links]) => [id, toRefs(links)]))
  }

  return {
    /** Events, venues and organizers in the order of `ids`, without deleted ones. Access was checked before. */
    async posts(ids: number[], view: Pick<View, 'caller' | 'opens'>): Promise<PostRecord[]> {
      const { caller } = view
      const rows = postsOf(ids)
      const refs = await openLinks([...rows.values()], view)
      const all = [...refs.values()]
      const linked = postsOf([...new Set(all.flatMap(({ venue, organizer }) => [...venue, ...organizer]))])
      const terms = termsOf([...new Set(all.flatMap(({ category, tag }) => [...category, ...tag]))])
      const eventRecord = (row: Row): EventRecord | SeriesRecord => {
        const { post, event, series, occurrence } = row
        const own = series
          ? ownSeries(post, { event: event!, series }, row, currency)
          : ownEvent(post, event!, row, currency, occurrence)
        const { venue, organizer, category, tag } = refs.get(post.id) ?? NO_REFS
        const closed = !refs.has(post.id)
        return Object.assign(closed ? blanked(own) : own, translationsOf(row, caller), {
          closed,
          protected: row.password_hash !== null,
          venues: shown(venue, linked, caller).map((row) => linkedRecord(row, caller) as VenueRecord),
          organizers: shown(organizer, linked, caller).map(
            (row) => linkedRecord(row, caller) as OrganizerRecord,
          ),
          categories: named(category, terms),
          tags: named(tag, terms),
        })
      }
      return ids.flatMap((id) => {
        const row = rows.get(id)
        return row ? [row.event ? eventRecord(row) : linkedRecord(row, caller)] : []
      })
    },
    /** All events that some series gave, in the order of their dates, also those that a caller may not see. */
    dates: async (series: number[]): Promise<SeriesDate[]> =>
      dateRows(db.read).execute({ ids: JSON.stringify(series) }),
    /** Terms in the order of `ids`, without deleted ones, as everybody sees them. */
    async terms(ids: number[]): Promise<TermRecord[]> {
      const rows = termsOf(ids)
      return ids.flatMap((id) => {
        const row = rows.get(id)
        if (!row) return []
        const { translation_group: group } = row
        return [{ ...row, translations: group === null ? {} : translations.ofTerm(id, group, undefined) }]
      })
    },
  }
}

/** Cached events: a few megabytes. */
const MOST = 2_000

/**
 * Whole events as visitors without credentials see them. They are cached until a write changes what they show, because the events of the
 * next days are in many pages.
 */
export function openPublished(
  { posts }: Pick<ReturnType<typeof openRecords>, 'posts'>,
  changes: Changes,
  most?: number,
) {
  const cached = new LRUCache<number, EventRecord>({ max: MOST })
  const follow = openFollowing(changes, ['event'], {
    on: ({ id }) => cached.delete(id),
    reset: () => cached.clear(),
    most,
  })

  /** Events in the order of `ids`, without deleted ones. Access was checked before. */
  return async (ids: number[]): Promise<EventRecord[]> => {
    const state = follow()
    const known = new Map(ids.map((id) => [id, cached.get(id)]))
    const missing = ids.filter((id) => known.get(id) === undefined)
    const read = (await posts(missing, { caller: undefined })) as EventRecord[]
    for (const event of read) known.set(event.id, event)
    // a write in between may have changed some of them
    if (changes.latest().seq === state) for (const event of read) cached.set(event.id, event)
    return ids.flatMap((id) => known.get(id) ?? [])
  }
}
