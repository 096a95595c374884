import { STATUSES } from '../../../../schemas/common.ts'
import {
  blank,
  idOf,
  linesOf,
  membersOf,
  pictureOf,
  type Shown,
  type Taken,
  textOf,
  translationsOf,
} from './taken.ts'

/** The members that venues have as lines of text. */
const VENUE = ['venue', 'address', 'city', 'country', 'province', 'state', 'zip', 'phone', 'stateprovince']
const ORGANIZER = ['organizer', 'phone', 'email']

/** What is shown as the date of what was never published. */
const NEVER = '0000-00-00 00:00:00'

/** What all records but terms have. */
export function takePost(record: Shown, language?: string): Taken['body'] {
  const date = textOf(record, 'date_utc')
  return {
    slug: textOf(record, 'slug'),
    status: textOf(record, 'status') ?? 'publish',
    ...(date !== undefined && date !== NEVER && { date_utc: date }),
    description: textOf(record, 'description') ?? null,
    i18n_language: textOf(record, 'language') ?? language,
  }
}

/** Why the status of a record keeps it from being taken; undefined if it does not. */
export function refusalOf({ status }: Taken['body']): string | undefined {
  return (STATUSES as readonly unknown[]).includes(status) && status !== 'trash'
    ? undefined
    : `its status is ${status}, which records here do not have`
}

/** What is taken of a venue or organizer, from a list or from an event that shows it. */
export function takePlace(kind: 'venue' | 'organizer', record: Shown, language?: string): Taken {
  const name = textOf(record, kind)
  const own =
    kind === 'venue'
      ? { ...linesOf(record, VENUE), ...membersOf(record, ['show_map', 'show_map_link']), ...pointOf(record) }
      : linesOf(record, ORGANIZER)
  const body = { ...takePost(record, language), ...own, website: textOf(record, 'website') ?? null }
  const refused = name === undefined ? 'it is under a password, or has no name' : refusalOf(body)
  return {
    ...blank(kind, idOf(record.id)),
    ...{ name: name ?? textOf(record, 'slug') ?? '', body, image: pictureOf(record) },
    translations: translationsOf(record),
    ...(refused !== undefined && { refused }),
  }
}

/** Where a venue is: both coordinates or none. */
function pointOf(record: Shown) {
  const [geo_lat, geo_lng] = [Number(textOf(record, 'geo_lat')), Number(textOf(record, 'geo_lng'))]
  return Number.isFinite(geo_lat) && Number.isFinite(geo_lng)
    ? { geo_lat, geo_lng }
    : { geo_lat: null, geo_lng: null }
}
