import { extend } from '../../schemas/common.ts'
import { EventInput } from '../../schemas/event.ts'
import { LanguageInput } from '../../schemas/input.ts'
import { OrganizerInput } from '../../schemas/organizer.ts'
import { SeriesInput } from '../../schemas/series.ts'
import { VenueInput } from '../../schemas/venue.ts'
import { readMembers } from '../kernel/input/readers.ts'

/** Reads bodies as requests that would create records, on a site with these languages. */
export function openBodies(languages: readonly string[]) {
  const own = LanguageInput(languages)
  const schemas = {
    event: extend(EventInput, own),
    series: extend(SeriesInput, own),
    venue: extend(VenueInput, own),
    organizer: extend(OrganizerInput, own),
  }
  return (kind: keyof typeof schemas, body: Record<string, unknown>) => readMembers(schemas[kind], body)
}
