import type { Pictures } from '../../../calendar/media/pictures.ts'
import type { Store, Write, Writer } from '../../../calendar/store.ts'
import { GONE_BUT_EDITED, mustBeFew, REMOVAL_ORDER, removeRecord } from '../removals.ts'
import type { Imported, ImportedPage, RecordKind } from '../store.ts'
import { type DatesOf, findAlike, makeSeries } from './series.ts'
import { openWriter } from './site-writer.ts'
import { openLists, openSource } from './source.ts'
import { parentsFirst, readRecord, type SourceJson, type SourceRecord } from './source-records.ts'
import { openSiteReport, openSyncState, type SiteReport, type SyncState } from './sync-state.ts'
import { mustGoOn, openWeb, type WebOptions } from './web.ts'

export type SiteImportOptions = {
  /** Language of records that do not tell theirs; by default the first one here. */
  language?: string | undefined
  /** Leaves alone what is gone from the source. */
  keep?: boolean
  /** Goes on although much is gone from the source. */
  force?: boolean
  /** Whether pictures are downloaded. */
  media?: boolean
  /** Makes series of events that look like dates of one. */
  series?: boolean
  /** Tells what would be done, and writes nothing. */
  dryRun?: boolean
  /** Takes these changes alone, and reads no list. */
  changes?: SourceChange[]
  /** The number of the import that this one goes on with, under which it is remembered. */
  run?: number
  /** How many records went a short while ago: they count as those that are gone now. */
  lost?: number
}

/** A record of a source that was written, as it is now; without one that can not be seen there any more. */
export type SourceChange = { kind: RecordKind; id: number; record?: SourceJson }

/** What an import works with: all of it comes from whoever imports. */
export type SiteImport = {
  store: Store
  pictures: Pick<Pictures, 'bring' | 'discard'>
  /** Who creates the records, and owns them. */
  writer: Writer
  web: WebOptions
  /** The root of the API of the source. */
  root: string
  /** The name of a category that all events get as well. */
  category?: string | undefined
  /** Whether other sources are followed beside this one: no record keeps its ID then, which may be that of another one there. */
  isOneOfSeveral?: boolean
  /** Called after each page: how many records were looked at, of how many, and what became of them. */
  progress(done: number, total: number, counts: Record<string, number>): void
}

/** The kinds in the order in which they are imported: what others refer to comes first. */
const ORDER: RecordKind[] = ['category', 'tag', 'venue', 'organizer', 'series', 'event']
/** Records that are written at once. */
const BATCH = 50

/**
 * Imports the records of another calendar: creates those that are new, changes those that changed there, and puts in the trash those that are
 * gone. What was edited here since it was imported is left as it is. Stopped anywhere, the next import goes on from there. Throws errors that
 * can be told to people; what was written until then stays.
 */
