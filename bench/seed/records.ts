import type { events, links, organizers, posts, terms, venues } from '../../drizzle/tables.ts'
import { foldAll, searched } from '../../src/calendar/records/derived.ts'
import { timesOf } from '../../src/calendar/span.ts'
import { fold, toSlug } from '../../src/kernel/text/text.ts'
import { type Random, skewed } from './random.ts'
import { PARAGRAPH, TITLE, textOf, vocabularyOf } from './vocabulary.ts'

/** The moment at which the benchmarks take place: the events lie from three years before to seven years after it. */
export const NOW = Date.parse('2026-11-21T09:00:00Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR
const FIRST_DAY = NOW - 3 * 365 * DAY
const DAYS = 3650
const LANGUAGES = ['en', 'ca', 'es']
const ZONES = ['UTC', 'Europe/Madrid', 'America/New_York']

export type Sizes = { events: number; venues: number; organizers: number; categories: number; tags: number }

/** How much of everything belongs to so many events. */
export const sizesOf = (events: number): Sizes => ({
  events,
  venues: Math.max(20, Math.round(events / 100)),
  organizers: Math.max(10, Math.round(events / 200)),
  categories: 40,
  tags: 300,
})

type Post = Required<typeof posts.$inferInsert>
type Link = typeof links.$inferSelect
type Term = Required<typeof terms.$inferInsert>
type Venue = { post: Post; venue: Required<typeof venues.$inferInsert> }
type Organizer = { post: Post; organizer: Required<typeof organizers.$inferInsert> }
export type Event = { post: Post; event: Required<typeof events.$inferInsert>; links: Link[] }

const wall = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
const written = {
  ...{ date: wall(NOW - DAY), date_utc: wall(NOW - DAY) },
  ...{ modified: wall(NOW - DAY), modified_utc: wall(NOW - DAY) },
}

const RARE = ['cancelled', 'cancelled', 'postponed', 'moved_online'] as const
/** Of a hundred events two are cancelled, one is postponed, one moved online, and eight are attended online as well or only so. */
const statesOf = (at: number) => ({
  event_status: RARE[at % 100] ?? ('scheduled' as const),
  attendance_mode: at % 100 < 92 ? ('offline' as const) : at % 2 ? ('online' as const) : ('mixed' as const),
  virtual_url: at % 100 < 92 ? '' : `https://stream.example.org/${at}`,
  event_status_reason: at % 100 < 3 ? 'The singer is ill. Tickets stay valid.' : '',
  previous_start_date: '',
})

/** What lies in the calendar, the same for the same number of events; IDs count up from venues over organizers to events. */
export function openRecords(sizes: Sizes, random: Random) {
  const vocabulary = vocabularyOf(random)
  let id = 0

  function postOf(kind: Post['kind'], title: string, description: string, language: string): Post {
    return {
      ...{ id: ++id, kind, status: 'publish', title, slug: `${toSlug(title)}-${id}`, description },
      ...{ excerpt: '', author_id: 1, language, translation_group: null, image_id: null, parent_id: null },
      ...{ password_hash: null, untrashed_slug: null, untrashed_status: null, ...written },
      ...{ folded: fold(title), folded_title: fold(title) },
    }
  }

  return {
    terms: (): Term[] =>
      Array.from({ length: sizes.categories + sizes.tags }, (_, at) => {
        const name = `${vocabulary[at + 1]} ${at + 1}`
        const taxonomy = at < sizes.categories ? 'category' : 'tag'
        return {
          ...{ id: at + 1, taxonomy, name, folded_name: fold(name), slug: toSlug(name) },
          ...{ description: '', parent_id: 0, language: 'en', translation_group: null, count: 0 },
          hidden: false,
          modified_utc: written.modified_utc,
        }
      }),

    venue(at: number): Venue {
      const post = postOf('venue', `${textOf(random, vocabulary, 2)} hall`, '', 'en')
      const venue = {
        ...{ post_id: post.id, address: `${at} ${textOf(random, vocabulary, 1)} street` },
        ...{ city: textOf(random, vocabulary, 1), country: 'Spain', province: '', state: '' },
        ...{ zip: String(10_000 + at), phone: '', stateprovince: '', website: '' },
        ...{ show_map: true, show_map_link: true, geo_lat: 36 + random() * 7, geo_lng: -9 + random() * 12 },
      }
      return { post: { ...post, ...foldAll(post.title, searched.venue(post, venue)) }, venue }
    },

    organizer(at: number): Organizer {
      const post = postOf('organizer', `${textOf(random, vocabulary, 2)} club`, '', 'en')
      const organizer = { post_id: post.id, phone: '', website: `https://example.org/${at}`, email: '' }
      return { post: { ...post, ...foldAll(post.title, searched.organizer(post, organizer)) }, organizer }
    },

    event(at: number): Event {
      const language = LANGUAGES[skewed(random, 3)]!
      const paragraph = () => `<p>${textOf(random, vocabulary, PARAGRAPH)}.</p>\n`
      const description = paragraph() + paragraph()
      const post = postOf('event', textOf(random, vocabulary, TITLE), description, language)
      const start = FIRST_DAY + Math.floor(random() * DAYS) * DAY + (8 + Math.floor(random() * 14)) * HOUR
      const days = random() < 0.85 ? 0 : Math.floor(random() ** 4 * 120)
      const span = spanOf(start, start + days * DAY + 2 * HOUR, ZONES[at % 20 < 18 ? 0 : (at % 20) - 17]!)
      const event = {
        ...{ post_id: post.id, ...span, all_day: false, cost: at % 3 ? ['10', '20'] : [], website: '' },
        ...{ show_map: true, show_map_link: true, hide_from_listings: false, sticky: false },
        ...{ featured: random() < 0.02, ticketed: random() < 0.1 },
        ...statesOf(at),
      }
      return {
        post: { ...post, ...foldAll(post.title, searched.event(post)) },
        event,
        links: linksOf(random, sizes, post.id),
      }
    },
  }
}

const spanOf = (start: number, end: number, timezone: string) => ({
  ...timesOf({ start_date: wall(start), end_date: wall(end), timezone }),
  timezone,
})

/** An event has a venue, an organizer, and up to two categories and tags each. */
function linksOf(random: Random, sizes: Sizes, event_id: number): Link[] {
  const venue = 1 + skewed(random, sizes.venues)
  const category = [1, 2].map(() => 1 + skewed(random, sizes.categories))
  const tag = [1, 2].map(() => sizes.categories + 1 + skewed(random, sizes.tags))
  const organizer = sizes.venues + 1 + skewed(random, sizes.organizers)
  return Object.entries({ category, tag, venue: [venue], organizer: [organizer] }).flatMap(
    ([kind, targets]) =>
      [...new Set(targets)].map((target_id, position) => ({
        event_id,
        kind: kind as Link['kind'],
        target_id,
        position,
      })),
  )
}
