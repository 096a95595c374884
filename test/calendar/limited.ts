import type { Test } from 'tap'
import { must } from '../support/answers.ts'
import { type Api, build, EVENT } from '../support/app.ts'

/** The roles whose rights are limited. */
export const LIMITED = ['contributor', 'author', 'editor'] as const
export type Limited = (typeof LIMITED)[number]

/** Where an event is: in a category below the allowed one, at the allowed venue, or in another category at another venue. */
export const PLACES = ['jazz', 'hall', 'elsewhere'] as const
export type Place = (typeof PLACES)[number]
export const isInside = (place: Place) => place !== 'elsewhere'

export type LimitedApi = Api & {
  /** IDs of categories and venues by name. */
  ids: Record<'music' | 'jazz' | 'theatre' | 'hall' | 'barn', number>
  /** The members that put an event at a place. */
  at(place: Place): { categories?: number[]; venue?: number }
}

/** An application whose contributor, author and editor have rights for one category, with those below it, and one venue only. */
export async function buildLimited(t: Test, options: Parameters<typeof build>[1] = {}): Promise<LimitedApi> {
  const api = await build(t, options)
  const { administrator } = api
  const category = async (name: string, more: object = {}) =>
    (await must(administrator.post('/categories', { name, ...more }))).id as number
  const venue = async (name: string) =>
    (await must(administrator.post('/venues', { venue: name }))).id as number
  const music = await category('Music')
  const ids = {
    ...{ music, jazz: await category('Jazz', { parent: music }), theatre: await category('Theatre') },
    ...{ hall: await venue('Hall'), barn: await venue('Barn') },
  }
  for (const role of LIMITED)
    await api.app.store.users.update(api.credentials[role].id, {
      limits: { categories: [ids.music], venues: [ids.hall] },
    })
  const at = (place: Place) =>
    ({
      jazz: { categories: [ids.jazz] },
      hall: { categories: [ids.theatre], venue: ids.hall },
      elsewhere: { categories: [ids.theatre], venue: ids.barn },
    })[place]
  return { ...api, ids, at }
}

export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const
export type Status = (typeof STATUSES)[number]

/** An event as the matrix knows it. */
export type Known = { id: number; slug: string; owner: string; status: Status; place: Place; closed: boolean }

/** An event of an owner at a place with a status. */
export async function makeAt(
  { administrator, credentials, at }: LimitedApi,
  owner: Limited | 'administrator',
  status: Status,
  place: Place,
  more: object = {},
): Promise<Known> {
  const title = `${owner} ${status} ${place}${'password' in more ? ' closed' : ''}`
  const made = await must(
    administrator.post('/events', {
      ...{ ...EVENT, title, slug: title, description: 'Zither', author: credentials[owner].id },
      ...at(place),
      ...(status === 'future' && { date: '2027-05-01 10:00:00' }),
      ...more,
      status: status === 'trash' ? 'publish' : status,
    }),
  )
  const { id, slug } = status === 'trash' ? await must(administrator.delete(`/events/${made.id}`)) : made
  return { id, slug, owner, status, place, closed: 'password' in more }
}

const isPublished = (status: Status) => status === 'publish' || status === 'future'
/** What a limited role may do with own events, whatever their place. */
const roleEdits = (role: Limited, status: Status) => role !== 'contributor' || !isPublished(status)

/** Whether somebody with limits sees an event in lists of its status. */
export const lists = (role: Limited, { owner, status, place }: Known) =>
  status === 'publish' || owner === role || (role === 'editor' && isInside(place))
export const changes = (role: Limited, { owner, status, place }: Known) =>
  isInside(place) && (owner === role ? roleEdits(role, status) : role === 'editor')
/** Whether they see what a password protects. */
export const opens = (role: Limited, { owner, status, place }: Known) =>
  owner === role ? roleEdits(role, status) : role === 'editor' && isInside(place)
