import { setTimeout as pause } from 'node:timers/promises'
import { toWall } from '../../src/kernel/time/dates.ts'
import type { Dice } from '../seed/random.ts'
import type { Client, Told } from './client.ts'

/** An event as its last write left it; a scheduled one is published for whoever waits. */
export type Kept = {
  id: number
  title: string
  status: 'publish' | 'draft' | 'trash'
  /** When everyone sees it, in Unix milliseconds. */
  due: number
  category: number
  tag: number
  venue: number
}
export type World = {
  client: Client
  token: string
  categories: number[]
  tags: number[]
  venues: number[]
  /** ETags by address, to be asked with. */
  known: Map<string, string>
  writes: number
}

const DAY = 86_400_000
const WORDS = ['concert', 'jazz', 'theatre', 'market', 'reading', 'walk', 'film', 'circus', 'opera', 'workshop', 'dance', 'quiz', 'lecture', 'fair', 'brass', 'puppets'] // biome-ignore format: one list

/** Makes what events point to. */
export async function prepare(client: Client, token: string): Promise<World> {
  const make = async (path: string, name: string, most: number) => {
    const ids: number[] = []
    for (let at = 0; at < most; at++) {
      const body = {
        [name]: `${WORDS[at % WORDS.length]} ${path.slice(1)} ${at}`,
        description: 'x'.repeat(200),
      }
      ids.push((await client.send({ method: 'POST', path, token, body, right: [201] })).body.id)
    }
    return ids
  }
  return {
    client,
    token,
    categories: await make('/categories', 'name', 20),
    tags: await make('/tags', 'name', 50),
    venues: await make('/venues', 'venue', 40),
    known: new Map(),
    writes: 0,
  }
}

const dayOf = (random: Dice) => toWall(Date.now() + (random.below(600) - 200) * DAY, 'UTC')
const words = (random: Dice, most: number) =>
  Array.from({ length: 1 + random.below(most) }, () => random.of(WORDS)).join(' ')

/** One address that answers 200. */
function address({ categories, tags, venues }: World, random: Dice, events: Kept[]): string {
  const page = `per_page=${1 + random.below(50)}`
  const shown = events.filter(({ status, due }) => status === 'publish' && due < Date.now())
  const single = shown.length > 0 ? `/events/${random.of(shown).id}` : '/events'
  const all = 'start_date=2000-01-01&end_date=9999-12-31'
  return random
    .of([
      () => '/events',
      () => `/events?${page}`,
      () => `/events?${page}&start_date=${dayOf(random).slice(0, 10)}&end_date=9999-12-31`,
      () => `/events?strict_dates=true&starts_after=${dayOf(random)}`,
      () => `/events?${all}&${page}&search=${words(random, 2)}`,
      () => `/events?${all}&${page}&search=${random.of(WORDS).slice(1, 4)}`,
      () => `/events?${all}&categories=${random.of(categories)}`,
      () => `/events?${all}&tags=${random.of(tags)},${random.of(tags)}&featured=${random.below(2)}`,
      () => `/events?${all}&venue=${random.of(venues)}&_fields=events.id,events.title,total`,
      () => `/events?include=${[random.of(venues), ...random.some(shown, 5).map(({ id }) => id)]}`,
      () => single,
      () => single,
      () => `${single}?_fields=title,venue`,
      () => `/venues?${page}&search=${random.of(WORDS)}`,
      () => `/venues/${random.of(venues)}`,
      () => '/organizers',
      () => `/categories?${page}&hide_empty=true`,
      () => `/tags/${random.of(tags)}`,
      () => '/media',
      () => '/doc',
    ])()
    .replaceAll(' ', '%20')
}

/** Reads what everyone may, as anyone or with a token, and often on condition. */
async function read(world: World, random: Dice, events: Kept[]) {
  const { client, known } = world
  const token = random.chance(0.3) ? world.token : undefined
  const path = address(world, random, events)
  const method = random.chance(0.05) ? 'HEAD' : 'GET'
  const name = `${token ? 'own' : ''}${path}`
  const etag = random.chance(0.5) ? known.get(name) : undefined
  const told = await client.send({
    method,
    path,
    token,
    right: etag ? [200, 304] : [200],
    ...(etag && { headers: { 'if-none-match': etag } }),
  })
  if (known.size > 5_000) known.clear()
  if (told.etag) known.set(name, told.etag)
}

/** A request that is refused, by what it is refused. */
const REFUSED: [right: number[], path: string, more?: { method: string; token?: string; body?: object }][] = [
  [[404], '/events/999999999'],
  [[404], '/events/by-slug/nowhere'],
  [[404], '/nowhere'],
  [[404], '/events?page=99999'],
  [[400], '/events?page=0&per_page=x&start_date=soon'],
  [[400], '/venues?only_with_upcoming=perhaps'],
  [[401], '/events', { method: 'POST', body: { title: 'x', start_date: 'now', end_date: 'now' } }],
  [[401, 429], '/events', { method: 'GET', token: 'alm_wrong' }],
]

/** Asks for what there is not, in a way that is wrong, or without the right to it. */
function beRefused({ client }: World, random: Dice) {
  const [right, path, more] = random.of(REFUSED)
  return client.send({ path, right, ...more })
}

