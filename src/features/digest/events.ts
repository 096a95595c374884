import { and, desc, eq, gt, lte, ne } from 'drizzle-orm'
import { type DigestFilters, posts, venues } from '../../../drizzle/tables.ts'
import type { EventQuery } from '../../../schemas/event-query.ts'
import type { EventRecord } from '../../calendar/formats/records.ts'
import type { Service } from '../../calendar/resource/service.ts'
import type { DateLimit } from '../../calendar/store.ts'
import { fold } from '../../kernel/text/text.ts'
import { addDays, secondsOf, startOfDay, toUtc, toWall } from '../../kernel/time/dates.ts'
import type { Repeats } from '../pages/dates.ts'
import { openRepeats } from '../pages/page.ts'
import type { Digest } from './store.ts'

/** When weekly mails are written, in the zone of the site: the day of the week, Sunday is 0, and the hour. */
const [WEEKDAY, HOUR] = [4, '08:00:00']
/** Events of each part of a mail, those that are found for it, and published ones that are looked at. */
const SHOWN = 20
const LISTED = 100
const LOOKED_AT = 1_000
/** The latest publications, of which one is the newest: they are stored by local time. */
const LATEST = 20

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

  /** The towns of published venues, with the IDs of these. */
  const places = () =>
    read
      .select({ id: posts.id, city: venues.city })
      .from(venues)
      .innerJoin(posts, eq(posts.id, venues.post_id))
      .where(and(eq(posts.status, 'publish'), ne(venues.city, '')))

  async function queryOf({ categories, town, q }: DigestFilters): Promise<Partial<EventQuery>> {
    const isThere = (await places()).filter(({ city }) => town !== undefined && fold(city) === fold(town))
    return {
      expand: false,
      event_status: ['scheduled', 'moved_online'],
      ...(categories && { categories: categories as never }),
      ...(town !== undefined && { venue: isThere.map(({ id }) => id) }),
      ...(q !== undefined && { q }),
    } as Partial<EventQuery>
  }
  async function list(digest: Digest, query: Partial<EventQuery>, dates: DateLimit[]) {
    const order = { by: 'start', descending: false } as const
    const how = { dates, order, language: digest.language }
    const { selection } = await store.lists.select(query as never, how, undefined)
    const shown = { ...selection, flags: { ...selection.flags, hidden: false } }
    return store.lists.list(shown, { page: 1, per_page: LISTED })
  }
  type Listed = Awaited<ReturnType<typeof list>>
  async function partOf({ ids, total, occurrences }: Listed, leave: ReadonlySet<number>): Promise<Part> {
    const left = ids.filter((id) => !leave.has(id))
    const events = await store.published(left.slice(0, SHOWN))
    const more = total - (ids.length - left.length) - events.length
    return { events, more, repeats: await repeatsOf(events, occurrences) }
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
      const query = await queryOf(digest.filters)
      const now = toWall(site.clock(), 'UTC')
      const inWeek = [utc('start', '>=', now), utc('start', '<', addDays(now, 7))]
      const none: Listed = { ids: [], total: 0 }
      const week = digest.every === 'week' ? await list(digest, query, inWeek) : none
      const rows = await read
        .select({ id: posts.id })
        .from(posts)
        .where(and(isShown, gt(posts.date_utc, digest.told_utc), lte(posts.date_utc, until)))
        .orderBy(desc(posts.date))
        .limit(LOOKED_AT)
      const include = rows.map(({ id }) => id)
      const published =
        include.length > 0 ? await list(digest, { ...query, include }, [utc('end', '>', now)]) : none
      return {
        week: await partOf(week, new Set()),
        published: await partOf(published, new Set(week.ids)),
      }
    },
  }
}
export type Newsroom = ReturnType<typeof openNews>
