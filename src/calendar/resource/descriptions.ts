import type { SyncKind } from '../../../schemas/changes.ts'
import type { OperationKind } from '../../kernel/openapi/responses.ts'

const LISTS: Record<SyncKind, string> = {
  event:
    'Returns events ordered by start, or by `orderby` and `order`: without date filters those from yesterday to 24 months ahead. See *Default dates of lists*. `geoloc_radius` is in kilometres.',
  series: 'Returns series, newest first. Their dates are events; `/events?series=4` lists them.',
  venue: 'Returns venues, newest first. `geo_lat` and `geo_lng` are in degrees.',
  organizer: 'Returns organizers, newest first.',
  category:
    'Returns categories ordered by name. Those without published events are returned only with `hide_empty=false`.',
  tag: 'Returns tags ordered by name. Those without published events are returned only with `hide_empty=false`.',
}
const CREATES: Record<SyncKind, string> = {
  event:
    'Creates an event. `start_date` and `end_date` are local times in the time zone of the event, unless they have an offset. Venues, organizers, categories and tags are given by ID or created together with the event. If one of them is invalid, nothing is created.',
  series:
    'Creates a series and its dates as far as two years ahead. `start_date` and `end_date` are those of the first one. If anything is invalid, nothing is created.',
  venue: 'Creates a venue, even if one with the same name exists.',
  organizer: 'Creates an organizer, even if one with the same name exists.',
  category:
    'Creates a category. Its name must be unique among the children of its parent, unless `slug` distinguishes it. Requires the role `author` or above.',
  tag: 'Creates a tag. Its name must be unique, unless `slug` distinguishes it. Requires the role `editor` or above.',
}
const READS: Record<SyncKind, string> = {
  event:
    'Returns one event with its venues, organizers and terms. A protected event requires its `password`, unless the caller may edit it.',
  series: 'Returns one series. A protected series requires its `password`, unless the caller may edit it.',
  venue: 'Returns one venue.',
  organizer: 'Returns one organizer.',
  category: 'Returns one category.',
  tag: 'Returns one tag.',
}
const TRANSLATED =
  'With `i18n_language`, or with a path that starts with `/ca`, `/en` or `/es`, this applies to its translation, if there is one.'
const TO_TRASH =
  'Moves the record to the trash and returns it. `POST` to its path with `/restore` brings it back as it was, an update with a `status` with that. With `force=true`, deletes it permanently.'
const DELETES: Record<SyncKind, string> = {
  event: TO_TRASH,
  series:
    'Moves the series with its dates to the trash and returns it. `POST` to its path with `/restore`, or an update with a `status`, restores it with those dates that were not deleted on their own. With `force=true`, deletes all of it permanently.',
  venue: `${TO_TRASH} Its events keep their other venues.`,
  organizer: `${TO_TRASH} Its events keep their other organizers.`,
  category: 'Deletes the category permanently and returns it. Its children move up to its parent.',
  tag: 'Deletes the tag permanently and returns it.',
}
const UPDATES =
  'Changes the fields that are sent and keeps the others. Send the `ETag` of a read in `If-Match` to be sure that the record has not changed since.'

/** The description of an operation on a resource: what the introduction does not say. */
export function descriptionOf(kind: OperationKind, name: SyncKind): string {
  const words: Record<OperationKind, string> = {
    list: LISTS[name],
    create: CREATES[name],
    read: `${READS[name]} ${TRANSLATED}`,
    update: UPDATES,
    delete: DELETES[name],
  }
  return words[kind]
}
