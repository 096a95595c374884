import { declareErrors } from '../kernel/errors.ts'

/** The errors of the calendar: code, status and meaning. */
export const CALENDAR_ERRORS = declareErrors({
  empty_content: [400, 'The title of an event has no text.'],
  empty_term_name: [400, 'The name of a category or tag is blank.'],
  term_name_too_long: [400, 'The name of a category or tag has more than 200 characters.'],
  term_exists: [400, 'A category with this name and parent exists already, or a tag with this name.'],
  duplicate_term_slug: [400, 'Another category or tag has this slug.'],
  rest_taxonomy_not_hierarchical: [400, 'Tags have no parent.'],
  'could-not-create-venue': [400, 'The name of a venue has no text, also inside an event.'],
  'could-not-create-organizer': [400, 'The name of an organizer has no text, also inside an event.'],
  'event-not-accessible': [403, 'The event is not published, and the caller may not read it.'],
  'series-not-accessible': [403, 'The series is not published, and the caller may not read it.'],
  'venue-not-accessible': [403, 'The venue is not published, and the caller may not read it.'],
  'organizer-not-accessible': [403, 'The organizer is not published, and the caller may not read it.'],
  'event-no-longer-available': [403, 'The event is in the trash.'],
  'event-password-protected': [403, 'The event is protected; send its password in the parameter `password`.'],
  'rest-event-not-found': [404, 'There is no such event.'],
  'series-not-found': [404, 'There is no such series.'],
  'venue-not-found': [404, 'There is no such venue.'],
  'organizer-not-found': [404, 'There is no such organizer.'],
  'category-not-found': [404, 'There is no such category.'],
  'tag-not-found': [404, 'There is no such tag.'],
  'media-not-found': [404, 'There is no such media file.'],
  'event-archive-page-not-found': [404, 'The list of events has no such page.'],
  'series-archive-page-not-found': [404, 'The list of series has no such page.'],
  'venue-archive-page-not-found': [404, 'The list of venues has no such page.'],
  'organizer-archive-page-not-found': [404, 'The list of organizers has no such page.'],
  'category-archive-page-not-found': [404, 'The list of categories has no such page.'],
  'tag-archive-page-not-found': [404, 'The list of tags has no such page.'],
  'media-archive-page-not-found': [404, 'The list of media has no such page.'],
  external_id_taken: [
    409,
    'Another record of this kind has this `source` and `external_id`, perhaps one in the trash.',
  ],
  'event-is-in-trash': [410, 'The event is in the trash already; an update with a `status` restores it.'],
  'series-is-in-trash': [410, 'The series is in the trash already; an update with a `status` restores it.'],
  'venue-is-in-trash': [410, 'The venue is in the trash already; an update with a `status` restores it.'],
  'organizer-is-in-trash': [
    410,
    'The organizer is in the trash already; an update with a `status` restores it.',
  ],
})

type Errors = typeof CALENDAR_ERRORS
declare module '../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}
