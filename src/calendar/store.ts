import './errors.ts'
import { randomUUID } from 'node:crypto'
import { openLimits } from '../kernel/access/limits.ts'
import { openSessions } from '../kernel/access/sessions.ts'
import { openSignIns } from '../kernel/access/sign-ins.ts'
import { openTickets } from '../kernel/access/tickets.ts'
import { openKeyed, openTokens } from '../kernel/access/tokens.ts'
import { openUsers } from '../kernel/access/users.ts'
import { openAudit } from '../kernel/audit/log.ts'
import { openChanges } from '../kernel/database/changes.ts'
import { openCompaction } from '../kernel/database/compaction.ts'
import {
  findMarker,
  withMarker,
  withoutWriteContext,
  withWriteContext,
  writeContext,
} from '../kernel/database/context.ts'
import type { Db } from '../kernel/database/db.ts'
import { openOnce } from '../kernel/database/stored-settings.ts'
import { openDomainEvents } from '../kernel/domain-events.ts'
import type { Feature, FeatureStores } from '../kernel/feature.ts'
import { openKeptAnswers } from '../kernel/idempotency/answers.ts'
import { openMails } from '../kernel/outbound/mails.ts'
import { HORIZON, type Site } from '../kernel/site.ts'
import { openScheduler } from '../kernel/tasks/scheduler.ts'
import { openHorizon } from './jobs/horizon.ts'
import { openSchedule } from './jobs/schedule.ts'
import { openEventLists } from './lists/event-lists.ts'
import { openLinkedLists, openTermLists } from './lists/linked-records.ts'
import { openMediaLists, openMediaUses } from './lists/media.ts'
import { openPublicRecords, openSitemapParts } from './lists/sitemap.ts'
import { findByExternal } from './records/externals.ts'
import { openMedia } from './records/media.ts'
import {
  type Condition,
  type Guard,
  openConditions,
  openConsistentReads,
  openWriting,
  undoIfUnchanged,
} from './records/operations.ts'
import { openPosts } from './records/posts.ts'
import { formerStatus, openRemoval } from './records/removal.ts'
import { openTermKeys, type Taxonomy } from './records/term-keys.ts'
import { openTerms } from './records/terms.ts'
import { openDifferences } from './records/translations.ts'
import { writes } from './records/writes.ts'
import { MOST_MERGED, openMerging } from './search/indexing.ts'
import { openSiteSettings } from './settings.ts'
import { openDocuments } from './views/documents.ts'
import { openPublished, openRecords } from './views/records.ts'

