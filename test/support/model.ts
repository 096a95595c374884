import { request } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { InjectOptions } from 'fastify'
import { type Dice, openDice } from '../../bench/seed/random.ts'
import { users } from '../../drizzle/tables.ts'
import { EVENT_STATES, STATE_NAMES } from '../../schemas/event-states.ts'
import { type App, buildApp } from '../../src/app.ts'
import { openEventLists } from '../../src/calendar/lists/event-lists.ts'
import type { Store } from '../../src/calendar/store.ts'
import { openDocuments } from '../../src/calendar/views/documents.ts'
import { readConfig } from '../../src/config.ts'
import { ROLES, type Role } from '../../src/kernel/access/rights.ts'
import { openChanges } from '../../src/kernel/database/changes.ts'
import { openScheduler } from '../../src/kernel/tasks/scheduler.ts'
import { toWall } from '../../src/kernel/time/dates.ts'
import { replyTo } from './connection.ts'
import { findDamage, findDifferences } from './damage.ts'
import { NOW, ROOT } from './given.ts'
import { expected, type Wanted } from './model-lists.ts'
import { openClock, serveFile } from './process.ts'

/**
 * Makes an application compute every answer from the tables: each look at a cache meets an empty one, or one that is empty in every
 * state that `state` tells apart.
 */
export function withoutCaches(app: App, state: () => unknown = Symbol) {
  const { store } = app
  const fresh = <T>(open: (changes: ReturnType<typeof openChanges>) => T) => {
    let of: unknown
    let opened: T | undefined
    return {
      get() {
        const now = state()
        if (opened === undefined || now !== of) opened = open(openChanges(store.db))
        of = now
        return opened
      },
    }
  }
  Object.defineProperties(store, {
    documents: fresh((changes) => openDocuments(store.db, changes, store.site)),
    lists: fresh((changes) => openEventLists(store.db, changes, openScheduler())),
    changes: { value: { latest: () => ({ seq: Number.NaN, at_utc: undefined }), after: () => [] } },
  })
  return app
}

export type Reply = { status: number; body: Record<string, unknown>; text: string; etag: unknown }
/** What answers, what every answer has to be, who asks, and the time. */
export type World = {
  clock: { now: number }
  /** Applications or processes whose answers are looked at. */
  cached: readonly Target[]
  /** An application without caches. */
  reference: App
  /** A user of every role. */
  known: Known
  addUser(login: string, role: Role): Promise<User>
  /** Brings what was written to the reference. */
  follow(): Promise<void>
  close(): Promise<unknown>
}
type User = { id: number; authorization: string }
type Known = Record<Role, User>

/** Settings of every application and process. */
export const ENV = {
  DURABILITY: 'normal',
  BASE_URL: 'http://calendar.test',
  TIMEZONE: 'Europe/Madrid',
  MAX_DELAY: '0',
  COMPAT_LANGUAGES: 'all',
}
const PRELOAD = { NODE_OPTIONS: `--import ${new URL('clock-preload.js', import.meta.url)}` }

/** What answers requests: an application, or processes. */
export type Target = {
  inject(
    options: InjectOptions,
  ): Promise<{ statusCode: number; headers: { etag?: unknown }; payload: string }>
  close(): Promise<unknown>
}

