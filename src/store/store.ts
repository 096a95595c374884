import { randomUUID } from 'node:crypto'
import type { Site } from '../rules/site.ts'
import { openSlices } from '../support/scheduler.ts'
import { openKeyed } from './accounts/keyed.ts'
import { openSessions } from './accounts/sessions.ts'
import { openTokens } from './accounts/tokens.ts'
import { openUsers } from './accounts/users.ts'
import { openAudit } from './changes/audit.ts'
import { openChanges } from './changes/changes.ts'
import { openLists } from './lists/events.ts'
import { openLinked } from './lists/linked.ts'
import { openParts } from './lists/parts.ts'
import { openPictureLists } from './lists/pictures.ts'
import { openPublic } from './lists/public.ts'
import { openTermLists } from './lists/terms.ts'
import { openEvents } from './records/events.ts'
import { openMedia } from './records/media/media.ts'
import { organizerWrites } from './records/organizers.ts'
import { openSchedule } from './records/schedule.ts'
import { openTerms } from './records/terms/terms.ts'
import { venueWrites } from './records/venues.ts'
import type { Db } from './sqlite/db.ts'
import { openOnce } from './sqlite/once.ts'
import { openCompaction } from './sync/compaction.ts'
import { openSync } from './sync/sync.ts'
import { openSyncTokens } from './sync/tokens.ts'
import { openDocuments } from './views/documents.ts'
import { openPublished } from './views/published.ts'
import { openRecords } from './views/records.ts'
import { openWebhooks } from './webhooks/webhooks.ts'

/** Everything that routes read and write. */
export function openStore(db: Db, site: Site) {
  const changes = openChanges(db)
  const keyed = openKeyed(db)
  const slices = openSlices()
  const records = openRecords(db, site)
  const followed = {
    documents: openDocuments(db, changes),
    lists: openLists(db, changes, slices),
    venues: { ...openLinked(db, site, slices, 'venue'), ...venueWrites },
    organizers: { ...openLinked(db, site, slices, 'organizer'), ...organizerWrites },
    categories: { ...openTermLists(db, 'category'), ...openTerms(db, 'category') },
    tags: { ...openTermLists(db, 'tag'), ...openTerms(db, 'tag') },
  }
  return {
    ...followed,
    db,
    changes,
    site,
    /** What distinguishes this calendar from all others, wherever it is served: made once, kept in backups. */
    identity: openOnce(db, 'site_id', randomUUID),
    sync: {
      ...openSync(changes, followed),
      ...openCompaction(db, changes, site),
      tokens: openSyncTokens(changes, keyed),
    },
    records,
    published: openPublished(records, changes),
    parts: openParts(openPublic(db), changes, slices),
    events: openEvents(),
    media: { ...openPictureLists(db, slices), ...openMedia(db, site) },
    users: openUsers(db, site, keyed),
    tokens: openTokens(db, changes, site, keyed),
    sessions: openSessions(db, site),
    webhooks: openWebhooks(db, changes, site),
    audit: openAudit(db, site),
    schedule: openSchedule(db, changes, site),
  }
}
export type Store = ReturnType<typeof openStore>
