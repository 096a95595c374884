import { randomUUID } from 'node:crypto'
import { openAudit } from './access/audit-log.ts'
import { openSessions, openSignIns } from './access/sessions.ts'
import { openTickets } from './access/tickets.ts'
import { openKeyed, openTokens } from './access/tokens.ts'
import { type Ownership, openUsers } from './access/users.ts'
import { openChanges } from './database/changes.ts'
import { openCompaction } from './database/compaction.ts'
import { findMarker, withMarker } from './database/context.ts'
import type { Db } from './database/db.ts'
import { openOnce } from './database/stored-settings.ts'
import type { EventBus } from './domain-events.ts'
import { openKeptAnswers } from './idempotency.ts'
import { openMails } from './outbound/mailing.ts'
import type { Site } from './site.ts'

/** What the kernel reads and writes. `ownership` says what users have to do with the records of the service. */
export function openKernelStore(db: Db, site: Site, domainEvents: EventBus, ownership: Ownership) {
  const changes = openChanges(db)
  const keyed = openKeyed(db)
  return {
    db,
    changes,
    /** What happens to users and records, for features that act on it. */
    domainEvents,
    /** What distinguishes this service from all others, wherever it is served: made once, kept in backups. */
    identity: openOnce(db, 'site_id', randomUUID),
    /** Removes old rows of the log of changes. */
    compaction: openCompaction(db, changes, site),
    audit: openAudit(db, site),
    keyed,
    users: openUsers(db, site, keyed, domainEvents, ownership),
    tokens: openTokens(db, changes, site, keyed, ownership),
    sessions: openSessions(db, site),
    signIns: openSignIns(db, site),
    tickets: openTickets(db, site, keyed),
    mails: openMails(db, site),
    /** Answers that are kept for repeated requests. */
    kept: openKeptAnswers(db, site),
    markers: {
      /** Runs `work`; its writes leave a commit marker with this ID. */
      leave: withMarker,
      /** The commit marker with this ID; undefined if its write was not committed. Throws if that can not be known. */
      find: async (id: string) => findMarker(db, id) ?? (await db.findMarkerInTruth?.(id)),
    },
  }
}
export type KernelStore = ReturnType<typeof openKernelStore>