/** Processes that share the clock of a file, each of whose answers comes over a connection of its own. */
export async function serveTarget(file: string, env: Record<string, string>): Promise<Target> {
  const { port, child, ended } = await serveFile(file, { ...ENV, ...PRELOAD, ...env })
  return {
    async inject({ method = 'GET', url, headers, payload }) {
      const more = payload ? { 'content-type': 'application/json', ...headers } : { ...headers }
      const sent = request({ port, agent: false, method, path: url as string, headers: more as never })
      const reply = replyTo(sent)
      sent.end(payload && JSON.stringify(payload))
      const { status, text, headers: answered } = await reply
      return { statusCode: status, payload: text, headers: answered }
    },
    close() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** Adds a user with a token to a store. */
export async function addUser({ db, tokens }: Store, login: string, role: Role): Promise<User> {
  const [user] = await db.write(async (tx) =>
    tx.insert(users).values({ login, role, created_utc: '' }).returning(),
  )
  const { token } = await tokens.add(user!.id, 'model', ['read', 'write', 'admin'], null)
  return { id: user!.id, authorization: `Bearer ${token}` }
}

/** Adds a user of every role. */
export async function addUsers(store: Store): Promise<Known> {
  const known = {} as Known
  for (const role of ROLES) known[role] = await addUser(store, role, role)
  return known
}

/** A clock in a file, so that several processes have it. */
export function openModelClock(file: string) {
  const clock = openClock(file)
  clock.now = NOW
  return clock
}

/**
 * Two applications with caches of their own, or one of several processes, and one without caches, on one file; and a token
 * of every role.
 */
async function openWorld(file: string, workers = 1): Promise<World> {
  const clock = openModelClock(`${file}.clock`)
  const config = readConfig({ ...ENV, DATABASE: file })
  const open = () => buildApp({ config, clock: () => clock.now })
  const reference = withoutCaches(await open())
  const cached: readonly Target[] =
    workers === 1
      ? [await open(), await open()]
      : [await serveTarget(file, { CLOCK: `${file}.clock`, WORKERS: String(workers) })]
  return {
    ...{ clock, cached, reference },
    known: await addUsers(reference.store),
    addUser: (login, role) => addUser(reference.store, login, role),
    async follow() {},
    close: () => Promise.all([...cached, reference].map((app: Target) => app.close())),
  }
}

/** The answer of an application. Throws if it failed. */
export async function send(
  app: Target,
  method: string,
  path: string,
  who?: string,
  payload?: object,
): Promise<Reply> {
  const headers = who ? { authorization: who } : {}
  const url = path.startsWith('//') ? path.slice(1) : ROOT + path
  // an application sees what another has committed from its next turn of the event loop on
  await new Promise(setImmediate)
  const answer = await app.inject({ method, url, headers, ...(payload && { payload }) } as InjectOptions)
  // a long write of one application has pauses, in which another one of this process waits for it in vain
  if (answer.statusCode === 503 && JSON.parse(answer.payload).code === 'database_busy')
    return send(app, method, path, who, payload)
  if (answer.statusCode >= 500) throw new Error(`${method} ${url}: ${answer.payload}`)
  const { statusCode: status, payload: text } = answer
  return { status, text, body: JSON.parse(text), etag: answer.headers.etag }
}

/** Throws where a read of an application with caches differs from that of the one without. */
async function compareRead(world: World, app: Target, path: string, who?: string): Promise<Reply> {
  const answer = await send(app, 'GET', path, who)
  await world.follow()
  const right = await send(world.reference, 'GET', path, who)
  if (!isSame(answer, right)) throw new Error(`GET ${path} is stale:\n${answer.text}\nand not\n${right.text}`)
  return answer
}

/** Whether two answers are the same to a client. */
export const isSame = (a: Reply, b: Reply) => a.status === b.status && a.text === b.text && a.etag === b.etag

/** Throws where the tables contradict one another. */
async function checkTables({ reference: { store } }: World) {
  const found = [...(await findDifferences(store.db, store.site)), ...findDamage(store.db)]
  if (!isDeepStrictEqual(found, [])) throw new Error(found.slice(0, 5).join('\n'))
}

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

export type Report = { writes: number; done: number; reads: number; checks: number }

/** Reads through the caches of an application, and throws where it does not answer what is right. */
export async function read(model: Model): Promise<void> {
  const { world, random } = model
  const { path, wanted } = readOf(model)
  const role = random.of(READERS)
  const root = random.of(['', '', '', '//wp-json/tribe/events/v1'])
  const app = random.of(world.cached)
  const who = role && world.known[role].authorization
  // an answer is kept when it is asked for again
  for (let again = random.below(3); again > 0; again--) await send(app, 'GET', root + path, who)
  const answer = await compareRead(world, app, root + path, who)
  if (role !== undefined || wanted === undefined || answer.status !== 200) return
  const right = await expected(world, wanted)
  const shown = (answer.body.events as { id: number }[]).map(({ id }) => id)
  if (answer.body.total !== right.total || String(shown) !== String(right.ids))
    throw new Error(`GET ${path}: ${shown} of ${answer.body.total}, not ${right.ids} of ${right.total}`)
}

/**
 * Writes of every kind, from several clients of two applications or several processes on one file, between reads through every cache, each of
 * which is compared with one that uses none. Throws with the seed where one differs.
 */
export async function runModel(file: string, seed: number, writes: number, workers = 1): Promise<Report> {
  const world = await openWorld(file, workers)
  const model = openModel(world, seed)
  const { random } = model
  const report: Report = { writes: 0, done: 0, reads: 0, checks: 0 }
  try {
    while (report.writes < writes) {
      moveClock(model)
      const batch = 1 + random.below(4)
      // reads that run beside writes fill the caches at the worst moments
      const beside = Array.from({ length: random.below(4) }, () => {
        const role = random.of(READERS)
        const who = role && world.known[role].authorization
        return send(random.of(world.cached), 'GET', readOf(model).path, who)
      })
      const done = await Promise.all(Array.from({ length: batch }, () => write(model)))
      await Promise.all(beside)
      report.writes += batch
      report.done += done.filter(Boolean).length
      // texts are merged into the index while they are searched
      const merged = random.chance(0.3) && world.reference.store.words.merge(undefined, 1 + random.below(20))
      for (let left = random.below(5); left > 0; left--, report.reads++) await read(model)
      await merged
      if (random.chance(0.01) || report.writes >= writes) {
        await checkTables(world)
        report.checks++
      }
    }
  } catch (error) {
    throw new Error(`seed ${seed}, after ${report.writes} writes: ${(error as Error).message}`, {
      cause: error,
    })
  } finally {
    await world.close()
  }
  return report
}
