import { must } from './answers.ts'
import type { Api, Client } from './app.ts'
import { EVENT, ROOT } from './given.ts'
import type { Person } from './store.ts'

/** An event with everything that has an address: a venue, organizers, terms below one another. */
export async function seed({ editor }: { editor: Client | Person }) {
  const add = (name: string, sent: object) =>
    must(
      'create' in editor
        ? editor.create(name === 'events' ? 'event' : 'category', sent)
        : editor.post(`/${name}`, sent),
    )
  const parent = await add('categories', { name: 'Arts' })
  await add('categories', { name: 'Music', parent: parent.id })
  return add('events', {
    ...EVENT,
    categories: ['music'],
    tags: ['open air'],
    venue: { venue: 'Hall', city: 'Vic' },
    organizer: [{ organizer: 'Choir' }, { organizer: 'Band' }],
  })
}

/** Every read that everyone may make, on the records of `seed`. */
export async function addresses(api: Api) {
  const event = await seed(api)
  const { body: picture } = await api.editor.send({
    method: 'POST',
    url: `${ROOT}/media`,
    headers: { 'content-type': 'image/gif' },
    payload: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  })
  await must(api.editor.patch(`/events/${event.id}`, { image: picture.id })) // everyone sees the pictures of public events
  return [
    '/events',
    `/events/${event.id}`,
    `/events/by-slug/${event.slug}`,
    '/venues',
    `/venues/${event.venue.id}`,
    '/organizers',
    `/organizers/${event.organizer[0].id}`,
    '/categories',
    `/categories/${event.categories[0].id}`,
    '/tags',
    `/tags/${event.tags[0].id}`,
    '/media',
    `/media/${picture.id}`,
  ]
}

/** A read of everyone with headers of its own. */
export const conditional = (api: Api, path: string, headers: Record<string, string>, method = 'GET') =>
  api.anonymous.send({ method, url: ROOT + path, headers } as never)
