import type { Pictures } from '../../../calendar/media/pictures.ts'
import type { PostKind, Store, Write, Writer } from '../../../calendar/store.ts'
import { inTurns } from '../../../kernel/tasks/scheduler.ts'
import { toWall } from '../../../kernel/time/dates.ts'
import type { Body, Item, Kind } from '../files/item.ts'
import { type Following, type Found, OWN } from '../files/records.ts'
import { mergeReports, openReport, type ReadBody, type Report, totalsOf } from '../files/report.ts'
import { writeItems } from '../files/writer.ts'
import { mustBeFew, removeRecord } from '../site/removals.ts'
import { mustGoOn } from '../site/web.ts'
import type { Imported, ImportSource } from '../store.ts'
import type { FeedSource } from './discovery.ts'
import { type ParsedFeed, readFeed } from './feed.ts'

/** A feed, and what it is imported with. */
export type FeedImport = FeedSource & {
  store: Store
  pictures: Pick<Pictures, 'bring' | 'discard'>
  read: ReadBody
  /** Who creates the records, and owns them. */
  writer: Writer
  /** The name of a category that all events get as well. */
  category?: string | undefined
  /** Breaks off what is under way. */
  signal?: AbortSignal | undefined
  progress?: (done: number, total: number) => void
}
export type FeedImportOptions = {
  /** The time zone of times that have none; by default that of the site. */
  zone?: string | undefined
  status?: string | undefined
  /** Leaves alone what is gone from the feed. */
  keep?: boolean
  /** Goes on although much is gone from the feed. */
  force?: boolean
  /** Whether pictures are downloaded. */
  media?: boolean
  /** Tells what would be done, and writes nothing. */
  dryRun?: boolean
  /** The number of the import that this one goes on with. */
  run?: number
  /** How many events went a short while ago. */
  lost?: number
}
/** What became of a feed: of its events, and of those that are gone from it. */
export type FeedReport = Report & { source: string; run: number; gone: Gone[] }

/** The name of a source, under which the IDs of its events are kept: the host that it is at. */
const sourceName = (address: string): string => new URL(address).host.slice(0, 100)

/** The records here that the events of a feed are of: those of their kind, else of the other. */
async function findSeen(store: Store, items: readonly Item[], source: string): Promise<Set<string>> {
  const seen = new Set<string>()
  for (const { external_id, body, refused } of items) {
    const kinds = ['event', 'series'] as const
    for (const kind of body.recurrence ? kinds.toReversed() : kinds) {
      const id = await store.called(store.db.read, kind, { source, external_id })
      if (id === undefined) continue
      seen.add(`${kind} ${id}`)
      // of an event that can not be read it is not known which kind it is
      if (refused === undefined) break
    }
  }
  return seen
}

/** Members that an event of a feed has no more if the feed does not tell them. */
const CLEARED = { description: null, website: null, venue: null, organizer: null, virtual_url: null }

/** The events of a feed with what all of them get. */
function completed(
  items: Item[],
  { category, status, media }: { category: string | undefined; status: string; media: boolean },
): Item[] {
  const within = (body: Body): Body => ({
    ...body,
    categories: [...(category === undefined ? [] : [category]), ...((body.categories ?? []) as string[])],
  })
  const base = { ...CLEARED, attendance_mode: null, status, ...(media && { image: null }) }
  return items.map((item) => ({
    ...item,
    body: { ...base, ...within(item.body) },
    dates: item.dates.map((date) => ({ ...date, body: within(date.body) })),
  }))
}

/**
 * Imports the events of a feed: creates those that are new, changes those that changed there, and puts in the trash those to come that are gone.
 * What was edited here since it was imported is left as it is. Throws errors that can be told to people.
 */
export async function importFeed(
  importing: FeedImport,
  text: string,
  options: FeedImportOptions = {},
): Promise<FeedReport> {
  const { store, writer, pictures, read, address, shown, signal, progress } = importing
  const { zone = store.site.zone, status = 'publish', media = true, dryRun = false } = options
  const { keep = false, force = false, lost = 0 } = options
  const source = sourceName(address)
  const { languages } = store.site
  const feed = await inTurns(readFeed(text, { zone, media, languages, address, shown }))
  const items = completed(feed.items, { category: importing.category, status, media })
  const { report, addFault } = openReport()
  for (const fault of feed.faults) addFault(fault)

  const known = { ...(await store.imports.source(address)), keeps_ids: false }
  const seen = await findSeen(store, items, source)
  const removals = openRemovals(store, writer, { known, seen, feed })
  const missing = await removals.find(keep || force ? undefined : lost)
  const { run, source: row } = dryRun
    ? { run: 0, source: known }
    : await store.imports.begin(known, options.run)
  const sync = await openSyncState(store, row, run)
  const whole: FeedReport = { ...report, source: shown, run, gone: [] }
  let isBroken = true
  try {
    const written = await writeItems(store, items, {
      read,
      pictures,
      writer,
      source,
      dry: dryRun,
      following: sync.following,
      noting: dryRun ? undefined : { source: row.id, run },
      progress(done, total) {
        mustGoOn(signal)
        progress?.(done, total)
      },
    })
    Object.assign(whole, mergeReports(report, written))
    if (!keep) whole.gone = await removals.removeAll(missing, sync, dryRun)
    isBroken = false
    return whole
  } finally {
    const gone = whole.gone.filter(({ why }) => why === undefined).length
    const counts = { ...totalsOf(whole), ...(gone > 0 && { gone }) }
    if (!dryRun) await store.imports.end(run, row.pages, counts, isBroken, writer.by)
  }
}

/** An event that is gone from a feed, and why it was left as it is. */
type Gone = { kind: 'event' | 'series'; id: number; name: string; why?: string }

