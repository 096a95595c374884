import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { events, posts, terms } from '../../drizzle/tables.ts'
import type { Role } from '../../src/kernel/access/rights.ts'
import { must } from './answers.ts'
import type { Answer, Api } from './app.ts'
import { EVENT } from './given.ts'
import { type Step, send, steps } from './writes.ts'

type Kind = 'event' | 'venue' | 'organizer' | 'category' | 'tag'
type Shown = { id: number; categories?: Shown[]; tags?: Shown[]; count?: number }
type Told = { kind: Kind; id: number; operation: 'create' | 'update' | 'delete'; record?: Shown }

/** Who follows what: the kinds and filters of `/changes`, and where the API is mounted for it. */
type Following = { who: Role | 'anonymous'; kind: Kind; query: string; mount?: string }

const PLURALS = {
  ...{ event: 'events', venue: 'venues', organizer: 'organizers' },
  ...{ category: 'categories', tag: 'tags' },
}
/** What a crawl of a list asks for so that it has what is followed: no default dates, and empty terms. */
const WHOLE = {
  ...{ event: 'when=all', venue: '', organizer: '' },
  ...{ category: 'hide_empty=false', tag: 'hide_empty=false' },
}
const keyOf = ({ kind, id }: { kind: Kind; id: number }) => `${kind} ${id}`

/** A record without the numbers inside of it that are not followed: how many events its terms have. */
function plain(record: Shown): string {
  const { categories, tags } = record
  for (const term of [...(categories ?? []), ...(tags ?? [])]) delete term.count
  return JSON.stringify(record)
}

/** A copy that follows the changes of one kind under filters, page by page. */
function openFollower(api: () => Api, { who, kind, query, mount = '' }: Following) {
  const path = (rest: string) => (mount ? `/${mount}/calendar/events/v1${rest}` : rest)
  const get = (rest: string): Promise<Answer> =>
    mount ? api()[who].get(`/${path(rest)}`) : api()[who].get(rest)
  const records = new Map<string, string>()
  let token: string | undefined
  return {
    name: `${who} ${mount} ${kind} ${query}`,
    records,
    /** Whether a beginning has been read. */
    hasBegun: () => token !== undefined,
    /** Begins anew. */
    forget() {
      token = undefined
      records.clear()
    },
    /** Reads one page; returns what it told and whether there is more. */
    async page(perPage: number): Promise<{ told: Told[]; isMore: boolean }> {
      const from = token === undefined ? `kind=${kind}&${query}` : `sync_token=${token}`
      const { changes, has_more, next_sync_token } = await must(get(`/changes?${from}&per_page=${perPage}`))
      const keys = changes.map(keyOf)
      if (new Set(keys).size !== keys.length) throw new Error(`twice in one answer: ${keys}`)
      if (changes.length > perPage) throw new Error('more than were asked for')
      for (const change of changes as Told[]) {
        if ((change.operation === 'delete') !== (change.record === undefined))
          throw new Error('a record too many or few')
        if (change.record) records.set(keyOf(change), plain(change.record))
        else records.delete(keyOf(change))
      }
      token = next_sync_token
      return { told: changes, isMore: has_more }
    },
    /** What a full crawl of the list shows; undefined if a record that a filter names is gone. */
    async crawl(): Promise<Map<string, string> | undefined> {
      const found = new Map<string, string>()
      for (let page = 1; ; page++) {
        const answer = await get(`/${PLURALS[kind]}?${WHOLE[kind]}&${query}&per_page=50&page=${page}`)
        if (answer.status === 400 && /There is no/.test(answer.text)) return undefined
        const body = await must(Promise.resolve(answer))
        for (const record of body[PLURALS[kind]] as Shown[])
          found.set(keyOf({ kind, id: record.id }), plain(record))
        if (page >= body.total_pages) return found
      }
    },
  }
}
type Follower = ReturnType<typeof openFollower>

const WHO = ['anonymous', 'anonymous', 'subscriber', 'contributor', 'author', 'editor'] as const
const KINDS = ['event', 'event', 'event', 'event', 'venue', 'organizer', 'category', 'tag'] as const
const WORDS = ['concert', 'other', 'other 1', '-other', 'venue 1', '1']
const OF_LINKED = ['', '', 'search=other', 'search=venue', 'i18n_language=ca']
const OF_TERMS = ['', '', 'search=1', 'i18n_language=en', 'hide_empty=true', 'exclude=1', 'include=2,3']
const STATUSES = ['', '', 'any', 'draft', 'trash', 'publish,private']

