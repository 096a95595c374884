import Database from 'better-sqlite3'
import type { DataSet } from '../data.ts'
import { inTurn, median } from '../figures.ts'
import { type Figures, load, middle, type Request, type Shape, warm } from '../load.ts'
import type { Server } from '../process.ts'
import { byCpu, type Result } from '../results.ts'
import { even, openRandom, type Random } from '../seed/random.ts'
import { NOW } from '../seed/records.ts'
import { CONNECTIONS, type Reading, ROOT } from './world.ts'

const DAY = 86_400_000
/** More than a round sends, so that hardly an address comes twice. */
const MANY = 20_000

/** A load: what it is called, and what is sent in a round. */
export type Scenario = { name: string; requests(round: number): Request[]; connections?: number }

/** A day so many days from now. */
export const day = (days: number) => new Date(NOW + days * DAY).toISOString().slice(0, 10)

/** Dates that hardly come twice: starts within three years before and after now, for up to three years. */
export function dates(random: Random): string {
  const from = even(random, 2_000) - 1_000
  return `start_date=${day(from)}&end_date=${day(from + 30 + even(random, 1_000))}`
}

/** Every address once, also where `pathOf` says one twice: a parameter that means nothing makes it another. */
export const distinct = (
  name: string,
  pathOf: (random: Random) => string,
  { count = MANY, connections }: { count?: number; connections?: number } = {},
): Scenario => ({
  name,
  ...(connections !== undefined && { connections }),
  requests(round) {
    const random = openRandom(round * 7919 + name.length)
    return Array.from({ length: count }, () => {
      const path = pathOf(random)
      return { path: `${ROOT}${path}${path.includes('?') ? '&' : '?'}x=@@@@@@@@` }
    })
  },
})

/** One request over and over. */
export const repeated = (name: string, path: string, headers: Record<string, string> = {}): Scenario => ({
  name,
  requests: () => [{ path: ROOT + path, headers }],
})

/** Everything that is read, search apart. */
export function listScenarios(data: DataSet, pages: number, etag: string): Scenario[] {
  const { venues, organizers, categories, tags } = data
  const slugs = slugsOf(data)
  const event = (random: Random) => slugs[even(random, slugs.length)]!
  const one = slugs[0]!
  const list = (name: string, filter: (random: Random) => string) =>
    distinct(name, (random) => `/events?${filter(random)}&${dates(random)}`)
  return [
    repeated('list, repeated', '/events'),
    repeated('list, not modified (304)', '/events', { 'if-none-match': etag }),
    distinct('list, first page', () => '/events'),
    distinct('list, other dates', (random) => `/events?${dates(random)}`),
    distinct('list, deep pages', (random) => `/events?page=${1 + even(random, pages)}`),
    distinct('list, last pages', (random) => `/events?page=${Math.max(1, pages - even(random, 20))}`),
    list('list by category', (random) => `categories=${1 + even(random, categories)}`),
    list('list by tag', (random) => `tags=${categories + 1 + even(random, tags)}`),
    list('list by venue', (random) => `venue=${1 + even(random, venues)}`),
    list('list by organizer', (random) => `organizer=${venues + 1 + even(random, organizers)}`),
    list('list, featured', () => 'featured=true'),
    list('list near a point', (random) => `geoloc_lat=${36 + random() * 7}&geoloc_lng=${-9 + random() * 12}`),
    list('list with coordinates', () => 'geoloc=true'),
    repeated('event, repeated', `/events/${one.id}`),
    distinct('event by ID', (random) => `/events/${event(random).id}`),
    repeated('event by slug, repeated', `/events/by-slug/${one.slug}`),
    distinct('event by slug', (random) => `/events/by-slug/${event(random).slug}`),
    distinct('venues', (random) => `/venues?page=${1 + even(random, Math.ceil(venues / 12))}`),
    distinct('categories', () => '/categories'),
  ]
}

/** IDs and slugs of events, evenly over all. */
function slugsOf({ file, venues, organizers, events }: DataSet): { id: number; slug: string }[] {
  const db = new Database(file, { readonly: true })
  const random = openRandom(events)
  const slug = db.prepare('select slug from posts where id = ?').pluck()
  const found = Array.from({ length: Math.min(events, MANY) }, () => {
    const id = venues + organizers + 1 + even(random, events)
    return { id, slug: slug.get(id) as string }
  })
  db.close()
  return found
}

/** Measures what is read, search apart, each beside the bare limit of the same bytes. */
export async function measureReads(world: Reading) {
  const first = await fetch(`${world.server.url}${ROOT}/events`)
  const { total_pages } = (await first.json()) as { total_pages: number }
  await warm(world.limit, [{ path: '/' }], { connections: CONNECTIONS, seconds: 1 })
  for (const scenario of listScenarios(world.data, total_pages, first.headers.get('etag')!))
    if (scenario.name.includes(world.only)) world.add(await measure(world, 'reads', scenario))
}

/** Measures a scenario and the bare limit of the same bytes in turn. */
export async function measure(
  { server, limit, rounds, seconds }: Reading,
  group: Result['group'],
  { name, requests, connections = CONNECTIONS }: Scenario,
): Promise<Result> {
  const bytes = await firstAnswer(server, requests(0)[0]!)
  await fetch(limit.url, { method: 'PUT', body: new Uint8Array(bytes) })
  const shape = await shapeFor(server, requests(0), { connections, seconds })
  await warm(server, requests(0), shape)
  const [figures, baseline] = (
    await inTurn(
      rounds,
      (round) => load(server, requests(round + 1), shape),
      () => load(limit, [{ path: '/' }], { connections, seconds }),
    )
  ).map(middle) as [Figures, Figures]
  return {
    ...{ group, scenario: name, connections: shape.connections, bytes: bytes.length, against: 'ready bytes' },
    ...{ ...figures, baseline, ...byCpu(figures, baseline) },
  }
}

/** Requests that a connection sends in a round at least, where a longer round makes that possible. */
const EACH = 10
const LONGEST = 10

/** Fewer connections and longer rounds for what is slow: what is under way when a round ends is not counted. */
async function shapeFor(
  server: Server,
  requests: Request[],
  { connections, seconds }: Shape,
): Promise<Shape> {
  const waits: number[] = []
  for (const request of requests.slice(1, 6).concat(requests).slice(0, 5)) {
    const began = performance.now()
    await firstAnswer(server, request)
    waits.push((performance.now() - began) / 1_000)
  }
  const wait = median(waits)
  return {
    connections: Math.max(1, Math.min(connections, Math.floor(seconds / EACH / wait))),
    seconds: Math.min(LONGEST, Math.max(seconds, Math.ceil((wait * EACH) / 2))),
  }
}

let asked = 0
async function firstAnswer(server: Server, { path, headers = {} }: Request) {
  const url = server.url + path.replace('@@@@@@@@', `first-${++asked}`)
  const answer = await fetch(url, { headers })
  if (answer.status >= 400) throw new Error(`${path} is answered with ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}
