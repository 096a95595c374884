import { randomUUID } from 'node:crypto'
import { openAudit } from './access/audit-log.ts'
import { openSessions, openSignIns } from './access/sessions.ts'
import { openTickets } from './access/tickets.ts'
import { openKeyed, openTokens } from './access/tokens.ts'
import { type Ownership, openUsers } from './access/users.ts'
import { openChanges, openCompaction } from './database/changes.ts'
import { findMarker, withMarker } from './database/context.ts'
import type { Db } from './database/db.ts'
import { openOnce } from './database/stored-settings.ts'
import { openKeptAnswers } from './idempotency.ts'
import { openMails } from './outbound/mailing.ts'
import type { Site } from './site.ts'

/** What happens to users and records, by name, and what is told of it. Who says it declares it here. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled where events are emitted
export interface DomainEvents {}

type Name = keyof DomainEvents
type Listener<N extends Name> = (told: DomainEvents[N]) => Promise<void>

/** What one part of the service does when something happens in another. A listener is awaited inside the transaction of the write: what it throws undoes that. */
export function openDomainEvents() {
  const listeners: { [N in Name]?: Listener<N>[] } = {}
  return {
    /** Adds a listener; they run in the order in which they were added. */
    on<N extends Name>(name: N, listener: Listener<N>) {
      listeners[name] = [...(listeners[name] ?? []), listener] as never
    },
    /** Whether anybody listens. What is told need not be computed otherwise. */
    hears: (name: Name): boolean => listeners[name] !== undefined,
    async emit<N extends Name>(name: N, told: DomainEvents[N]) {
      for (const listener of listeners[name] ?? []) await listener(told)
    },
  }
}
export type EventBus = ReturnType<typeof openDomainEvents>

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
    mails: openMails(db, site, domainEvents),
    /** Answers that are kept for repeated requests. */
    kept: openKeptAnswers(db, site),
    markers: {
      /** Runs `work`; its writes leave a commit marker with this ID. */
      leave: withMarker,
      /** The commit marker with this ID; undefined if its write was not committed. Throws if that can not be known. */
      find: async (id: string) => findMarker(db, id) ?? (await db.findMarkerThere?.(id)),
    },
  }
}
export type KernelStore = ReturnType<typeof openKernelStore>
