import { type Dice, openDice } from '../../bench/seed/random.ts'
import { EVENT_STATES, STATE_NAMES } from '../../schemas/event-states.ts'
import type { Role } from '../../src/kernel/access/rights.ts'
import { toWall } from '../../src/kernel/time/dates.ts'
import { send, type World } from './model.ts'
import type { Wanted } from './model-lists.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const LANGUAGES = ['en', 'ca', 'es'] as const
const STATUSES = ['publish', 'publish', 'publish', 'draft', 'pending', 'private', 'trash'] as const
const TOPICS = ['opera', 'jazz opera', '音楽', 'jo']
const SEARCHES = ['opera', 'op', 'o', 'jazz', 'zz', '音', '音楽', '1', 'events', '-opera', '-jo', '-1']
/** What people type, without a word that could be another one with an error of typing. */
const TYPED = ['jazz', 'jaz', 'jo', 'vic', 'reus', 'vic jo', 'opera', 'opera -jo', '"jazz opera"', 'tags 1', 'venues', 'venues 2', '-inside', 'inside 1', 'categories', 'organizers jo', '音', '音楽 vic', '12', '-12'] // biome-ignore format: one list
const POSTS = ['events', 'venues', 'organizers'] as const
const TERMS = ['categories', 'tags'] as const
const ALL = [...POSTS, ...TERMS] as const
type Plural = (typeof ALL)[number]
const NAMES = { events: 'title', venues: 'venue', organizers: 'organizer', categories: 'name', tags: 'name' }
const WRITERS: Role[] = ['administrator', 'administrator', 'editor', 'editor', 'author', 'contributor']
/** Who reads: nobody with credentials, or somebody. */
export const READERS = [
  undefined,
  undefined,
  undefined,
  'subscriber',
  'contributor',
  'author',
  'editor',
] as const
const PER_PAGE = [1, 3, 10, 50] as const

/** A run: its world, and what it has made. */
export type Model = {
  world: World
  random: Dice
  known: Record<Plural | 'series', number[]>
  named: number
}

const dayFrom = ({ world, random }: Model, least: number, most: number) =>
  toWall(world.clock.now + (least + random.below(most - least + 1)) * DAY, 'UTC').slice(0, 10)

/** A time of the last hours, as an instant. */
const instant = ({ world, random }: Model) =>
  `${toWall(world.clock.now - random.below(4 * HOUR), 'UTC').replace(' ', 'T')}Z`

/** The fields of a record, some or most of them. */
function fieldsOf(model: Model, plural: Plural, part: number): Record<string, unknown> {
  const { random, known, world } = model
  const fields: Record<string, unknown> = {}
  const maybe = (name: string, value: () => unknown, chance = part) => {
    if (random.chance(chance)) fields[name] = value()
  }
  maybe(NAMES[plural], () => `${plural} ${random.below(40)}${random.chance(0.1) ? ' é€' : ''}`)
  maybe('i18n_language', () => random.of(LANGUAGES))
  maybe('description', () => `${random.of(TOPICS)} ${model.named++}`)
  if (known[plural].length > 0) maybe('translation_of', () => random.of(known[plural]), part / 8)
  if (plural === 'categories') maybe('parent', () => random.of([0, ...known.categories]))
  if (plural === 'categories' || plural === 'tags') return fields
  maybe('status', () => random.of(STATUSES), part / 2)
  if (random.chance(part / 8)) fields.date_utc = toWall(world.clock.now + random.below(2 * DAY), 'UTC')
  if (plural === 'venues') maybe('city', () => random.of(['Vic', 'Reus', '']))
  if (plural !== 'events') return fields
  if (random.chance(part)) {
    const start = Date.parse(dayFrom(model, -4, 40)) + random.below(24) * HOUR
    fields.start_date = toWall(start, 'UTC')
    fields.end_date = toWall(start + random.of([0, 2, 5, 30, 200]) * HOUR, 'UTC')
  }
  maybe('timezone', () => random.of(['UTC', 'Europe/Madrid', 'Asia/Tokyo', 'America/New_York']), part / 4)
  for (const flag of ['featured', 'hide_from_listings', 'all_day', 'sticky'])
    maybe(flag, () => random.chance(0.4), part / 3)
  for (const state of STATE_NAMES) maybe(state, () => random.of(EVENT_STATES[state]), part / 3)
  maybe('virtual_url', () => random.of(['', 'https://stream.test/a', null]), part / 4)
  maybe('categories', () => random.some(known.categories, 3))
  maybe('tags', () => random.some(known.tags, 3))
  for (const [link, of] of [['venue', 'venues'], ['organizer', 'organizers']] as const) // biome-ignore format: pairs
    maybe(link, () =>
      random.chance(0.1) ? { [link]: `inside ${random.below(20)}` } : random.some(known[of], 3),
    )
  maybe('password', () => (random.chance(0.5) ? 'sesame' : null), part / 10)
  if (known.events.length > 0) maybe('post_parent', () => random.of([0, ...known.events]), part / 8)
  return fields
}