type IdOf = (kind: string) => number
/** Filters of events by a number. */
const FILTERS: ((number: number, idOf: IdOf) => string)[] = [
  () => '',
  (_, idOf) => `categories=${idOf('category')}`,
  (_, idOf) => `categories=${idOf('category')}`,
  (_, idOf) => `tags=${idOf('tag')}`,
  (_, idOf) => `venue=${idOf('venue')}`,
  (_, idOf) => `organizer=${idOf('organizer')}`,
  (_, idOf) => `post_parent=${idOf('parent')}`,
  (_, idOf) => `include=${idOf('event')},${idOf('event') + 1}`,
  (number) => `search=${encodeURIComponent(WORDS[number % WORDS.length]!)}`,
  (number) => `q=${encodeURIComponent(WORDS[number % WORDS.length]!)}`,
  (number) => `q=${encodeURIComponent(['venue', 'other', '-venue', 'organizer 1', 'ven'][number % 5]!)}`,
  (number) => `featured=${number % 2 === 0}`,
  (number) => `event_status=${number % 2 ? 'scheduled' : 'cancelled'}`,
  (number) => `geoloc=${number % 2 === 0}`,
  () => 'geoloc_lat=41.9&geoloc_lng=2.2&geoloc_radius=100',
  () => 'starts_after=2026-12-05',
  () => 'ends_before=2026-12-03%2012:00:00&strict_dates=true',
  (number) => `i18n_language=${['en', 'ca', 'es'][number % 3]}`,
  (_, idOf) => `categories=${idOf('category')}&starts_before=2026-12-20&i18n_language=en`,
]

/** Numbers that decide who follows what, and from which step on. */
const plan = fc.record({ picks: fc.array(fc.nat(1_000), { minLength: 5, maxLength: 5 }), begins: fc.nat(20) })
/** A way through writes, and those who follow. */
export const way = fc.record({
  written: steps,
  plans: fc.array(plan, { minLength: 8, maxLength: 14 }),
  sizes: fc.array(fc.constantFrom(1, 2, 7, 500), { minLength: 10, maxLength: 10 }),
  more: fc.array(fc.nat(1_000), { minLength: 60, maxLength: 60 }),
})
export type Way = {
  written: Step[]
  plans: { picks: number[]; begins: number }[]
  sizes: number[]
  more: number[]
}

const of = <T>(items: readonly T[], number: number): T => items[number % items.length]!

async function followingOf({ app }: Api, picks: number[]): Promise<Following> {
  const [first, second, third, fourth, fifth] = picks as [number, number, number, number, number]
  const kept = await app.store.db.read.select({ id: posts.id, kind: posts.kind }).from(posts)
  const named = await app.store.db.read.select({ id: terms.id, kind: terms.taxonomy }).from(terms)
  const idOf = (kind: string) => {
    if (kind === 'parent') return kept.find((one) => one.kind === 'event')?.id ?? 999
    const ids = [...kept, ...named].filter((one) => one.kind === kind).map(({ id }) => id)
    return ids.length > 0 ? of(ids, third) : 999
  }
  const who = of(WHO, first)
  const kind = of(KINDS, second)
  const filter =
    kind === 'event'
      ? of(FILTERS, fourth)(third, idOf)
      : of(kind === 'category' || kind === 'tag' ? OF_TERMS : OF_LINKED, fourth)
  const writes = !['anonymous', 'subscriber'].includes(who)
  const status = writes && kind !== 'category' && kind !== 'tag' ? of(STATUSES, fifth) : ''
  const query = [filter, status && `status=${status}`].filter(Boolean).join('&')
  return { who, kind, query, ...(fifth % 5 === 0 && !query.includes('i18n') && { mount: 'ca' }) }
}

/** A write of what `send` does not write: what filters look at. */
async function alter(api: Api, number: number): Promise<string> {
  const { read } = api.app.store.db
  if (number % 7 === 0) {
    const all = await read.select({ id: terms.id }).from(terms).where(eq(terms.taxonomy, 'category'))
    if (all.length === 0) return 'nothing to move'
    const [{ id }, parent] = [of(all, number >> 3), of([{ id: 0 }, ...all], number >> 1).id]
    const { status } = await api.editor.patch(`/categories/${id}`, { parent })
    return `category ${id} below ${parent} ${status}`
  }
  const who = of(['editor', 'administrator', 'author'] as const, number)
  const at = await read.select({ id: posts.id, kind: posts.kind }).from(posts)
  const some = at.filter(({ kind }) => kind === (number % 3 ? 'event' : 'venue'))
  if (some.length === 0) return 'nothing to alter'
  const { id, kind } = of(some, number)
  const [event] = await read.select().from(events)
  const body =
    kind === 'venue'
      ? of(
          [
            { status: 'draft' },
            { status: 'publish' },
            { geo_lat: 41.9, geo_lng: 2.2 },
            { geo_lat: null, geo_lng: null },
            { geo_lat: 10, geo_lng: 10 },
          ],
          number >> 2,
        )
      : of(
          [
            { status: 'draft' },
            { status: 'publish' },
            { featured: number % 2 === 0 },
            { hide_from_listings: number % 5 < 3 },
            { event_status: of(['cancelled', 'scheduled'], number) },
            { start_date: '2026-12-04 10:00:00', end_date: '2026-12-04 12:00:00' },
            { start_date: '2026-12-10 10:00:00', end_date: '2027-01-04 12:00:00' },
            { post_parent: event?.post_id ?? 0 },
            { password: number % 2 ? 'sesame' : null },
            { title: `concert ${number % 3}` },
          ],
          number >> 2,
        )
  const { status } = await api[who].patch(`/${kind}s/${id}`, body)
  return `${who} patch /${kind}s/${id} ${JSON.stringify(body)} ${status}`
}

