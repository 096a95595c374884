import { and, asc, desc, eq, gt, lte, ne } from 'drizzle-orm'
import { type DigestFilters, events, occurrences, posts, venues } from '../../../drizzle/tables.ts'
import type { EventQuery } from '../../../schemas/event-query.ts'
import type { EventRecord } from '../../calendar/formats/records.ts'
import type { IdPage } from '../../calendar/lists/selection.ts'
import type { Service } from '../../calendar/resource/service.ts'
import type { DateLimit } from '../../calendar/store.ts'
import { fold } from '../../kernel/text/text.ts'
import { addDays, secondsOf, startOfDay, toEpoch, toUtc, toWall } from '../../kernel/time/dates.ts'
import type { Repeats } from '../pages/dates.ts'
import { openRepeats } from '../pages/page.ts'
import type { Digest } from './store.ts'

/** When weekly mails are written, in the zone of the site: the day of the week, Sunday is 0, and the hour. */
const [WEEKDAY, HOUR] = [4, '08:00:00']
/** Events of each part of a mail, those that are found for it, and published ones that are looked at. */
const SHOWN = 20
const LISTED = 100
const LOOKED_AT = 2_000
/** The latest publications, of which one is the newest: they are stored by local time. */
const LATEST = 20
const DAY = 86_400_000

/** The last time by `until`, both in UTC, at which weekly mails are written. */
export function weekOf(until: string, zone: string): string {
  const today = startOfDay(toWall(Date.parse(`${until.replace(' ', 'T')}Z`), zone))
  const weekday = new Date(`${today.slice(0, 10)}T00:00:00Z`).getUTCDay()
  const at = (days: number) => toUtc(`${addDays(today, days).slice(0, 10)} ${HOUR}`, zone)
  const back = -((weekday - WEEKDAY + 7) % 7)
  const last = at(back)
  return last <= until ? last : at(back - 7)
}

/** Events of a mail: those that it shows, and how many more there are. */
export type Part = { events: EventRecord[]; more: number; repeats: Repeats }
/** What there is to tell: what begins within a week, for weekly mails, and what was published. */
export type News = { week: Part; published: Part }

/** What is new for whom: read as visitors without credentials see it. */
export function openNews(service: Service) {
  const { store, site } = service
  const { read } = store.db
  const repeatsOf = openRepeats(service)
  const isShown = and(eq(posts.kind, 'event'), eq(posts.status, 'publish'))

  /** The towns of published venues. */
  const places = () =>
    read
      .select({ city: venues.city })
      .from(venues)
      .innerJoin(posts, eq(posts.id, venues.post_id))
      .where(and(eq(posts.status, 'publish'), ne(venues.city, '')))

  const queryOf = ({ categories, ...filters }: DigestFilters): Partial<EventQuery> => ({
    event_status: ['scheduled', 'moved_online'],
    ...(categories && { categories: categories as never }),
    ...filters,
  })
  /** What a digest wants within some limits; without `expand` one date of each series. */
  async function select(digest: Digest, dates: DateLimit[], expand: boolean) {
    const query = { ...queryOf(digest.filters), expand }
    const how = { dates, order: { by: 'start', descending: false }, language: digest.language } as const
    const { selection } = await store.lists.select(query as never, how, undefined)
    return { ...selection, flags: { ...selection.flags, hidden: false } }
  }
  async function partOf({ ids, total, occurrences }: IdPage): Promise<Part> {
    const shown = await store.published(ids.slice(0, SHOWN))
    return {
      events: shown,
      more: total - shown.length,
      repeats: await repeatsOf(shown, occurrences),
    }
  }
  /** What was published within a time and is not over, as it begins, with the series that it is a date of. */
  const publishedIn = (since: string, until: string) =>
    read
      .select({ id: posts.id, series: occurrences.series_id })
      .from(posts)
      .innerJoin(events, eq(events.post_id, posts.id))
      .leftJoin(occurrences, eq(occurrences.post_id, posts.id))
      .where(
        and(
          isShown,
          // there is an index of local times
          gt(posts.date, toWall(toEpoch(since, 'UTC') - DAY, site.zone)),
          gt(posts.date_utc, since),
          lte(posts.date_utc, until),
          gt(events.utc_end_date, toWall(site.clock(), 'UTC')),
        ),
      )
      .orderBy(asc(events.utc_start_date), asc(posts.id))
      .limit(LOOKED_AT)

  /** What is new for a digest, one date of each series, without those that the week has. */
  async function published(digest: Digest, until: string, week: readonly number[]): Promise<IdPage> {
    const rows = await publishedIn(digest.told_utc, until)
    const all = rows.map(({ id }) => id)
    const wanted = new Set(await store.lists.stillMatching(await select(digest, [], true), all))
    const counts = new Map<number, number>()
    const firsts = new Map<number, number>()
    for (const { id, series } of rows.filter(({ id }) => wanted.has(id))) {
      const first = firsts.get(series ?? id) ?? id
      firsts.set(series ?? id, first)
      counts.set(first, (counts.get(first) ?? 0) + 1)
    }
    for (const { id, series } of rows) if (week.includes(id)) firsts.delete(series ?? id)
    const ids = [...firsts.values()]
    return { ids, total: ids.length, occurrences: counts }
  }
  const utc = (side: DateLimit['side'], than: DateLimit['than'], wall: string): DateLimit => ({
    ...{ side, than, value: secondsOf(wall), utc: true },
  })

  return {
    /** The towns that one may choose from, those with most venues if there are many, by their names. */
    async towns(most: number): Promise<string[]> {
      const counts = new Map<string, { city: string; count: number }>()
      for (const { city } of await places()) {
        const known = counts.get(fold(city)) ?? { city, count: 0 }
        counts.set(fold(city), { ...known, count: known.count + 1 })
      }
      const used = [...counts.values()].sort((a, b) => b.count - a.count).slice(0, most)
      return used.map(({ city }) => city).sort((a, b) => a.localeCompare(b))
    },
    /** When the newest event was published that was by `until`, in UTC; empty if there is none. */
    async newest(until: string): Promise<string> {
      const rows = await read
        .select({ at: posts.date_utc })
        .from(posts)
        .where(and(isShown, lte(posts.date_utc, until)))
        .orderBy(desc(posts.date))
        .limit(LATEST)
      return rows.reduce((newest, { at }) => (at > newest ? at : newest), '')
    },
    /** What there is to tell of what was published since a digest was told, until then. */
    async of(digest: Digest, until: string): Promise<News> {
      const now = toWall(site.clock(), 'UTC')
      const inWeek = [utc('start', '>=', now), utc('start', '<', addDays(now, 7))]
      const week: IdPage =
        digest.every === 'week'
          ? await store.lists.list(await select(digest, inWeek, false), { page: 1, per_page: LISTED })
          : { ids: [], total: 0 }
      return { week: await partOf(week), published: await partOf(await published(digest, until, week.ids)) }
    },
  }
}
