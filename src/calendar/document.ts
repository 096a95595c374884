import * as event from '../../schemas/event.ts'
import { PARTS } from '../../schemas/links.ts'
import * as media from '../../schemas/media.ts'
import * as organizer from '../../schemas/organizer.ts'
import * as output from '../../schemas/output.ts'
import * as recurrence from '../../schemas/recurrence.ts'
import { RecurrenceRule } from '../../schemas/revision.ts'
import * as root from '../../schemas/root.ts'
import * as series from '../../schemas/series.ts'
import * as settings from '../../schemas/settings.ts'
import * as suggestion from '../../schemas/suggestion.ts'
import * as term from '../../schemas/term.ts'
import * as venue from '../../schemas/venue.ts'
import type { Documented } from '../kernel/openapi/document.ts'
import { CALENDAR_ERRORS } from './errors.ts'

/** What the calendar adds to the document. */
export const CALENDAR: Documented = {
  errors: CALENDAR_ERRORS,
  tags: {
    Events: 'Events with their dates, venue, organizers, categories and tags, by ID or by slug.',
    Series: 'Events that repeat, by a rule of RFC 5545 or by dates. Their dates are events.',
    Venues: 'Places where events happen, with address and coordinates.',
    Organizers: 'People and organisations that host events.',
    Categories: 'Hierarchical categories of events. A filter by category includes its descendants.',
    Tags: 'Tags of events, without a hierarchy.',
    Media: 'Images of events, venues and organizers, each with resized versions.',
    Search: 'What visitors may mean while they type. `q` of lists of events is the search itself.',
    Settings: 'How the site shows itself, and what its records are written with. For administrators only.',
    Index: 'The routes of this API, and this document.',
    Aliases:
      'Other ways to do what PATCH and DELETE by ID do: writes by slug, and PUT and POST for existing clients.',
  },
  answers: [
    ...PARTS,
    output.DateDetails,
    output.ImageSize,
    output.Image,
    event.EmbeddedTerm,
    event.CostDetails,
    event.ImageOrFalse,
    event.VenueOrVenues,
    event.Event,
    event.EventPage,
    recurrence.Recurrence,
    series.Series,
    series.SeriesPage,
    RecurrenceRule,
    venue.Venue,
    venue.VenuePage,
    organizer.Organizer,
    organizer.OrganizerPage,
    term.TermUrls,
    term.Category,
    term.CategoryPage,
    term.Tag,
    term.TagPage,
    suggestion.Suggestions,
    media.Media,
    media.MediaPage,
    media.MediaUpload,
    media.MediaUses,
    root.Index,
    root.Document,
    settings.SiteLink,
    settings.Settings,
  ],
}
