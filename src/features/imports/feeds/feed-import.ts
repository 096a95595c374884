import type { Store, Write, Writer } from '../../../calendar/store.ts'
import { inTurns, type Task } from '../../../kernel/tasks/scheduler.ts'
import { toEpoch, toWall } from '../../../kernel/time/dates.ts'
import { decode } from '../files/event-files.ts'
import { type Found, type InTransaction, OWN, writeItems } from '../files/event-writer.ts'
import { readCalendars } from '../files/icalendar.ts'
import {
  type Body,
  type Fault,
  type Item,
  openReport,
  type ReadOptions,
  type Report,
  totalsOf,
} from '../files/items.ts'
import { DELETED, EDITED, GONE_BUT_EDITED, mustBeFew, removeRecord } from '../removals.ts'
import type { SiteImport, SiteImportOptions } from '../site/site-import.ts'
import { findRoot, readRoot } from '../site/source.ts'
import { openSyncState, type SyncState } from '../site/sync-state.ts'
import { failed, mustGoOn, type Validators, type Web } from '../site/web.ts'
import type { Imported, ImportSource } from '../store.ts'
import { type Element, readSyndication, readXml } from './rss-and-atom.ts'
import { readLinkedData, readMarkup } from './structured-data.ts'

/** The ID of a calendar in an address, which Google writes in base64 where people share one. */
function calendarIn(id: string): string {
  const text = Buffer.from(id, 'base64').toString()
  return id.includes('@') || !/^[\w.+#%-]+@[\w.-]+$/.test(text) ? id : text
}

/** The address of the feed of a public calendar of Google, for those at which people see, embed or share it; any other as it is. */
export function feedAddress(address: string): string {
  const { hostname, pathname, searchParams } = new URL(address)
  if (!/^(?:calendar|www)\.google\.com$/.test(hostname) || !pathname.startsWith('/calendar')) return address
  const id = searchParams.get('src') ?? searchParams.get('cid')
  if (!id) return address
  if (/^(?:https?|webcal):/i.test(id)) return id.replace(/^(?:webcal|http):/i, 'https:')
  return `https://calendar.google.com/calendar/ical/${encodeURIComponent(calendarIn(id))}/public/basic.ics`
}

/** The address of a feed, and what messages call it. */
type FeedSource = { address: string; shown: string }
/** A feed as it was loaded. */
export type LoadedFeed = { text: string; known: Validators }

/** Loads a feed; `same` if it did not change. Throws if what answers is something else, with `isOther`, or if it can not be had. */
export async function loadFeed(
  web: Web,
  { address, shown }: FeedSource,
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

/** Addresses that are those of feeds. */
const LIKE_FEEDS =
  /\.(?:ics|ical|ifb|rss|atom|xml)(?:$|[?#])|[/?&=._-](?:ical|ics|rss|atom|feeds?)(?:[/?&=#]|$)/i

/**
 * Finds out what answers at an address: a feed, which is given as it was loaded, or an API, whose root is given. What is tried first is what the
 * address looks like. Throws what can be told to people if it is neither.
 */
export async function discover(
  web: Web,
  { address: given, shown }: FeedSource,
): Promise<LoadedFeed | string> {
  const address = feedAddress(given)
  if (LIKE_FEEDS.test(address))
    try {
      return await loadWhole()
    } catch (error) {
      if (!('isOther' in (error as object))) throw error
      return findRoot(web, readRoot(address)).catch(() => {
        throw error
      })
    }
  try {
    return await findRoot(web, readRoot(address))
  } catch (error) {
    const feed = 'isNone' in (error as object) ? await loadWhole().catch(() => undefined) : undefined
    if (feed) return feed
    throw error
  }

  async function loadWhole() {
    return (await loadFeed(web, { address, shown })) as LoadedFeed
  }
}

/** What a feed tells: events, and lines that can not be read. */
type ParsedFeed = {
  items: Item[]
  faults: Fault[]
  /** A feed of the next few events says nothing of those that start later than this, a wall clock of UTC. One that is whole has none. */
  reach?: string
}

const ROOTS = ['rss', 'feed', 'RDF']
/** As many events as The Events Calendar tells at most in a file of iCalendar. */
const WINDOW = 30

const startOf = ({ body: { start_date, timezone } }: Item): string =>
  toWall(toEpoch(`${start_date} 00:00:00`.slice(0, 19), String(timezone)), 'UTC')

/** Until when a feed that does not tell all tells all: its last start if it is in the order of starts, and else not at all. */
function reachOf(items: Item[]): string {
  const starts = items.filter(({ body }) => body.start_date !== undefined).map(startOf)
  const isSorted = starts.every((start, at) => at === 0 || starts[at - 1]! <= start)
  return isSorted ? (starts.at(-1) ?? '') : ''
}

function* readCalendar(text: string, options: FeedReadOptions): Task<ParsedFeed> {
  if (!/\nEND:VCALENDAR\s*$/i.test(text.replace(/\r\n?/g, '\n')))
    throw failed(`${options.shown} answers with a calendar that ends too early`)
  const { items, faults } = yield* readCalendars(text, options)
  const isWindow = items.length >= WINDOW && /^PRODID:.*ECPv/m.test(text)
  return { items, faults, ...(isWindow && { reach: reachOf(items) }) }
}

/** How a feed is read. `shown` is what its source is called in messages. */
type FeedReadOptions = ReadOptions & FeedSource

function* parse(text: string, shown: string): Task<Element> {
  try {
    return yield* readXml(text)
  } catch (error) {
    const [why = ''] = (error as Error).message.split('\n')
    throw failed(`${shown} answers with XML that is broken or ends too early (${why})`)
  }
}

/** Whether a text is a page for people that tells programs of events. */
const isPage = (text: string) =>
  /<html\b/i.test(text.slice(0, 4_000)) &&
  /application\/ld\+json/i.test(text) &&
  /"@type"\s*:\s*(?:\[[^\]]{0,200})?"[^"]{0,100}(?:Event|Festival|Hackathon)"/.test(text)

/** Whether a text begins like a feed, or is a page that tells programs of events. */
export function isFeed(text: string): boolean {
  const head = text.slice(0, 4_000).replace(/^[\ufeff\s]+/, '')
  if (/^BEGIN:VCALENDAR\b/i.test(head) || isPage(text)) return true
  return /^<(?!!doctype\s+html\b|html\b)/i.test(head) && /<(?:rss|feed|(?:\w+:)?RDF)\b/i.test(head)
}

/** Reads a feed of iCalendar, RSS or Atom, or the events that a page tells programs by JSON-LD. Throws, in words for people, if it is none or not whole. */
export function* readFeed(text: string, options: FeedReadOptions): Task<ParsedFeed> {
  const plain = text.replace(/^[\ufeff\s]+/, '')
  if (/^BEGIN:VCALENDAR\b/i.test(plain)) return yield* readCalendar(plain, options)
  if (isPage(plain)) {
    const { scripts } = yield* readMarkup(plain)
    const items = yield* readLinkedData(scripts, options)
    if (items.length === 0)
      throw failed(`${options.shown} is a page that tells programs of no event (JSON-LD)`)
    return { items, faults: [], reach: reachOf(items) }
  }
  const root = isFeed(plain) ? yield* parse(plain, options.shown) : undefined
  if (root === undefined || !ROOTS.includes(root.name))
    throw failed(
      `${options.shown} answers with something else than a calendar or a feed; it may ask to sign in, or have moved`,
    )
  const items = yield* readSyndication(root, options)
  return { items, faults: [], reach: reachOf(items) }
}

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
>
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
  { category, media }: { category: string | undefined; media: boolean },
): Item[] {
  const within = (body: Body): Body => ({
    ...body,
    categories: [...(category === undefined ? [] : [category]), ...((body.categories ?? []) as string[])],
  })
  const base = { ...CLEARED, attendance_mode: null, status: 'publish', ...(media && { image: null }) }
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
  const { keep = false, force = false, media = true, dryRun = false, lost = 0 } = options
  const source = sourceName(address)
  const { languages, zone } = store.site
  const feed = await inTurns(readFeed(text, { zone, media, languages, address, shown }))
  const items = completed(feed.items, { category: importing.category, media })
  const reporting = openReport()
  for (const fault of feed.faults) reporting.addFault(fault)

  const known = { ...(await store.imports.source(address)), keeps_ids: false }
  const seen = await findSeen(store, items, source)
  const removals = openRemovals(store, writer, { known, seen, feed })
  const missing = await removals.find(keep || force ? undefined : lost)
  const { run, source: row } = dryRun
    ? { run: 0, source: known }
    : await store.imports.begin(known, options.run)
  const feedState = openFeedState(store, await openSyncState(store, row, run))
  let gone: Gone[] = []
  let isBroken = true
  try {
    await writeItems(store, items, reporting, {
      pictures,
      writer,
      source,
      dry: dryRun,
      feedState,
      provenance: dryRun ? undefined : { source: row.id, run },
      progress(done, total) {
        mustGoOn(signal)
        progress?.(done, total)
      },
    })
    if (!keep) gone = await removals.removeAll(missing, feedState, dryRun)
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

  function remove(feedState: FeedState, row: Missing): Promise<string | undefined> {
    const kind = row.kind as Gone['kind']
    return removeRecord(
      store,
      writer,
      // dates of a series that are over stay
      { kind: 'event', id: row.next, ...(kind === 'series' && { range: 'following' as const }) },
      (tx) => whyStays(tx, row),
      (tx) => feedState.noteGone({ tx }, { kind, id: row.id }),
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
    async removeAll(missing: Missing[], feedState: FeedState, dry: boolean): Promise<Gone[]> {
      const gone: Gone[] = []
      for (const row of missing) {
        const { id, name } = row
        const why = await (dry ? whyStays(store.db.read, row) : remove(feedState, row))
        gone.push({ kind: row.kind as Gone['kind'], id, name, ...(why !== undefined && { why }) })
      }
      return gone
    },
  }
}

const ELSEWHERE = 'it is here from elsewhere'
const TRASH = { status: 'trash' } as never

/** Remembers what a feed gave, so that only what changed there is written, and what was edited here is left. Its records have the numbers that they have here. */
function openFeedState({ imports, events, series }: Store, sync: SyncState) {
  const { find } = sync
  const noteAs = async (w: InTransaction, { kind, id }: Found, more: Pick<Imported, 'digest' | 'gone'>) => {
    const { version } = (await imports.state(w.tx, kind, id))!
    await sync.note(w, { kind, id }, { record_id: id, version, ...more })
  }
  return {
    /** Whether a record is as the source gives it. */
    isSame({ kind, id }: Found, digest: string) {
      const row = find(kind, id)
      return row !== undefined && !row.gone && row.digest === digest
    },
    /** Why a record is not to be written; undefined if it may be. */
    async whyLeft({ tx }: InTransaction, { kind, id }: Found) {
      const row = find(kind, id)
      if (row === undefined) return ELSEWHERE
      const state = await imports.state(tx, kind, id)
      if (state?.status === 'trash' && !row.gone) return DELETED
      return state?.version === row.version ? undefined : EDITED
    },
    /** Why a date of a series is not to be written; undefined if it may be. */
    async whyDateLeft({ tx }: InTransaction, series: number, id: number) {
      const row = find('event', id)
      const state = await imports.state(tx, 'event', id)
      if (row) return state?.version === row.version ? undefined : EDITED
      return (await imports.ownDates(tx, series)).some((own) => own.id === id) ? EDITED : undefined
    },
    /** Moves to the trash what is of the other kind in the source now. */
    async replace(w: Write, found: Found) {
      const { kind, id } = found
      if ((await imports.state(w.tx, kind, id))?.status !== 'trash')
        await (kind === 'event' ? events.update(w, { id }, TRASH) : series.update(w, { id }, TRASH, false))
      await noteAs(w, found, { digest: '', gone: true })
    },
    /** Writes a series, and remembers the state of its dates that followed it. */
    async keep<T>(w: InTransaction, series: number, work: () => Promise<T>): Promise<T> {
      const before = new Map((await imports.dates(w.tx, series)).map(({ id, version }) => [id, version]))
      const done = await work()
      for (const { id, version } of await imports.dates(w.tx, series)) {
        const row = find('event', id)
        if (row && row.version === before.get(id) && row.version !== version)
          await noteAs(w, { kind: 'event', id }, { digest: row.digest, gone: false })
      }
      return done
    },
    /** Whether a date of a series was unlike the others. */
    isOwn: (id: number) => find('event', id)?.digest === OWN,
    note: (w: InTransaction, found: Found, digest: string) => noteAs(w, found, { digest, gone: false }),
    /** Notes that a record is gone from the source. */
    noteGone: (w: InTransaction, found: Found) => noteAs(w, found, { digest: '', gone: true }),
  }
}
export type FeedState = ReturnType<typeof openFeedState>
