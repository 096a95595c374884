import './errors.ts'
import './readers.ts'
import type { ApplyTo } from '../../schemas/recurrence.ts'
import type { Db } from '../kernel/database/db.ts'
import type { Problems } from '../kernel/errors.ts'
import type { Feature, FeatureStores } from '../kernel/feature.ts'
import type { Site } from '../kernel/site.ts'
import { openDomainEvents, openKernelStore } from '../kernel/store.ts'
import { openScheduler } from '../kernel/tasks/scheduler.ts'
import { openOccurrenceWindow, openSchedule } from './jobs.ts'
import { openEventLists } from './lists/event-lists.ts'
import { openLinkedLists, openTermLists } from './lists/linked-records.ts'
import { openMediaLists, openMediaUses } from './lists/media.ts'
import { openPublicRecords, openSitemapParts } from './lists/sitemap.ts'
import { openTowns } from './lists/towns.ts'
import type { EventWrite } from './records/events.ts'
import { limitProblems, openLimits } from './records/limited-rights.ts'
import { openMedia } from './records/media.ts'
import {
  type Condition,
  type Guard,
  openConditions,
  openConsistentReads,
  openWriting,
  undoIfUnchanged,
} from './records/operations.ts'
import { findByExternal, type Key, openPosts, seekPost } from './records/posts.ts'
import { formerStatus, openRemoval, reassignRecords } from './records/removal.ts'
import { checkEvent, createEvent, createSeries, updateEvent } from './records/series/edits.ts'
import { checkSeries, type SeriesWrite, updateSeries } from './records/series/series.ts'
import { openTermKeys, type Taxonomy } from './records/term-keys.ts'
import { openTerms } from './records/terms.ts'
import {
  openDifferences,
  updateEventTranslations,
  updateLinkedTranslations,
  updateSeriesTranslations,
} from './records/translations.ts'
import {
  type LinkedKind,
  type LinkedWrites,
  organizerWrites,
  venueWrites,
} from './records/venues-and-organizers.ts'
import type { Write } from './records/write.ts'
import { MOST_MERGED, openMerging } from './search/indexing.ts'
import { openSiteSettings } from './settings.ts'
import { openDocuments } from './views/documents.ts'
import { openPublished, openRecords } from './views/records.ts'

declare module '../kernel/site.ts' {
  interface Site {
    /** How many days ahead series have dates. */
    seriesDays?: number
  }
}
/** As many as lists without dates look ahead. */
const SERIES_DAYS = 730

/** Writes of venues or organizers. */
function linkedWrites<K extends LinkedKind>(kind: K, writes: LinkedWrites<K>) {
  const { update } = writes
  type Sent = Parameters<typeof update>[2]
  return {
    ...writes,
    update: (w: Write, key: Key, sent: Sent, all = false): Promise<number> =>
      all ? updateLinkedTranslations(kind, update, w, key, sent) : update(w, key, sent),
  }
}

/**
 * The writes of each kind of record, inside a transaction. `check` gives the problems of what is sent for a new record, or for the one that a
 * URL names. `create` and `update` throw these, check rights, save the rows (`savePost` of records/write.ts and the file of the kind), end in `project`
 * (records/projection.ts) and return the ID. An update with `all` is shared with the translations that the caller may edit.
 */
const writes = {
  events: {
    check: checkEvent,
    create: createEvent,
    /** Of a date of a series `range` says to which dates the update applies. */
    update: (w: Write, key: Key, sent: EventWrite, range?: ApplyTo, all = false): Promise<number> =>
      all ? updateEventTranslations(w, key, sent, range) : updateEvent(w, key, sent, range),
  },
  series: {
    check: async (w: Write, sent: SeriesWrite, key?: Key): Promise<Problems> =>
      checkSeries(w, sent, key && (await seekPost(w.tx, 'series', key, w.caller))),
    create: async (w: Write, sent: SeriesWrite): Promise<number> => (await createSeries(w, sent)).post.id,
    update: (w: Write, key: Key, sent: SeriesWrite, all = false): Promise<number> =>
      all ? updateSeriesTranslations(w, key, sent) : updateSeries(w, key, sent),
  },
  venues: linkedWrites('venue', venueWrites),
  organizers: linkedWrites('organizer', organizerWrites),
}

/** What the kernel and the calendar read and write, by resource, and the operations on all of them. */
function openCalendar(db: Db, given: Site) {
  const domainEvents = openDomainEvents()
  const site: Site = { seriesDays: SERIES_DAYS, ...given, domainEvents }
  const kernel = openKernelStore(db, site, domainEvents, { limitProblems, reassign: reassignRecords })
  const { changes } = kernel
  const scheduler = openScheduler()
  const records = openRecords(db, site)
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
    ...kernel,
    ...followed,
    site,
    settings: openSiteSettings(db, changes, site),
    records,
    published: openPublished(records, changes),
    /** Towns for a choice. */
    towns: openTowns(db),
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
    media: { ...openMediaLists(db, scheduler), ...openMedia(db, site), uses: openMediaUses(db, scheduler) },
    /** What limits of rights mean now. */
    limits: openLimits(db, changes),
    schedule: openSchedule(db, changes, site),
    occurrenceWindow: openOccurrenceWindow(db, site),
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

export type { Actor, AuditRow, Subject } from '../kernel/access/audit-log.ts'
export type { Opener, SessionRow } from '../kernel/access/sessions.ts'
export type { TokenRow } from '../kernel/access/tokens.ts'
export type { User } from '../kernel/access/users.ts'
export type { Join } from '../kernel/database/context.ts'
export type { Replica, ReplicaStatus } from '../kernel/database/replica.ts'
export { LAGGING } from '../kernel/database/replica.ts'
export type { KeptAnswer, Repeatable } from '../kernel/idempotency.ts'
export { inUse } from '../kernel/idempotency.ts'
export type { Mail } from '../kernel/outbound/mailing.ts'
export type { External } from './formats/records.ts'
export type { DateLimit } from './index/day-histogram.ts'
export type { LinkedFilter, Modified, TermFilter } from './lists/linked-records.ts'
export type { Selection } from './lists/selection.ts'
export type { PublicKind, PublicRecord } from './lists/sitemap.ts'
export type { Suggested } from './lists/suggestions.ts'
export type { Input, Writer } from './records/operations.ts'
export { UNCONDITIONAL } from './records/operations.ts'
export type { Key, PostKind } from './records/posts.ts'
export type { TermKey } from './records/terms.ts'
export type { LinkedKind } from './records/venues-and-organizers.ts'
export type { PostInput, Write } from './records/write.ts'
export type { Choice, SettingsChange, SiteLink } from './settings.ts'
export { SETTINGS_CHANGE } from './settings.ts'
export type { Json, View } from './views/documents.ts'
/** What operations take and give. */
export type { Condition, Guard, Taxonomy }
