import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { addDays, startOfDay, toEpoch, toWall } from '../src/kernel/time/dates.ts'
import { drawPoster, POSTERS, type Poster } from './posters.ts'

type Language = 'ca' | 'en' | 'es'

/** A day, counted from the day on which the demo starts; a weekday of some week, 0 being the current one. */
type Day = number | { week: number; weekday: keyof typeof WEEKDAYS } | 'before clock change'
const WEEKDAYS = { mon: 0, tue: 1, wed: 2, thu: 3, fri: 4, sat: 5, sun: 6 }

/**
 * When an event happens: whole days, or from one time to another, `nights` later. `hours` are counted from the
 * present hour, for what has to be running whenever the demo is started.
 */
type When =
  | { day: Day; nights?: number }
  | { day: Day; from: string; to: string; nights?: number }
  | { hours: readonly [from: number, to: number] }

type Text = { title: string; description: string; excerpt?: string }
type Names = Record<Language, string>
/** A venue or organizer; a venue has the zone of its events. `fields` are sent as they are. */
type Linked = {
  language: Language
  zone?: string
  image?: Poster
  fields: Record<string, unknown>
}
type Category = { names: Names; parent?: string; description?: string }

/** Venues, organizers, categories and tags are named by their keys. */
type DemoEvent = {
  /** Several times make several events. */
  when: When | When[]
  venue?: string | string[]
  organizers: string[]
  categories: string[]
  tags?: string[]
  image?: Poster
  /** The venue's zone where it is absent. */
  timezone?: string
  /** The title, in its first language, of the event that this one belongs to. */
  parent?: string
  /** Sent as it is: cost, featured, status, password, ... */
  fields?: Record<string, unknown>
  /** The first language is the original, the others are its translations. */
  texts: { [L in Language]?: Text }
}

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8'))

/** What events are linked to, by key; of categories, parents stand before their children. People and places are made up. */
export const DATA = {
  venues: read<Record<string, Linked>>('venues'),
  organizers: read<Record<string, Linked>>('organizers'),
  categories: read<Record<string, Category>>('categories'),
  tags: read<Record<string, Names>>('tags'),
}
export const EVENTS: readonly DemoEvent[] = ['music', 'arts', 'town'].flatMap((name) =>
  read<DemoEvent[]>(name),
)

type Answer = { statusCode: number; payload: string; headers: Record<string, unknown> }
/** What is needed of the application. */
type Served = {
  inject(options: { method: 'POST'; url: string; headers: Headers; payload: object }): Promise<Answer>
}
type Headers = Record<string, string>

type LoadOptions = {
  /** Path of the API. */
  root: string
  /** The Authorization header of a user who may do everything. */
  authorization: string
  /** Unix milliseconds that days are counted from, and the zone they are counted in. */
  now: number
  zone: string
  /** Told after every record: how many there are, and of how many. */
  progress?: (done: number, total: number) => void
  /** Waits so many milliseconds. */
  pause?: (milliseconds: number) => Promise<unknown>
  /** Gives the file of a poster. */
  draw?: (name: Poster) => Promise<Buffer>
}

type Plural = 'media' | 'venues' | 'organizers' | 'categories' | 'tags' | 'events'
type Post = (plural: Plural, payload: object, headers?: Headers) => Promise<number>
type Ids = Record<string, number>
/** What the events name, by key; terms by key and language. */
type Known = { posters: Ids; venues: Ids; organizers: Ids; categories: Terms; tags: Terms }
type Terms = Record<string, Ids>

const HOUR = 3_600_000
/** How often what is refused for the moment, by a 503, is tried again. */
const RETRIES = 10
const LANGUAGES: Language[] = ['en', 'ca', 'es']
const list = <T>(value: T | T[] | undefined): T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]
const languagesOf = (event: DemoEvent) => Object.keys(event.texts) as [Language, ...Language[]]

/** Fills an empty service with the demo's records over its own routes; gives how many. Throws at the first that is refused. */
export async function loadDemo(app: Served, options: LoadOptions): Promise<Record<Plural, number>> {
  const counts = { media: 0, venues: 0, organizers: 0, categories: 0, tags: 0, events: 0 }
  const total = countAll()
  let done = 0
  const post: Post = async (plural, payload, headers = {}) => {
    const answer = await insist(options, () =>
      app.inject({
        method: 'POST',
        url: `${options.root}/${plural}`,
        headers: { authorization: options.authorization, ...headers },
        payload,
      }),
    )
    const ignored = answer.headers['x-ignored-fields']
    if (answer.statusCode !== 201 || ignored !== undefined)
      throw new Error(
        `POST /${plural} was answered ${answer.statusCode}, ignored fields: ${ignored}; ${answer.payload.slice(0, 500)}`,
      )
    counts[plural]++
    options.progress?.(++done, total)
    return JSON.parse(answer.payload).id
  }

  const posters = await loadPosters(post, options)
  const known = {
    posters,
    venues: await loadLinked(post, 'venues', posters),
    organizers: await loadLinked(post, 'organizers', posters),
    ...(await loadTerms(post)),
  }
  await loadEvents(post, known, options)
  return counts
}