/** Records of all kinds, linked with one another, so that filters have something to find from the first write on. */
async function prepare({ editor, author }: Api) {
  const make = async (path: string, body: object): Promise<number> => (await must(editor.post(path, body))).id
  const arts = await make('/categories', { name: 'category 1' })
  const music = await make('/categories', { name: 'category 2', parent: arts })
  const jazz = await make('/categories', { name: 'category 3', parent: music, i18n_language: 'ca' })
  const tag = await make('/tags', { name: 'tag 1' })
  const hall = await make('/venues', { venue: 'venue 1', geo_lat: 41.9, geo_lng: 2.2 })
  const house = await make('/venues', { venue: 'venue 2', status: 'draft' })
  const choir = await make('/organizers', { organizer: 'organizer 1' })
  const first = await make('/events', { ...EVENT, title: 'concert 0' })
  for (let at = 0; at < 12; at++)
    await must(
      of([editor, author], at).post('/events', {
        ...EVENT,
        ...(at % 4 === 0 && { post_parent: first }),
        title: `${of(['concert', 'other'], at)} ${at % 3}`,
        categories: of([[arts], [music], [jazz], [jazz], [music, jazz]], at),
        ...(at % 3 === 0 && { tags: [tag] }),
        ...(at % 2 === 0 && { venue: of([hall, house], at >> 1), organizer: choir }),
        status: of(['publish', 'publish', 'publish', 'draft', 'private'], at),
        i18n_language: of(['en', 'ca'], at),
        ...(at === 5 && { password: 'sesame' }),
      }),
    )
}

/** The events, venues and organizers that everyone could ever find. */
async function noteOpen({ app }: Api, seen: Set<string>) {
  const rows = await app.store.db.read
    .select({ id: posts.id, kind: posts.kind, status: posts.status })
    .from(posts)
  for (const { id, kind, status } of rows) if (status === 'publish') seen.add(`${kind} ${id}`)
}

/** What differs between two copies, in words. */
function differenceOf(known: Map<string, string>, right: Map<string, string>): string {
  const keys = [...new Set([...known.keys(), ...right.keys()])].filter(
    (key) => known.get(key) !== right.get(key),
  )
  return keys
    .map(
      (key) =>
        `${key}: ${!known.has(key) ? 'is missing' : !right.has(key) ? 'is too many' : `\n  ${known.get(key)}\n  ${right.get(key)}`}`,
    )
    .join('\n')
}

export type Tally = { compared: number; told: number; needless: number }

/**
 * Writes along a way, while followers read what changed, some pages at a time; throws where a copy differs from a full crawl,
 * or where someone is told of a record that they could never find. `between` runs after each step.
 */
export async function follow(
  api: () => Api,
  { written, plans, sizes, more }: Way,
  between: (step: number) => Promise<void> = async () => {},
): Promise<Tally> {
  const tally = { compared: 0, told: 0, needless: 0 }
  const followers: Follower[] = []
  const open = new Set<string>()
  const done: string[] = []
  const fail = (follower: Follower, why: string): never => {
    throw new Error(`${follower.name}: ${why}\n${done.slice(-12).join('\n')}`)
  }
  const read = async (follower: Follower, size: number) => {
    const before = new Set(follower.records.keys())
    const { told, isMore } = await follower.page(size)
    tally.told += told.length
    for (const { kind, id, operation } of told) {
      if (operation === 'delete' && !before.has(`${kind} ${id}`)) tally.needless++
      const isEveryones = /^(anonymous|subscriber)/.test(follower.name) && !/category|tag/.test(kind)
      if (isEveryones && !open.has(`${kind} ${id}`)) fail(follower, `is told of ${kind} ${id}`)
    }
    return isMore
  }
  await prepare(api())
  for (const [at, step] of written.entries()) {
    api().clock.now += 2_000
    done.push(at % 3 === 0 ? await alter(api(), more[at % more.length]!) : await send(api(), step))
    await noteOpen(api(), open)
    await between(at)
    for (const { picks, begins } of plans)
      if (begins === at) followers.push(openFollower(api, await followingOf(api(), picks)))
    for (const [number, follower] of followers.entries())
      if ((at + number) % 4 === 0)
        await read(follower, sizes[(at + number) % sizes.length]!).catch((error) => refused(error, follower))
    if (at % 8 !== 7 && at !== written.length - 1) continue
    for (const follower of followers) {
      const right = await follower.crawl()
      while (await read(follower, sizes[at % sizes.length]!).catch((error) => refused(error, follower)));
      if (right === undefined || !follower.hasBegun()) continue
      const difference = differenceOf(follower.records, right)
      if (difference) fail(follower, difference)
      tally.compared++
    }
  }
  return tally
}

/** A filter may name what is not there, before a token knows it; and who was away for too long begins anew. */
function refused(error: Error, follower: Follower): boolean {
  if (/^410: .*sync-token-expired/.test(error.message)) {
    follower.forget()
    return true
  }
  if (follower.hasBegun() || !/There is no/.test(error.message)) throw error
  return false
}