const SECOND = 1_000
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
/** Events of one lane, around which it adds and removes. */
const EVENTS = 250
/** Milliseconds until what is scheduled is published. */
const LATER = 3 * SECOND

type Targets = Pick<World, 'categories' | 'tags' | 'venues'>
const fieldsOf = ({ categories, tags, venues }: Targets, random: Dice) => ({
  title: `${words(random, 3)} ${random.below(1e9)}`,
  description: `<p>${words(random, 120)}</p>`,
  start_date: dayOf(random),
  category: random.of(categories),
  tag: random.of(tags),
  venue: random.of(venues),
})
const sent = ({ category, tag, start_date, ...rest }: ReturnType<typeof fieldsOf>) => ({
  ...rest,
  start_date,
  end_date: toWall(Date.parse(`${start_date.replace(' ', 'T')}Z`) + 2 * 3_600_000, 'UTC'),
  categories: [category],
  tags: [tag],
})

/** What of it is compared in the end. */
const keep = ({ title, category, tag, venue }: ReturnType<typeof fieldsOf>) => ({
  title,
  category,
  tag,
  venue,
})

async function create({ client, token, ...world }: World, random: Dice, events: Kept[]): Promise<Told> {
  const status = random.chance(0.9) ? 'publish' : 'draft'
  const due = random.chance(0.05) ? Date.now() + LATER : 0
  const fields = fieldsOf(world, random)
  const body = { ...sent(fields), status, ...(due > 0 && { date_utc: toWall(due, 'UTC') }) }
  const told = await client.send({ method: 'POST', path: '/events', token, body, right: [201] })
  events.push({ id: told.body.id, status, due: due + SECOND, ...keep(fields) })
  return told
}

/** Adds the events with which a lane begins. */
export async function fill(world: World, random: Dice, events: Kept[]) {
  while (events.length < EVENTS) await create(world, random, events)
}

/** Changes something; an event of the lane, mostly. */
async function write(world: World, random: Dice, events: Kept[]): Promise<Told> {
  const { client, token } = world
  const send = (method: string, path: string, body?: object | Buffer, more = {}) =>
    client.send({
      method,
      path,
      token,
      right: method === 'POST' ? [201] : [200],
      ...(body && { body }),
      ...more,
    })
  const act = random.below(100)
  const event = events.length > 0 ? random.of(events) : undefined
  if (act < 1) {
    const { body } = await send('POST', '/media', PIXEL, { headers: { 'content-type': 'image/gif' } })
    return send('DELETE', `/media/${body.id}`)
  }
  if (act < 5) return send('PATCH', `/venues/${random.of(world.venues)}`, { city: words(random, 1) })
  if (act < 7)
    return send('PATCH', `/categories/${random.of(world.categories)}`, { description: words(random, 9) })
  if (event === undefined || (act < 40 && events.length < EVENTS * 1.1) || events.length < EVENTS * 0.9)
    return create(world, random, events)
  const path = `/events/${event.id}`
  if (act < 65) {
    const told = await send('DELETE', `${path}?force=true`)
    events.splice(events.indexOf(event), 1)
    return told
  }
  if (event.status === 'trash') {
    const told = await send('PATCH', path, { status: 'publish' })
    event.status = 'publish'
    return told
  }
  if (act < 72) {
    const told = await send('DELETE', path)
    event.status = 'trash'
    return told
  }
  const fields = fieldsOf(world, random)
  // one in four knows what it changes; a venue that is shown inside may be changed meanwhile
  const etag = random.chance(0.25) && (await client.send({ path, token })).etag
  const more = etag && { headers: { 'if-match': etag }, right: [200, 412] }
  const told = await send('PATCH', path, sent(fields), more || {})
  if (told.status === 200) Object.assign(event, keep(fields))
  return told
}

/** What a client that hangs up may have written or not. */
export const TORN = 'Torn'

/** One client that reads, mostly, and writes; what it has written is in `events`. It goes on after a fault, which the client keeps. */
export async function mix(world: World, random: Dice, events: Kept[], until: () => boolean) {
  while (!until()) {
    const kind = random.below(100)
    const done =
      kind < 20
        ? write(world, random, events).then(() => world.writes++)
        : kind < 25
          ? beRefused(world, random)
          : read(world, random, events)
    await done.catch(() => {})
    await pause(random.below(10))
  }
}

/** One client that is slow, or hangs up in the middle. */
export async function dawdle({ client, token }: World, random: Dice, until: () => boolean) {
  const list = `GET ${client.pathname}/events?per_page=50 HTTP/1.1\r\n`
  const event = JSON.stringify({ title: TORN, start_date: '+1 day', end_date: '+1 day', status: 'draft' })
  const create = `POST ${client.pathname}/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${event.length}\r\n\r\n`
  const half = event.length / 2
  while (!until()) {
    await random.of([
      () => client.sendSlowly([list, 'Host: a\r\n', 'Connection: close\r\n', '\r\n'], 300),
      () => client.sendSlowly([`${list}Host: a\r\n\r\n`], 0, 'answered'),
      () => client.sendSlowly([`${list}Host: a\r\n`], 50, 'sent'),
      () => client.sendSlowly([create, event.slice(0, half)], 20, 'sent'),
      () => client.sendSlowly([create, event], 0, 'sent'),
    ])()
    await pause(100)
  }
}
