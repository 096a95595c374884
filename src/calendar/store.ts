import type { Db } from '../kernel/database/db.ts'
import type { Feature, FeatureStores } from '../kernel/feature.ts'
import './errors.ts'
import './input/readers.ts'
import { HORIZON, type Site } from '../kernel/site.ts'
import { openKernelStore } from '../kernel/store.ts'
import { openScheduler } from '../kernel/tasks/scheduler.ts'
import { openLists } from './lists/events.ts'
import { openLinked } from './lists/linked.ts'
import { openPictureLists } from './lists/pictures.ts'
import { openParts, openPublic } from './lists/public.ts'
import { openTermLists } from './lists/terms.ts'
import { openUses } from './lists/uses.ts'
import { openConsistentReads, openPosts } from './operations/read.ts'
import { unlessSame } from './operations/same.ts'
import { type Condition, type Guard, openConditions, openRemoval, openWriting } from './operations/write.ts'
import { openEvents } from './records/events.ts'
import { openEventSets } from './records/facts/events.ts'
import { openDifferences } from './records/facts/sets.ts'
import { openLinkedSets, updateSeriesSet } from './records/facts/writes.ts'
import { openMedia } from './records/media/media.ts'
import { organizerWrites } from './records/organizers.ts'
import { openLimits, ownership } from './records/ownership.ts'
import { findByExternal } from './records/projection/externals.ts'
import { openSchedule } from './records/schedule.ts'
import { openRepeatingEvents } from './records/series/events.ts'
import { openHorizon } from './records/series/horizon.ts'
import { seriesWrites } from './records/series/writes.ts'
import { openTermKeys, type Taxonomy } from './records/terms/term-keys.ts'
import { openTerms } from './records/terms/terms.ts'
import { formerStatus } from './records/trash.ts'
import { venueWrites } from './records/venues.ts'
import { MOST, openMerging } from './search/merging.ts'
import { openSiteSettings } from './settings/site-settings.ts'
import { openDocuments } from './views/documents.ts'
import { openPublished, openRecords } from './views/records.ts'

/** What the kernel and the calendar read and write, by resource, and the operations on all of them. */
function openCalendar(db: Db, given: Site) {
  const site: Site = { horizon: HORIZON, ...given }
  const kernel = openKernelStore(db, site, ownership)
  const { changes } = kernel
  const scheduler = openScheduler()
  const records = openRecords(db, site)
  const events = openRepeatingEvents(openEvents())
  const followed = {
    documents: openDocuments(db, changes, site),
    lists: openLists(db, changes, scheduler),
    series: { ...openLinked(db, site, scheduler, 'series'), ...seriesWrites, update: updateSeriesSet },
    venues: {
      ...openLinked(db, site, scheduler, 'venue'),
      ...{ ...venueWrites, update: openLinkedSets('venue', venueWrites.update) },
    },
    organizers: {
      ...openLinked(db, site, scheduler, 'organizer'),
      ...{ ...organizerWrites, update: openLinkedSets('organizer', organizerWrites.update) },
    },
    categories: { ...openTermLists(db, 'category'), ...openTerms(db, 'category') },
    tags: { ...openTermLists(db, 'tag'), ...openTerms(db, 'tag') },
  }
  return {
    ...kernel,
    ...followed,
    site,
    settings: openSiteSettings(db, changes, site),
    records,
    published: openPublished(records, changes),
    parts: openParts(openPublic(db), changes, scheduler),
    events: { ...events, update: openEventSets(events) },
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
    unlessSame,
    /** With which status a record comes back from the trash. */
    former: formerStatus,
    remove: openRemoval(db, followed.documents),
    media: { ...openPictureLists(db, scheduler), ...openMedia(db, site), uses: openUses(db, scheduler) },
    /** What limits of rights mean now. */
    limits: openLimits(db, changes),
    /** Writes of one event or series alone, without its translations. */
    alone: { events, series: seriesWrites },
    schedule: openSchedule(db, changes, site),
    horizon: openHorizon(db, site),
    words: { ...openMerging(db), most: MOST },
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

export type {
  Files as TransferFiles,
  Given as TransferGiven,
  Line,
} from '../features/files/transfer/transfer.ts'
export { LINE_KINDS } from '../features/files/transfer/transfer.ts'
export type {
  Imported,
  ImportedPage,
  ImportRun,
  ImportSource,
  Noting,
  RecordKind,
  Version,
} from '../features/imports/store/imports.ts'
export type { Actor, AuditRow, Subject } from '../kernel/access/audit-log.ts'
export type { Opener, SessionRow } from '../kernel/access/sessions.ts'
export type { TokenRow } from '../kernel/access/tokens.ts'
export type { User } from '../kernel/access/users.ts'
export type { Carried } from '../kernel/database/carried.ts'
export type { Node, NodeStatus } from '../kernel/database/replication.ts'
export { LATE } from '../kernel/database/replication.ts'
export type { KeptAnswer, Repeatable } from '../kernel/idempotency.ts'
export { inUse } from '../kernel/idempotency.ts'
export type { Mail } from '../kernel/outbound/mailing.ts'
export type { External } from './formats/records.ts'
export type { Limit } from './index/histogram.ts'
export type { Modified } from './lists/conditions.ts'
export type { LinkedFilter } from './lists/linked.ts'
export type { PublicKind, PublicRecord } from './lists/public.ts'
export type { Selection } from './lists/selections/selection.ts'
export type { Suggested } from './lists/suggestions.ts'
export type { TermFilter } from './lists/terms.ts'
export type { Input, Writer } from './operations/write.ts'
export type { LinkedKind } from './records/linked.ts'
export type { Key, PostKind } from './records/posts.ts'
export type { TermKey } from './records/terms/terms.ts'
export type { PostInput, Write } from './records/write.ts'
export type { Choice, SettingsChange, SiteLink } from './settings/site-settings.ts'
export { SETTINGS_CHANGE } from './settings/site-settings.ts'
export type { Json, View } from './views/documents.ts'
/** What operations take and give. */
export type { Condition, Guard, Taxonomy }
