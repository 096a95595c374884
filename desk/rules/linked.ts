import { readCoordinates, writeCoordinates } from './coordinates.ts'
import type { Picture } from './event.ts'

/** What events refer to and is written by itself. */
export type LinkedKind = 'venue' | 'organizer'

const TEXTS = ['phone', 'website'] as const
const OF_VENUES = ['address', 'zip', 'city', 'province', 'state', 'country'] as const
const FLAGS = ['show_map', 'show_map_link'] as const
type Text = (typeof TEXTS)[number] | (typeof OF_VENUES)[number] | 'email'

/** A venue or an organizer as a response of the API has it: members without a value are absent. */
export type LinkedRecord = {
  id: number
  author: string
  status: string
  modified_utc: string
  url: string
  language: string
  translations: Record<string, number>
  venue?: string
  organizer?: string
  description?: string
  image?: false | { id: number; url: string; sizes?: Record<string, { url: string }> }
  geo_lat?: number
  geo_lng?: number
  show_map?: boolean
  show_map_link?: boolean
} & Partial<Record<Text, string>>

/** A venue or an organizer as it is edited. What its kind lacks is empty. */
export type LinkedForm = Record<Text, string> &
  Record<(typeof FLAGS)[number], boolean> & {
    name: string
    description: string
    status: string
    language: string
    image: Picture
    /** As they are typed; empty for none. */
    coordinates: string
  }

/** The name of a venue or an organizer. */
export const nameOf = (kind: LinkedKind, record: LinkedRecord): string => record[kind] ?? ''

/** A record as it is edited. */
export const toLinkedForm =
  (kind: LinkedKind) =>
  (record: LinkedRecord): LinkedForm => {
    const text = (name: Text) => record[name] ?? ''
    const { image, geo_lat: lat, geo_lng: lng } = record
    return {
      ...{ phone: text('phone'), website: text('website'), email: text('email') },
      ...{ address: text('address'), zip: text('zip'), city: text('city') },
      ...{ province: text('province'), state: text('state'), country: text('country') },
      show_map: record.show_map ?? true,
      show_map_link: record.show_map_link ?? true,
      name: nameOf(kind, record),
      description: record.description ?? '',
      status: record.status,
      language: record.language,
      image: image ? { id: image.id, url: image.sizes?.medium?.url ?? image.url } : null,
      coordinates: lat === undefined || lng === undefined ? '' : writeCoordinates({ lat, lng }),
    }
  }

/** A venue or an organizer that nobody has written yet. */
export const emptyLinked = (kind: LinkedKind, language: string): LinkedForm =>
  toLinkedForm(kind)({
    ...{ id: 0, author: '', status: 'publish', modified_utc: '', url: '', language, translations: {} },
  })

const membersOf = (kind: LinkedKind): readonly string[] =>
  kind === 'venue' ? [...TEXTS, ...OF_VENUES, ...FLAGS] : [...TEXTS, 'email']

/** The members of a body for the names that an editor has changed. Coordinates are sent together, and must be readable. */
export const toLinkedBody =
  (kind: LinkedKind) =>
  (form: LinkedForm, names: readonly (keyof LinkedForm)[]): Record<string, unknown> => {
    const members = [...membersOf(kind), 'description', 'status']
    const body: Record<string, unknown> = {}
    for (const name of names) {
      if (name === 'name') body[kind] = form.name
      else if (name === 'language') body.i18n_language = form.language
      else if (name === 'image') body.image = form.image?.id ?? ''
      else if (name === 'coordinates' && kind === 'venue') {
        const { lat = null, lng = null } = readCoordinates(form.coordinates) ?? {}
        Object.assign(body, { geo_lat: lat, geo_lng: lng })
      } else if (members.includes(name)) body[name] = form[name]
    }
    return body
  }

/** The field of the form that shows an error of a member of a request. */
export const linkedFieldOf =
  (kind: LinkedKind) =>
  (member: string): string =>
    ({ [kind]: 'name', geo_lat: 'coordinates', geo_lng: 'coordinates', i18n_language: 'language' })[member] ??
    member
