import { toWall } from '../../src/kernel/time/dates.ts'
import type { Dice } from '../seed/random.ts'
import type { Told } from './client.ts'
import { dayOf, type Kept, type World, words } from './world.ts'

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
export async function write(world: World, random: Dice, events: Kept[]): Promise<Told> {
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