/** A series of a few dates, which is an event with the others after it. */
const REPEATED = { recurrence: { rrule: 'FREQ=DAILY;INTERVAL=2;COUNT=3' }, all_day: false }
/** Which dates of a series a write is to, of which a single event has none, and whether it is to all translations. */
const rangeOf = ({ random }: Model, plural: Plural) =>
  (plural === 'events' && random.chance(0.1) ? `&apply_to=${random.of(['following', 'all'])}` : '') +
  (random.chance(0.2) ? '&translations=all' : '')

/** One write of any kind through one of the applications; gives whether it was taken. */
export async function write(model: Model): Promise<boolean> {
  const { world, random, known } = model
  const app = random.of(world.cached)
  const who = world.known[random.of(WRITERS)].authorization
  if (random.chance(0.01)) return removeUser(model)
  const plural = random.of([...ALL, 'events', 'events', 'events', 'events'] as const)
  const { length } = known[plural]
  if (length < 4 || random.chance(length < 60 ? 0.35 : 0.1)) {
    const required = { [NAMES[plural]]: `${plural} ${model.named++}` }
    const day = dayFrom(model, -3, 30)
    const dates = plural === 'events' ? { start_date: `${day} 10:00:00`, end_date: `${day} 12:00:00` } : {}
    const repeats = plural === 'events' && random.chance(0.1)
    const body = { ...required, ...dates, ...fieldsOf(model, plural, 0.5), ...(repeats && REPEATED) }
    const answer = await send(app, 'POST', `/${plural}`, who, body)
    if (answer.status === 201) known[plural].push(answer.body.id as number)
    if (answer.body.series) known.series.push(answer.body.series as number)
    return answer.status === 201
  }
  const id = random.of(known[plural])
  if (random.chance(0.2)) {
    const force = random.chance(0.4)
    const path = `/${plural}/${id}?force=${force}${rangeOf(model, plural)}`
    const answer = await send(app, 'DELETE', path, who)
    if (force && answer.status === 200) known[plural] = known[plural].filter((other) => other !== id)
    return answer.status === 200
  }
  const path = `/${plural}/${id}?${rangeOf(model, plural)}`
  const answer = await send(app, 'PATCH', path, who, fieldsOf(model, plural, 0.25))
  return answer.status === 200
}

/** A user comes, writes, and goes; somebody else takes over. */
async function removeUser({ world, random, known, named }: Model): Promise<boolean> {
  const user = await world.addUser(`guest${named}-${random.below(1e9)}`, 'author')
  const body = { title: 'Guest', start_date: '+2 days', end_date: '+2 days' }
  for (const status of ['publish', 'draft']) {
    const { body: event } = await send(random.of(world.cached), 'POST', '/events', user.authorization, {
      ...body,
      status,
    })
    known.events.push(event.id as number)
  }
  const path = `/users/${user.id}?reassign=${world.known.author.id}`
  const { administrator } = world.known
  return (await send(random.of(world.cached), 'DELETE', path, administrator.authorization)).status === 200
}