/** Sends again what is refused for the moment, once the time that the service names is over. */
async function insist({ pause = wait }: LoadOptions, send: () => Promise<Answer>): Promise<Answer> {
  let answer = await send()
  for (let left = RETRIES; answer.statusCode === 503 && left > 0; left--) {
    await pause(Number(answer.headers['retry-after'] ?? 1) * 1_000)
    answer = await send()
  }
  return answer
}

function countAll(): number {
  const { venues, organizers, categories, tags } = DATA
  const size = (object: object) => Object.keys(object).length
  const terms = LANGUAGES.length * (size(categories) + size(tags))
  const events = EVENTS.reduce((sum, event) => sum + list(event.when).length * size(event.texts), 0)
  return POSTERS.length + size(venues) + size(organizers) + terms + events
}

async function loadPosters(post: Post, { draw = drawPoster }: LoadOptions): Promise<Ids> {
  const ids: Ids = {}
  for (const name of POSTERS)
    ids[name] = await post('media', await draw(name), {
      'content-type': 'image/jpeg',
      'content-disposition': `attachment; filename="${name}.jpg"`,
    })
  return ids
}

const pictured = (posters: Ids, image: Poster | undefined) =>
  image === undefined ? {} : { image: String(posters[image]) }

async function loadLinked(post: Post, plural: 'venues' | 'organizers', posters: Ids): Promise<Ids> {
  const ids: Ids = {}
  for (const [key, { language, image, fields }] of Object.entries(DATA[plural]))
    ids[key] = await post(plural, { ...fields, ...pictured(posters, image), i18n_language: language })
  return ids
}

/** Creates what `bodyOf` gives for each language: the first, and the others as its translations. */
async function translate(
  post: Post,
  plural: Plural,
  [first, ...others]: [Language, ...Language[]],
  bodyOf: (language: Language) => object,
): Promise<Ids> {
  const original = await post(plural, { ...bodyOf(first), i18n_language: first })
  const ids: Ids = { [first]: original }
  for (const language of others)
    ids[language] = await post(plural, {
      ...bodyOf(language),
      i18n_language: language,
      translation_of: original,
    })
  return ids
}

async function loadTerms(post: Post): Promise<{ categories: Terms; tags: Terms }> {
  const categories: Terms = {}
  const tags: Terms = {}
  for (const [key, { names, parent, description }] of Object.entries(DATA.categories))
    categories[key] = await translate(post, 'categories', ['en', 'ca', 'es'], (language) => ({
      name: names[language],
      description,
      parent: parent === undefined ? 0 : categories[parent]![language],
    }))
  for (const [key, names] of Object.entries(DATA.tags))
    tags[key] = await translate(post, 'tags', ['en', 'ca', 'es'], (language) => ({ name: names[language] }))
  return { categories, tags }
}

async function loadEvents(post: Post, known: Known, { now, zone }: LoadOptions) {
  const originals: Ids = {}
  for (const event of EVENTS) {
    const [place] = list(event.venue)
    const [first] = languagesOf(event)
    for (const when of list(event.when)) {
      const ids = await translate(post, 'events', languagesOf(event), (language) => ({
        ...event.texts[language],
        ...datesOf(when, now, zone),
        timezone: event.timezone ?? (place === undefined ? zone : DATA.venues[place]!.zone),
        venue: list(event.venue).map((key) => known.venues[key]),
        organizer: event.organizers.map((key) => known.organizers[key]),
        categories: event.categories.map((key) => known.categories[key]![language]),
        tags: list(event.tags).map((key) => known.tags[key]![language]),
        post_parent: event.parent === undefined ? 0 : originals[event.parent],
        ...pictured(known.posters, event.image),
        ...event.fields,
      }))
      originals[event.texts[first]!.title] = ids[first]!
    }
  }
}

/** The dates of an event as its body says them: wall clocks of its own zone, or instants. */
function datesOf(when: When, now: number, zone: string) {
  if ('hours' in when) {
    const [start_date, end_date] = when.hours.map((hours) =>
      new Date((Math.floor(now / HOUR) + hours) * HOUR).toISOString(),
    )
    return { start_date, end_date }
  }
  const start = dayOf(when.day, now, zone)
  const end = addDays(start, when.nights ?? 0)
  return 'from' in when
    ? { start_date: `${start.slice(0, 10)} ${when.from}`, end_date: `${end.slice(0, 10)} ${when.to}` }
    : { start_date: start, end_date: end, all_day: true }
}

/** Midnight of a day, as a wall clock. */
function dayOf(day: Day, now: number, zone: string): string {
  const today = startOfDay(toWall(now, zone))
  if (typeof day === 'number') return addDays(today, day)
  if (day === 'before clock change') return addDays(clockChange(today), -1)
  const monday = addDays(today, -((new Date(today.slice(0, 10)).getUTCDay() + 6) % 7))
  return addDays(monday, day.week * 7 + WEEKDAYS[day.weekday])
}

/** The next day after `today` that is not 24 hours long in Spain; a year later where there is none. */
function clockChange(today: string): string {
  const midnight = (day: string) => toEpoch(day, 'Europe/Madrid')
  const lasts = (day: string) => midnight(addDays(day, 1)) - midnight(day)
  let day = addDays(today, 1)
  while (lasts(day) === 24 * HOUR && day < addDays(today, 366)) day = addDays(day, 1)
  return day
}
