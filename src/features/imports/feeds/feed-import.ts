import type { Store, Writer } from '../../../calendar/store.ts'
import { inTurns } from '../../../kernel/tasks/scheduler.ts'
import { toWall } from '../../../kernel/time/dates.ts'
import { type Following, type Found, type InTransaction, OWN, writeItems } from '../files/event-writer.ts'
import { type Body, type Item, openReport, type Report, totalsOf } from '../files/items.ts'
import { DELETED, EDITED, GONE_BUT_EDITED, mustBeFew, removeRecord } from '../site/removals.ts'
import type { SiteImport, SiteImportOptions } from '../site/site-import.ts'
import { openSyncState, type SyncState } from '../site/sync-state.ts'
import { mustGoOn } from '../site/web.ts'
import type { Imported, ImportSource } from '../store.ts'
import { type FeedSource, type ParsedFeed, readFeed } from './feed.ts'

/** A feed, and what it is imported with. */
export type FeedImport = FeedSource &
  Pick<SiteImport, 'store' | 'pictures' | 'writer' | 'category'> & {
    /** Breaks off what is under way. */
    signal?: AbortSignal | undefined
    progress?: (done: number, total: number) => void
  }
export type FeedImportOptions = Pick<
  SiteImportOptions,
  'keep' | 'force' | 'media' | 'dryRun' | 'run' | 'lost'
> & {
  /** The time zone of times that have none; by default that of the site. */
  zone?: string | undefined
  status?: string | undefined
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
  const { store, writer, pictures, address, shown, signal, progress } = importing
  const { zone = store.site.zone, status = 'publish', media = true, dryRun = false } = options
  const { keep = false, force = false, lost = 0 } = options
  const source = sourceName(address)
  const { languages } = store.site
  const feed = await inTurns(readFeed(text, { zone, media, languages, address, shown }))
  const items = completed(feed.items, { category: importing.category, status, media })
  const reporting = openReport()
  for (const fault of feed.faults) reporting.addFault(fault)

  const known = { ...(await store.imports.source(address)), keeps_ids: false }
  const seen = await findSeen(store, items, source)
  const removals = openRemovals(store, writer, { known, seen, feed })
  const missing = await removals.find(keep || force ? undefined : lost)
  const { run, source: row } = dryRun
    ? { run: 0, source: known }
    : await store.imports.begin(known, options.run)
  const following = openFollowing(store, await openSyncState(store, row, run))
  let gone: Gone[] = []
  let isBroken = true
  try {
    await writeItems(store, items, reporting, {
      pictures,
      writer,
      source,
      dry: dryRun,
      following,
      noting: dryRun ? undefined : { source: row.id, run },
      progress(done, total) {
        mustGoOn(signal)
        progress?.(done, total)
      },
    })
    if (!keep) gone = await removals.removeAll(missing, following, dryRun)
    isBroken = false
    return { ...reporting.report, source: shown, run, gone }
  } finally {
    const left = gone.filter(({ why }) => why === undefined).length
    const counts = { ...totalsOf(reporting.report), ...(left > 0 && { gone: left }) }
    if (!dryRun) await store.imports.end(run, row.pages, counts, isBroken, writer.by)
  }
}

/** An event that is gone from a feed, and why it was left as it is. */
type Gone = { kind: 'event' | 'series'; id: number; name: string; why?: string }

type Missing = Awaited<ReturnType<Store['imports']['upcoming']>>[number]

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

  const whyStays = async (tx: InTransaction['tx'], { kind, id, version }: Missing) =>
    (await store.imports.state(tx, kind, id))?.version === version ? undefined : GONE_BUT_EDITED

  function remove(following: Following, row: Missing): Promise<string | undefined> {
    const kind = row.kind as Gone['kind']
    return removeRecord(
      store,
      writer,
      // dates of a series that are over stay
      { kind: 'event', id: row.next, ...(kind === 'series' && { range: 'following' as const }) },
      (tx) => whyStays(tx, row),
      (tx) => following.noteGone({ tx }, { kind, id: row.id }),
    )
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
    async removeAll(missing: Missing[], following: Following, dry: boolean): Promise<Gone[]> {
      const gone: Gone[] = []
      for (const row of missing) {
        const { id, name } = row
        const why = await (dry ? whyStays(store.db.read, row) : remove(following, row))
        gone.push({ kind: row.kind as Gone['kind'], id, name, ...(why !== undefined && { why }) })
      }
      return gone
    },
  }
}

const ELSEWHERE = 'it is here from elsewhere'
const TRASH = { status: 'trash' } as never

/** What is remembered of the records that a feed gave: their numbers there are those that they have here. */
function openFollowing({ imports, events, series }: Store, sync: SyncState): Following {
  const { find } = sync
  const noteAs = async (w: InTransaction, { kind, id }: Found, more: Pick<Imported, 'digest' | 'gone'>) => {
    const { version } = (await imports.state(w.tx, kind, id))!
    await sync.note(w, { kind, id }, { record_id: id, version, ...more })
  }
  return {
    isSame({ kind, id }, digest) {
      const row = find(kind, id)
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
      await noteAs(w, found, { digest: '', gone: true })
    },
    async keep(w, series, work) {
      const before = new Map((await imports.dates(w.tx, series)).map(({ id, version }) => [id, version]))
      const done = await work()
      for (const { id, version } of await imports.dates(w.tx, series)) {
        const row = find('event', id)
        if (row && row.version === before.get(id) && row.version !== version)
          await noteAs(w, { kind: 'event', id }, { digest: row.digest, gone: false })
      }
      return done
    },
    isOwn: (id) => find('event', id)?.digest === OWN,
    note: (w, found, digest) => noteAs(w, found, { digest, gone: false }),
    noteGone: (w, found) => noteAs(w, found, { digest: '', gone: true }),
  }
}