export async function importCalendar(
  importing: SiteImport,
  options: SiteImportOptions = {},
): Promise<SiteReport> {
  const { store, writer, root, isOneOfSeveral = false, progress } = importing
  const { keep = false, force = false, media = true, dryRun = false, changes, lost = 0 } = options
  const found = await store.imports.source(root)
  const known = found.id === 0 && isOneOfSeveral ? { ...found, keeps_ids: false } : found
  const { run, source } = dryRun ? { run: 0, source: known } : await store.imports.begin(known, options.run)
  const sync = await openSyncState(store, source, run)
  const reporting = openSiteReport(root, run)
  const dates: DatesOf = new Map()
  const writeRecords = openWriter({ ...importing, sync, reporting, dates, media, dryRun })
  const api = openSource(openWeb(importing.web), root)
  const remembered: Record<string, ImportedPage> = { ...source.pages }
  const reading = { language: options.language, currency: store.site.currency }
  const lists = openLists({
    source: api,
    sync,
    reporting,
    remembered,
    reading,
    whole: options.series === true,
    media,
  })
  const lacking: SourceRecord[] = []
  let done = 0

  /** Writes records of the source, with what they show of others, in a bounded number of transactions. */
  async function importRecords(all: SourceRecord[]): Promise<boolean> {
    let isWhole = true
    for (const { kind, id } of all)
      if (kind === 'series' && !dates.has(id)) dates.set(id, await lists.datesOf(id))
    const embedded = all.flatMap((one) => (one.refused === undefined ? one.embedded : []))
    const unseen = embedded.filter(({ kind, id }) => sync.markSeen(kind, id))
    const of = (kind: RecordKind) => unseen.filter((one) => one.kind === kind)
    const ahead = [parentsFirst(of('category')), of('tag'), of('venue'), of('organizer')]
    for (const batch of [...ahead, all])
      for (let from = 0; from < batch.length; from += BATCH) {
        mustGoOn(importing.web.signal)
        const result = await writeRecords(batch.slice(from, from + BATCH))
        lacking.push(...result.lacking)
        isWhole &&= result.isWhole
      }
    return isWhole
  }
  const reportProgress = (records: number) => {
    done += records
    progress(done, lists.total(), reporting.totals())
  }

  async function importKind(kind: RecordKind) {
    const held: SourceRecord[] = []
    const pageNotes: (() => void)[] = []
    // terms come from the top, and events that look like a series all at once
    const isHeld = kind === 'category' || (kind === 'event' && options.series === true)
    for await (const { records, same, remember } of lists.of(kind)) {
      const fresh = records.filter(({ id }) => sync.markSeen(kind, id))
      if (isHeld) {
        held.push(...fresh)
        pageNotes.push(remember)
      } else if (await importRecords(fresh)) remember()
      reportProgress(isHeld ? same : records.length + same)
    }
    const all = kind === 'category' ? parentsFirst(held) : await withSeries(held)
    let isWhole = true
    for (let from = 0; from < all.length; from += BATCH) {
      const batch = all.slice(from, from + BATCH)
      if (!(await importRecords(batch))) isWhole = false
      reportProgress(batch.length)
    }
    if (isWhole) for (const remember of pageNotes) remember()
  }

  /** Takes records that changed, those first that others refer to. */
  async function importChanges(all: SourceChange[]) {
    for (const kind of ORDER) {
      const records = all.flatMap(({ kind: own, record }) =>
        own === kind && record ? [readRecord(kind, record, reading)] : [],
      )
      const fresh = records.filter(({ id }) => sync.markSeen(kind, id))
      await importRecords(kind === 'category' ? parentsFirst(fresh) : fresh)
      reportProgress(fresh.length)
    }
  }

  /** Makes series of the events that look like dates of one; returns all events. */
  async function withSeries(held: SourceRecord[]): Promise<SourceRecord[]> {
    const { series, events } = makeSeries(held, sync)
    for (const { one, dates: own } of series) {
      dates.set(one.id, own)
      sync.markSeen('series', one.id)
      await importRecords([one])
    }
    return events
  }

  /** Moves to the trash what seems gone, after asking for each record once more; terms that no event has are deleted. */
  async function removeGone(isGone: (row: Imported) => boolean) {
    const removals = { store, writer, sync, isSignedIn: importing.web.authorization !== undefined }
    const missing = await findMissing(removals, isGone)
    if (!keep && !force) mustBeFew(missing.length, sync.alive(), lost)
    for (const { row, name } of missing) {
      const { kind, remote_id: id } = row
      const there = await api.one(kind, id)
      if (there !== undefined) {
        await importRecords([readRecord(kind, there, reading)])
        continue
      }
      const why = keep
        ? undefined
        : await (dryRun ? reasonToStay(store, store.db.read, row) : remove(removals, row))
      reporting.add({ kind, id, name }, keep ? 'kept' : why === undefined ? 'gone' : 'left', why)
    }
  }

  let isBroken = true
  try {
    if (changes) await importChanges(changes)
    else {
      for (const kind of ORDER) await lists.begin(kind)
      let fewer = 0
      for (const [kind, total] of lists.totals()) fewer += Math.max(sync.alive(kind) - total, 0)
      if (!keep && !force) mustBeFew(fewer, sync.alive(), lost)
      for (const kind of ORDER) await importKind(kind)
    }
    const { lacking: still } = await writeRecords(lacking.splice(0), true)
    for (const one of still) reporting.note(one, 'a record that it refers to was not taken')
    const listed = lists.listed()
    const deleted = new Set(changes?.filter(({ record }) => !record).map(({ kind, id }) => `${kind} ${id}`))
    const isGone = changes
      ? ({ kind, remote_id }: Imported) => deleted.has(`${kind} ${remote_id}`)
      : ({ kind, remote_id }: Imported) => listed.includes(kind) && !sync.isSeen(kind, remote_id)
    await removeGone(isGone)
    if (!options.series && !changes) reporting.report.alike.push(...findAlike(lists.events()))
    isBroken = false
    return reporting.report
  } finally {
    if (!dryRun) await store.imports.end(run, remembered, reporting.totals(), isBroken, writer.by)
  }
}

/** A record that seems gone, by its name here. */
type Missing = { row: Imported; name: string }
type Removals = {
  store: Store
  writer: Writer
  sync: SyncState
  /** Whether the source knows who reads. */
  isSignedIn: boolean
}

/** The records that were imported and are gone, and that are there here and not in the trash. */
async function findMissing(
  { store, sync, isSignedIn }: Removals,
  isGone: (row: Imported) => boolean,
): Promise<Missing[]> {
  const found: Missing[] = []
  for (const kind of REMOVAL_ORDER)
    for (const row of sync.rows()) {
      if (row.kind !== kind || row.gone || !isGone(row)) continue
      const state = await store.imports.state(store.db.read, kind, row.record_id)
      if (state === undefined || state.status === 'trash') continue
      // visitors are not told of what is not published, so they can not say that it is gone
      if (isSignedIn || state.status === undefined || state.status === 'publish')
        found.push({ row, name: state.name })
    }
  return found
}

/** Removes a record here, unless it was written since; says why it was left. */
function remove({ store, writer, sync }: Removals, row: Imported): Promise<string | undefined> {
  const { kind, remote_id, record_id: id, digest } = row
  return removeRecord(
    store,
    writer,
    { kind, id },
    (tx) => reasonToStay(store, tx, row),
    async (tx) => {
      const version = (await store.imports.state(tx, kind, id))?.version ?? ''
      await sync.note({ tx }, { kind, id: remote_id }, { record_id: id, digest, version, gone: true })
    },
  )
}

/** Why a record stays that is gone from the source; undefined if it may go. */
async function reasonToStay(
  { imports }: Store,
  tx: Write['tx'],
  { kind, record_id: id, version, made_run }: Imported,
): Promise<string | undefined> {
  if ((await imports.state(tx, kind, id))?.version !== version) return GONE_BUT_EDITED
  if (kind !== 'category' && kind !== 'tag') return undefined
  if (made_run === null) return 'it is gone from the source, but was here before'
  return (await imports.isHeld(tx, kind, id))
    ? 'it is gone from the source, but events here have it'
    : undefined
}
