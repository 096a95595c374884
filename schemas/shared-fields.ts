import { Type } from '@sinclair/typebox'
import { StringEnum } from './common.ts'

const POST = ['image', 'website', 'status'] as const
const DATES = ['start_date', 'end_date', 'timezone', 'all_day'] as const
const EVENT = [
  ...DATES,
  'venue',
  'organizer',
  'cost',
  ...POST,
  'show_map',
  'show_map_link',
  'hide_from_listings',
  'sticky',
  'featured',
  'ticketed',
  'event_status',
  'attendance_mode',
  'virtual_url',
] as const

/**
 * The shared fields of each kind, which the documentation calls facts: the members that mean the same in every language of a translation
 * group (R17). A write with `translations=all` applies those that it sends to the whole group, a new translation inherits them from its
 * original, and those that differ are reported.
 */
export const SHARED_FIELDS = {
  event: [...EVENT, 'post_parent'],
  series: [...EVENT, 'recurrence'],
  venue: ['address', 'zip', 'phone', 'geo_lat', 'geo_lng', 'show_map', 'show_map_link', ...POST],
  organizer: ['phone', 'email', ...POST],
} as const satisfies Record<string, readonly string[]>

const PUBLICATION = ['date', 'date_utc'] as const
const DATED = [...PUBLICATION, 'categories', 'tags'] as const

/**
 * Shared fields that may differ: names of places, which each language writes in its own way, categories and tags, and the date of publication.
 * They go with a write that changes them. A new translation inherits all but the date, which it inherits only with the status `future`.
 */
export const SHARED_IF_CHANGED = {
  event: DATED,
  series: DATED,
  venue: ['city', 'country', 'province', 'state', 'stateprovince', ...PUBLICATION],
  organizer: PUBLICATION,
} as const satisfies Record<keyof typeof SHARED_FIELDS, readonly string[]>

/** The shared fields that make up when an event takes place: if one of them changes, all are shared. */
export const SPAN_FIELDS: readonly string[] = DATES

/** The members that a create must have, unless it is a translation, which inherits them from its original. */
export const INHERITED_IF_MISSING: readonly string[] = ['start_date', 'end_date', 'recurrence']

/** For which records of a translation group a write is, as a parameter of the address. */
export const ForTranslations = {
  translations: Type.Optional(
    StringEnum(['all'], {
      description:
        '`all` applies what the write changes of the facts, such as dates, venue, price and status, to all translations that the caller may edit, and a deletion to all of them. Texts stay as they are. By default a write is to one record.',
      examples: ['all'],
    }),
  ),
}
