import type { Pictures } from '../../../calendar/media/pictures.ts'
import type { Store, Writer } from '../../../calendar/store.ts'
import { inTurns } from '../../../kernel/tasks/scheduler.ts'
import { totalsOf } from '../files/events.ts'
import type { Body, Item } from '../files/item.ts'
import type { ReadBody } from '../files/reading.ts'
import { type Entry, openReport, type Report } from '../files/report.ts'
import { decode } from '../files/text.ts'
import { writeItems } from '../files/writer.ts'
import { failed, mustGoOn, type Validators, type Web } from '../site/web.ts'
import { type Gone, openRemovals } from './gone.ts'
import { feedAddress } from './google.ts'
import { openFeedMemory } from './memory.ts'
import { isFeed, type Read, readFeed } from './read.ts'

/** A feed, and what it is taken with. */
export type FeedImporting = {
  store: Store
  pictures: Pick<Pictures, 'bring' | 'discard'>
  read: ReadBody
  /** Who creates the records, and owns them. */
  writer: Writer
  /** The address of the feed, and what messages call it. */
  address: string
  shown: string
  /** The name of a category that all events get as well. */
  category?: string | undefined
  /** Breaks off what is under way. */
  signal?: AbortSignal | undefined
  progress?: (done: number, total: number) => void
}
export type FeedOptions = {
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

/** A feed as it was loaded. */
export type LoadedFeed = { text: string; known: Validators }

/** Loads a feed; `same` if it did not change. Throws if what answers is something else, with `isOther`, or if it can not be had. */
export async function loadFeed(
  web: Web,
  { address, shown }: Pick<FeedImporting, 'address' | 'shown'>,
  known: Validators = {},
): Promise<LoadedFeed | 'same'> {
  const answer = await web.load(feedAddress(address), shown, known)
  if (answer.status === 304) return 'same'
  const text = answer.status === 200 ? await inTurns(decode(answer.bytes)) : ''
  if (isFeed(text)) return { text, known: answer.known }
  throw failed(
    answer.status === 200
      ? `${shown} answers with something else than a calendar or a feed; it may ask to sign in, or have moved`
      : `${shown} answers ${answer.status}`,
    { isOther: true },
  )
}

/** The name of a source, under which the IDs of its events are kept: the host that it is at. */
export const sourceName = (address: string): string => new URL(address).host.slice(0, 100)

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

/** The events of a feed with what all of them get, and its lines that can not be read. */
function told(
  { items, faults }: Read,
  { category, status, media }: { category: string | undefined; status: string; media: boolean },
): { items: Item[]; entries: Entry[] } {
  const entries = faults.map(({ line, text: name, reason }) => ({
    ...{ line, kind: 'line', name, outcome: 'refused' as const, reason, remarks: [] },
  }))
  const within = (body: Body): Body => ({
    ...body,
    categories: [...(category === undefined ? [] : [category]), ...((body.categories ?? []) as string[])],
  })
  const base = { ...CLEARED, attendance_mode: null, status, ...(media && { image: null }) }
  const whole = items.map((item) => ({
    ...{ ...item, body: { ...base, ...within(item.body) } },
    dates: item.dates.map((date) => ({ ...date, body: within(date.body) })),
  }))
  return { items: whole, entries }
}

/**
 * Takes the events of a feed: creates those that are new, changes those that changed there, and puts in the trash those to come that are gone.
 * What was edited here since it was taken is left as it is. Throws errors that can be told to people.
 */
export async function importFeed(
  importing: FeedImporting,
  text: string,
  options: FeedOptions = {},
): Promise<FeedReport> {
  const { store, writer, pictures, read, address, shown, signal, progress } = importing
  const { zone = store.site.zone, status = 'publish', media = true, dryRun = false } = options
  const { keep = false, force = false, lost = 0 } = options
  const source = sourceName(address)
  const { languages } = store.site
  const feed = await inTurns(readFeed(text, { zone, media, languages, address, shown }))
  const { items, entries } = told(feed, { category: importing.category, status, media })
  const { report, add } = openReport()
  for (const entry of entries) add(entry)

  const known = { ...(await store.imports.source(address)), keeps_ids: false }
  const seen = await findSeen(store, items, source)
  const removals = openRemovals(store, writer, { known, seen, feed })
  const missing = await removals.find(keep || force ? undefined : lost)
  const { run, source: row } = dryRun
    ? { run: 0, source: known }
    : await store.imports.begin(known, options.run)
  const memory = await openFeedMemory(store, row, run)
  const whole: FeedReport = { ...report, source: shown, run, gone: [] }
  let isBroken = true
  try {
    const written = await writeItems(store, items, {
      ...{ read, pictures, writer, source, dry: dryRun, following: memory.following },
      noting: dryRun ? undefined : { source: row.id, run },
      progress(done, total) {
        mustGoOn(signal)
        progress?.(done, total)
      },
    })
    whole.counts = { ...report.counts, ...written.counts }
    whole.told = [...report.told, ...written.told]
    whole.troubles = report.troubles + written.troubles
    if (!keep) whole.gone = await removals.removeAll(missing, memory, dryRun)
    isBroken = false
    return whole
  } finally {
    const gone = whole.gone.filter(({ why }) => why === undefined).length
    const counts = { ...totalsOf(whole), ...(gone > 0 && { gone }) }
    if (!dryRun) await store.imports.end(run, row.pages, counts, isBroken, writer.by)
  }
}