/** A read as an address; of a list that everyone's filters make, also what the tables say it shows. */
export function readOf(model: Model): { path: string; wanted?: Wanted } {
  const { random, known } = model
  const plural = random.of([...ALL, 'events', 'events', 'events', 'events', 'events'] as const)
  if (known[plural].length > 0 && random.chance(0.3))
    return { path: `/${plural}/${random.of(known[plural])}` }
  if (known.series.length > 0 && random.chance(0.05))
    return { path: random.of(['/series', `/series/${random.of(known.series)}`]) }
  const page = random.chance(0.7) ? 1 : 1 + random.below(8)
  const per_page = random.of(PER_PAGE)
  const query = new URLSearchParams({ page: String(page), per_page: String(per_page) })
  if (plural !== 'events' && random.chance(0.3)) query.set('modified_after', instant(model))
  if (plural === 'categories' || plural === 'tags') {
    if (random.chance(0.5)) query.set('hide_empty', 'false')
    return { path: `/${plural}?${query}` }
  }
  if (plural !== 'events') {
    if (random.chance(0.2)) query.set('has_events', String(random.chance(0.5)))
    if (random.chance(0.2)) query.set('only_with_upcoming', 'true')
    return { path: `/${plural}?${query}` }
  }
  const wanted: Wanted = { page, per_page }
  if (random.chance(0.4)) wanted.start_date = dayFrom(model, -5, 20)
  if (random.chance(0.3)) wanted.end_date = dayFrom(model, 0, 40)
  if (random.chance(0.3)) wanted.when = random.of(['upcoming', 'ongoing', 'past', 'all'] as const)
  if (random.chance(0.4)) wanted.orderby = random.of(['start', 'end', 'modified', 'title'] as const)
  if (random.chance(0.3)) wanted.order = random.of(['asc', 'desc'] as const)
  if (random.chance(0.2)) wanted.language = random.of(LANGUAGES)
  if (random.chance(0.2)) wanted.featured = random.chance(0.7)
  if (random.chance(0.2)) wanted.event_status = random.subset(EVENT_STATES.event_status)
  if (random.chance(0.2)) wanted.attendance_mode = random.subset(EVENT_STATES.attendance_mode)
  if (random.chance(0.2)) wanted.modified_after = instant(model)
  if (random.chance(0.1)) wanted.modified_before = instant(model)
  if (random.chance(0.2)) wanted.search = random.of(SEARCHES)
  else if (random.chance(0.25)) wanted.q = random.of(TYPED)
  for (const [
    name,
    of,
  ] of [['categories', 'categories'], ['tags', 'tags'], ['venue', 'venues'], ['organizer', 'organizers']] as const) // biome-ignore format: pairs
    if (known[of].length > 0 && random.chance(0.2))
      wanted[name] = [random.of(known[of]), random.of(known[of])]
  for (const [name, value] of Object.entries(wanted))
    query.set(name === 'language' ? 'i18n_language' : name, String(value))
  if (!random.chance(0.1)) return { path: `/events?${query}`, wanted }
  query.set(...random.of([['search', 'opera -jo'], ['geoloc', 'true'], ['starts_after', 'now'], ['geoloc', 'false'], ['ends_after', 'today']] as [string, string][])) // biome-ignore format: pairs
  return { path: `/events?${query}` }
}

/** A run that begins. */
export const openModel = (world: World, seed: number): Model => ({
  ...{ world, random: openDice(seed), named: 0 },
  known: { events: [], series: [], venues: [], organizers: [], categories: [], tags: [] },
})

/** Lets time pass, or go back a little. */
export function moveClock({ world: { clock }, random }: Model) {
  if (random.chance(0.8)) clock.now += random.below(20_000)
  else if (random.chance(0.7)) clock.now += random.below(3 * HOUR)
  else if (random.chance(0.6)) clock.now += random.below(DAY)
  else clock.now -= random.below(HOUR)
}
