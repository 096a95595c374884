import type { Api } from './app.ts'
import { must } from './events.ts'
import { ROOT } from './given.ts'
import { seed } from './seed.ts'

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
