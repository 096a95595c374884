import { openChanges } from './changes.ts'
import type { Db } from './db.ts'
import { openDocuments } from './documents.ts'
import { openEvents } from './events.ts'
import { openKeyed } from './keyed.ts'
import { openLists } from './lists.ts'
import { openMedia } from './media.ts'
import { openOrganizers } from './organizers.ts'
import { openSchedule } from './schedule.ts'
import type { Site } from './site.ts'
import { openSlices } from './slices.ts'
import { openTerms } from './terms.ts'
import { openTokens } from './tokens.ts'
import { openUsers } from './users.ts'
import { openVenues } from './venues.ts'

/** Everything that routes read and write. */
export function openStore(db: Db, site: Site) {
  const changes = openChanges(db)
  const keyed = openKeyed(db)
  const slices = openSlices()
  return {
    db,
    changes,
    site,
    documents: openDocuments(db, changes),
    events: openEvents(),
    lists: openLists(db, changes, slices),
    venues: openVenues(db, site, slices),
    organizers: openOrganizers(db, site, slices),
    categories: openTerms(db, 'category'),
    tags: openTerms(db, 'tag'),
    media: openMedia(db, site),
    users: openUsers(db, site, keyed),
    tokens: openTokens(db, changes, site, keyed),
    schedule: openSchedule(db, changes, site),
  }
}
export type Store = ReturnType<typeof openStore>