/** What the kernel and the calendar read and write, by resource, and the operations on all of them. */
function openCalendar(db: Db, given: Site) {
  const domainEvents = openDomainEvents()
  const site: Site = { horizon: HORIZON, ...given, domainEvents }
  const changes = openChanges(db)
  const keyed = openKeyed(db)
  const scheduler = openScheduler()
  const records = openRecords(db, site)
  const users = openUsers(db, site, keyed, domainEvents)
  const tokens = openTokens(db, changes, site, keyed)
  const signIns = openSignIns(db, site)
  const tickets = openTickets(db, site, keyed)
  const mails = openMails(db, site)
  const limits = openLimits(db, changes)
  const followed = {
    documents: openDocuments(db, changes, site),
    lists: openEventLists(db, changes, scheduler),
    series: { ...openLinkedLists(db, site, scheduler, 'series'), ...writes.series },
    venues: { ...openLinkedLists(db, site, scheduler, 'venue'), ...writes.venues },
    organizers: { ...openLinkedLists(db, site, scheduler, 'organizer'), ...writes.organizers },
    categories: { ...openTermLists(db, 'category'), ...openTerms(db, 'category') },
    tags: { ...openTermLists(db, 'tag'), ...openTerms(db, 'tag') },
  }
  return {
    ...followed,
    db,
    changes,
    site,
    /** What happens to users and records, for features that act on it. */
    domainEvents,
    /** What distinguishes this calendar from all others, wherever it is served: made once, kept in backups. */
    identity: openOnce(db, 'site_id', randomUUID),
    /** Removes old rows of the log of changes. */
    compaction: openCompaction(db, changes, site),
    settings: openSiteSettings(db, changes, site),
    audit: openAudit(db, site),
    keyed,
    records,
    published: openPublished(records, changes),
    parts: openSitemapParts(openPublicRecords(db), changes, scheduler),
    events: writes.events,
    /** In which facts the translations of a record differ. */
    differences: openDifferences(db),
    posts: openPosts(db),
    terms: openTermKeys(db),
    /** Repeats a read that a write overtakes, so that it shows one state of the data. */
    consistently: openConsistentReads(changes),
    /** Runs a write on a condition, if there is one. */
    writeOn: openConditions(changes),
    /** Writes of records with their context, and the context of checks before them. */
    ...openWriting(db, site),
    /** The ID of the record that another system calls so, as a connection sees it. */
    called: findByExternal,
    /** Undoes a write that changes nothing. */
    unlessSame: undoIfUnchanged,
    /** With which status a record comes back from the trash. */
    former: formerStatus,
    remove: openRemoval(db, followed.documents),
    /** The context of a request that its writes have. */
    carrying: { here: writeContext, carry: withWriteContext, nothing: withoutWriteContext },
    /** Answers that are kept for repeated requests. */
    kept: openKeptAnswers(db, site),
    markers: {
      /** Runs `work`; its writes leave a commit marker with this ID. */
      leave: withMarker,
      /** The commit marker with this ID; undefined if its write was not committed. Throws if that can not be known. */
      find: async (id: string) => findMarker(db, id) ?? (await db.findMarkerInTruth?.(id)),
    },
    media: { ...openMediaLists(db, scheduler), ...openMedia(db, site), uses: openMediaUses(db, scheduler) },
    users,
    /** What limits of rights mean now. */
    limits,
    tokens,
    sessions: openSessions(db, site),
    ...{ signIns, tickets, mails },
    schedule: openSchedule(db, changes, site),
    horizon: openHorizon(db, site),
    words: { ...openMerging(db), most: MOST_MERGED },
  }
}
export type Store = ReturnType<typeof openCalendar> & FeatureStores

/** Everything that a service with these features reads and writes: what the calendar does, and the part of each feature under its name. */
export function openStore(
  db: Db,
  site: Site,
  features: readonly Pick<Feature<Store, never, never>, 'openStore'>[],
): Store {
  const store = openCalendar(db, site) as Store
  for (const { openStore } of features) if (openStore) Object.assign(store, openStore(store))
  return store
}

export type { Opener, SessionRow } from '../kernel/access/sessions.ts'
export type { TokenRow } from '../kernel/access/tokens.ts'
export type { User } from '../kernel/access/users.ts'
export type { Actor, AuditRow, Subject } from '../kernel/audit/log.ts'
export type { WriteContext } from '../kernel/database/context.ts'
export type { Replica, ReplicaStatus } from '../kernel/database/replica.ts'
export { LAGGING } from '../kernel/database/replica.ts'
export type { KeptAnswer, Repeatable } from '../kernel/idempotency/answers.ts'
export { inUse } from '../kernel/idempotency/answers.ts'
export type { Mail } from '../kernel/outbound/mails.ts'
export type { External } from './formats/records.ts'
export type { DateLimit } from './index/days.ts'
export type { LinkedFilter, Modified, TermFilter } from './lists/linked-records.ts'
export type { Selection } from './lists/selection.ts'
export type { PublicKind, PublicRecord } from './lists/sitemap.ts'
export type { Suggested } from './lists/suggestions.ts'
export type { Input, Writer } from './records/operations.ts'
export type { Key, PostKind } from './records/posts.ts'
export type { TermKey } from './records/terms.ts'
export type { LinkedKind } from './records/venues-and-organizers.ts'
export type { PostInput, Write } from './records/write.ts'
export type { Choice, SettingsChange, SiteLink } from './settings.ts'
export { SETTINGS_CHANGE } from './settings.ts'
export type { Json, View } from './views/documents.ts'
/** What operations take and give. */
export type { Condition, Guard, Taxonomy }
