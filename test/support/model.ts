import { request } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { eq } from 'drizzle-orm'
import type { InjectOptions } from 'fastify'
import { events, links, posts, terms, users } from '../../drizzle/tables.ts'
import type { EventStates } from '../../schemas/event-states.ts'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { defaultWindow } from '../../src/rules/dates.ts'
import { ROLES, type Role } from '../../src/rules/roles.ts'
import { openLists } from '../../src/store/lists/events.ts'
import { openSlices } from '../../src/store/lists/slices.ts'
import { openChanges } from '../../src/store/sqlite/changes.ts'
import { openDocuments } from '../../src/store/views/documents.ts'
import { NOW, ROOT } from './app.ts'
import { openClock } from './clock.ts'
import { replyTo } from './connection.ts'
import { findDamage, findDifferences } from './derived.ts'
import { serveFile } from './process.ts'

/** Numbers that a seed fixes. */
export function openRandom(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let x = Math.imul(state ^ (state >>> 15), state | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (part: number) => next() < part,
    of: <T>(items: readonly T[]): T => items[below(items.length)]!,
    /** One of these or more, in any order. */
    subset: <T>(items: readonly T[]): T[] => [
      items[below(items.length)]!,
      ...items.filter(() => next() < 0.3),
    ],
    some: <T>(items: readonly T[], most: number): T[] =>
      Array.from({ length: Math.min(below(most + 1), items.length) }, () => items[below(items.length)]!),
  }
}
export type Random = ReturnType<typeof openRandom>

/** Makes an application compute every answer from the tables: each look at a cache meets an empty one. */
function withoutCaches(app: App) {
  const { store } = app
  const fresh = <T>(open: (changes: ReturnType<typeof openChanges>) => T) => ({
    get: () => open(openChanges(store.db)),
  })
  Object.defineProperties(store, {
    documents: fresh((changes) => openDocuments(store.db, changes)),
    lists: fresh((changes) => openLists(store.db, changes, openSlices())),
    changes: { value: { latest: () => ({ seq: Number.NaN, at_utc: undefined }), after: () => [] } },
  })
  return app
}

type Reply = { status: number; body: Record<string, unknown>; text: string; etag: unknown }
export type World = Awaited<ReturnType<typeof openWorld>>

const ZONE = 'Europe/Madrid'
const PRELOAD = { NODE_OPTIONS: `--import ${new URL('clock-preload.js', import.meta.url)}` }

/** What answers requests: an application, or processes. */
type Target = {
  inject(
    options: InjectOptions,
  ): Promise<{ statusCode: number; headers: { etag?: unknown }; payload: string }>
  close(): Promise<unknown>
}

