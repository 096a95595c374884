import type { Dice } from '../seed/random.ts'
import { dayOf, type Kept, WORDS, type World, words } from './world.ts'

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
export async function read(world: World, random: Dice, events: Kept[]) {
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
export function beRefused({ client }: World, random: Dice) {
  const [right, path, more] = random.of(REFUSED)
  return client.send({ path, right, ...more })
}