type Missing = Awaited<ReturnType<Store['imports']['upcoming']>>[number]

const GONE_BUT_EDITED = 'it is gone from the source, but was edited here since'

/**
 * Removes what is gone from a feed, if it is still to come: many feeds tell nothing of the past. A feed with lines that can not be read may tell
 * of more than was understood, so nothing is gone from it.
 */
function openRemovals(
  store: Store,
  writer: Writer,
  { known, seen, feed: { faults, reach } }: { known: ImportSource; seen: Set<string>; feed: ParsedFeed },
) {
  const upcoming = () => store.imports.upcoming(known.id, toWall(store.site.clock(), 'UTC'))
  const missingIn = (rows: Missing[]) =>
    rows.filter(
      ({ kind, id, starts }) =>
        faults.length === 0 && !seen.has(`${kind} ${id}`) && (reach === undefined || starts <= reach),
    )

  async function remove(sync: SyncState, row: Missing): Promise<string | undefined> {
    const { id, version, next } = row
    const kind = row.kind as Gone['kind']
    let why: string | undefined
    const guard = async <T>(tx: Write['tx'], work: () => Promise<T>): Promise<T> => {
      if ((await store.imports.state(tx, kind, id))?.version !== version) why = GONE_BUT_EDITED
      if (why !== undefined) return { id } as T
      const done = await work()
      await sync.noteGone({ tx }, { kind, id })
      return done
    }
    // dates of a series that are over stay
    const range = kind === 'series' && { range: 'following' as const }
    await removeRecord(store, writer, { kind: 'event', id: next, ...range }, guard)
    return why
  }

  return {
    /** Finds what is gone, before anything is written. With `lost`, what went a short while ago, throws if it is much. */
    async find(lost: number | undefined): Promise<Missing[]> {
      const rows = await upcoming()
      const missing = missingIn(rows)
      if (lost !== undefined) mustBeFew(missing.length, rows.length, lost)
      return missing
    },
    /** Moves to the trash what is gone; if `dry`, tells what would go. */
    async removeAll(missing: Missing[], sync: SyncState, dry: boolean): Promise<Gone[]> {
      const gone: Gone[] = []
      for (const row of missing) {
        const { id, name, version } = row
        const kind = row.kind as Gone['kind']
        const isEdited = async () => (await store.imports.state(store.db.read, kind, id))?.version !== version
        const why = dry ? ((await isEdited()) ? GONE_BUT_EDITED : undefined) : await remove(sync, row)
        gone.push({ kind, id, name, ...(why !== undefined && { why }) })
      }
      return gone
    },
  }
}

type InTransaction = Pick<Write, 'tx'>

const ELSEWHERE = 'it is here from elsewhere'
const EDITED = 'it was edited here since'
const DELETED = 'it was deleted here'
const TRASH = { status: 'trash' } as never
const keyOf = (kind: PostKind, id: number) => `${kind} ${id}`

/** What is remembered of the records that a feed gave, by the records here. */
async function openSyncState({ imports, events, series }: Store, source: ImportSource, run: number) {
  const rows = new Map<string, Imported>()
  for (const row of await imports.of(source.id)) rows.set(keyOf(row.kind as PostKind, row.record_id), row)
  const find = (kind: Kind, id: number) => rows.get(keyOf(kind, id))

  /** Notes the state that a record has after it was written. */
  async function note(
    { tx }: InTransaction,
    { kind, id }: Found,
    more: Pick<Imported, 'digest'> & Partial<Pick<Imported, 'gone'>>,
  ) {
    const state = await imports.state(tx, kind, id)
    const known = find(kind, id)
    const row: Imported = {
      source_id: source.id,
      kind,
      remote_id: id,
      record_id: id,
      run_id: run,
      gone: false,
      made_run: known ? known.made_run : run,
      version: state!.version,
      ...more,
    }
    await imports.note(tx, row)
    rows.set(keyOf(kind, id), row)
  }

  const following: Following = {
    isSame(found, digest) {
      const row = find(found.kind, found.id)
      return row !== undefined && !row.gone && row.digest === digest
    },
    async whyLeft({ tx }, { kind, id }) {
      const row = find(kind, id)
      if (row === undefined) return ELSEWHERE
      const state = await imports.state(tx, kind, id)
      if (state?.status === 'trash' && !row.gone) return DELETED
      return state?.version === row.version ? undefined : EDITED
    },
    async whyDateLeft({ tx }, series, id) {
      const row = find('event', id)
      const state = await imports.state(tx, 'event', id)
      if (row) return state?.version === row.version ? undefined : EDITED
      return (await imports.ownDates(tx, series)).some((own) => own.id === id) ? EDITED : undefined
    },
    async replace(w, found) {
      const { kind, id } = found
      if ((await imports.state(w.tx, kind, id))?.status !== 'trash')
        await (kind === 'event' ? events.update(w, { id }, TRASH) : series.update(w, { id }, TRASH, false))
      await note(w, found, { digest: '', gone: true })
    },
    async keep({ tx }, series, work) {
      const before = new Map((await imports.dates(tx, series)).map(({ id, version }) => [id, version]))
      const done = await work()
      for (const { id, version } of await imports.dates(tx, series)) {
        const row = find('event', id)
        if (row && row.version === before.get(id) && row.version !== version)
          await note({ tx }, { kind: 'event', id }, { digest: row.digest })
      }
      return done
    },
    isOwn: (id) => find('event', id)?.digest === OWN,
    note: (w, found, digest) => note(w, found, { digest }),
  }

  return {
    following,
    /** Notes that a record is gone from the feed. */
    noteGone: (w: InTransaction, found: Found) => note(w, found, { digest: '', gone: true }),
  }
}
type SyncState = Awaited<ReturnType<typeof openSyncState>>