/** So many processes, each of whose answers comes over a connection of its own. */
async function serveTarget(file: string, env: Record<string, string>): Promise<Target> {
  const { port, child, ended } = await serveFile(file, env)
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

/**
 * Two applications with caches of their own, or one of several processes, and one without caches, on one file; and a token
 * of every role.
 */
export async function openWorld(file: string, workers = 1) {
  const clock = openClock(`${file}.clock`)
  clock.now = NOW
  const env = { DURABILITY: 'normal', BASE_URL: 'http://calendar.test', TIMEZONE: ZONE, MAX_DELAY: '0' }
  const config = readConfig({ ...env, DATABASE: file })
  const open = () => buildApp({ config, clock: () => clock.now })
  const reference = withoutCaches(await open())
  const cached: readonly Target[] =
    workers === 1
      ? [await open(), await open()]
      : [await serveTarget(file, { ...env, ...PRELOAD, CLOCK: `${file}.clock`, WORKERS: String(workers) })]
  const { store } = reference
  const addUser = async (login: string, role: Role) => {
    const [user] = await store.db.write(async (tx) =>
      tx.insert(users).values({ login, role, created_utc: '' }).returning(),
    )
    const { token } = await store.tokens.add(user!.id, 'model', ['read', 'write', 'admin'], null)
    return { id: user!.id, authorization: `Bearer ${token}` }
  }
  const known = Object.fromEntries(
    await Promise.all(ROLES.map(async (role) => [role, await addUser(role, role)] as const)),
  ) as Record<Role, { id: number; authorization: string }>

  async function send(
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
    if (answer.statusCode >= 500) throw new Error(`${method} ${url}: ${answer.payload}`)
    const { statusCode: status, payload: text } = answer
    return { status, text, body: JSON.parse(text), etag: answer.headers.etag }
  }
  return {
    clock,
    cached,
    reference,
    known,
    addUser,
    send,
    store,
    site: store.site,
    close: () => Promise.all([...cached, reference].map((app: Target) => app.close())),
  }
}

/** IDs and number of what the plain tables say that a list of everyone's shows; terms by ID, whole days. */
export type Wanted = {
  page: number
  per_page: number
  start_date?: string
  end_date?: string
  language?: string
  featured?: boolean
  event_status?: EventStates['event_status'][]
  attendance_mode?: EventStates['attendance_mode'][]
  /** UTC. */
  modified_after?: string
  modified_before?: string
  categories?: number[]
  tags?: number[]
  venue?: number[]
  organizer?: number[]
  search?: string
  when?: 'upcoming' | 'ongoing' | 'past' | 'all'
  orderby?: 'start' | 'end' | 'modified' | 'title'
  order?: 'asc' | 'desc'
}

export async function expected({ reference, clock, site }: World, wanted: Wanted) {
  const db = reference.store.db.read
  const all = await db.select().from(posts)
  const open = new Set(all.filter(({ status }) => status === 'publish').map(({ id }) => id))
  const rows = await db.select().from(posts).innerJoin(events, eq(events.post_id, posts.id))
  const linked = new Set((await db.select().from(links)).map((l) => `${l.event_id} ${l.kind} ${l.target_id}`))
  const below = new Map<number, number[]>()
  for (const { id, parent_id } of await db.select().from(terms))
    below.set(parent_id, [...(below.get(parent_id) ?? []), id])
  const tree = (ids: number[]): number[] => ids.flatMap((id) => [id, ...tree(below.get(id) ?? [])])
  const { start, end } = defaultWindow(clock.now, site.zone)
  const from = wanted.start_date ? `${wanted.start_date} 00:00:00` : wanted.when ? '' : start
  const to = wanted.end_date ? `${wanted.end_date} 23:59:59` : wanted.when ? '~' : end
  const minute = `${new Date(clock.now).toISOString().slice(0, 16).replace('T', ' ')}:00`
  const has = (id: number, kind: string, ids: number[] | undefined) =>
    ids?.some((target) => linked.has(`${id} ${kind} ${target}`)) ?? true
  const isBlanked = (['featured', 'categories', 'tags', 'venue', 'organizer'] as const).some(
    (name) => wanted[name] !== undefined,
  )
  const ids = rows
    .filter(
      ({ posts: post, events: event }) =>
        post.status === 'publish' &&
        // what a password protects is not filtered by
        (!isBlanked || post.password_hash === null) &&
        !event.hide_from_listings &&
        event.start_date >= from &&
        event.end_date <= to &&
        isAt(wanted.when, event, minute) &&
        (wanted.language === undefined || post.language === wanted.language) &&
        (wanted.featured === undefined || event.featured === wanted.featured) &&
        (wanted.event_status?.includes(event.event_status) ?? true) &&
        (wanted.attendance_mode?.includes(event.attendance_mode) ?? true) &&
        post.modified_utc > (wanted.modified_after?.replace(/[TZ]/g, ' ').trim() ?? '') &&
        post.modified_utc < (wanted.modified_before?.replace(/[TZ]/g, ' ').trim() ?? '~') &&
        has(post.id, 'category', wanted.categories && tree(wanted.categories)) &&
        has(post.id, 'tag', wanted.tags) &&
        // a place or host that not everyone may see is not found by
        has(
          post.id,
          'venue',
          wanted.venue?.filter((id) => open.has(id)),
        ) &&
        has(
          post.id,
          'organizer',
          wanted.organizer?.filter((id) => open.has(id)),
        ) &&
        finds(post, wanted.search),
    )
    .sort((a, b) => compare(keyOf(wanted, a), keyOf(wanted, b)) || a.posts.id - b.posts.id)
    .map(({ posts: { id } }) => id)
  if ((wanted.order ?? (wanted.orderby === 'modified' ? 'desc' : 'asc')) === 'desc') ids.reverse()
  const skip = (wanted.page - 1) * wanted.per_page
  return { total: ids.length, ids: ids.slice(skip, skip + wanted.per_page) }
}
type Rows = { posts: typeof posts.$inferSelect; events: typeof events.$inferSelect }
/** What a list is ordered by. */
const keyOf = ({ orderby = 'start' }: Wanted, { posts: post, events: event }: Rows): string =>
  ({
    start: event.start_date,
    end: event.end_date,
    modified: post.modified_utc,
    title: post.folded_title,
  })[orderby]
/** Whether an event has ended, or is under way, at the beginning of a minute. */
function isAt(
  when: Wanted['when'],
  { utc_start_date: start, utc_end_date: end }: Rows['events'],
  now: string,
) {
  if (when === 'past') return end <= now
  if (when === 'upcoming') return end > now
  return when !== 'ongoing' || (start <= now && end > now)
}
/** Whether one word, or none after a "-", is in what everyone may find an event by. */
function finds({ password_hash, folded, folded_title }: typeof posts.$inferSelect, search = ''): boolean {
  const text = password_hash === null ? folded : folded_title
  return search.startsWith('-') ? !text.includes(search.slice(1)) : text.includes(search)
}
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Throws where a read of an application with caches differs from that of the one without. */
export async function compareRead(world: World, app: Target, path: string, who?: string): Promise<Reply> {
  const answer = await world.send(app, 'GET', path, who)
  const right = await world.send(world.reference, 'GET', path, who)
  if (answer.status !== right.status || answer.text !== right.text || answer.etag !== right.etag)
    throw new Error(`GET ${path} is stale:\n${answer.text}\nand not\n${right.text}`)
  return answer
}

/** Throws where the tables contradict one another. */
export async function checkTables({ reference, site }: World) {
  const found = [...(await findDifferences(reference.store.db, site)), ...findDamage(reference.store.db)]
  if (!isDeepStrictEqual(found, [])) throw new Error(found.slice(0, 5).join('\n'))
}
