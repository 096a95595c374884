import type { Store, User, Writer } from '../../../calendar/store.ts'
import {
  discover,
  type FeedImport,
  type FeedReport,
  importFeed,
  type LoadedFeed,
  loadFeed,
} from '../feeds/feed-import.ts'
import { shownSources, webAddress } from '../settings.ts'
import { importCalendar, type SiteImport } from '../site/site-import.ts'
import { openChanges } from '../site/source.ts'
import type { SiteReport } from '../site/sync-state.ts'
import { failed, openWeb, type Validators, type Web, type WebOptions } from '../site/web.ts'
import { openMutex } from './write-through.ts'

/**
 * How a mirror stands to its source: `starting` has not seen all of it yet, `following` is in step, `failing` failed the last time,
 * `waiting` needs a person, and `idle` leaves it to the process or node that leads.
 */
export type MirrorState = 'starting' | 'following' | 'failing' | 'waiting' | 'idle'
export type MirrorStatus = {
  source: string
  state: MirrorState
  /** Seconds since the calendar was as the source. */
  lag?: number
  /** Looks that failed since the last one that did not. */
  failures: number
  /** Why the last poll failed. */
  trouble?: string
  /** Records that were not imported as they are when all lists were read last. */
  refused?: number
  left?: number
}

export type MirrorOptions = Pick<SiteImport, 'pictures'> & {
  store: Store
  web: Omit<WebOptions, 'signal'>
  /** The address of the source. */
  address: string
  /** What the source is called for everybody; by default its address. */
  source?: string
  /** The name of a category that its events get as well. */
  category?: string
  /** Whether it is the only source. */
  isOne?: boolean
  /** Called for each event of a feed that can not be imported, or not whole, and why; again only if the reason is another one. */
  onProblem?(named: FeedProblem): void
  /** Milliseconds between two polls of what changed. */
  every?: number
}

/** Milliseconds between two polls of what changed, and between two scans of all lists of a source that does not tell changes. */
const EVERY = 60_000
const EVERY_LIST = 15 * 60_000
/** Milliseconds until a node that does not lead sees that it does. */
const EVERY_TERM = 1_000

/** The first administrator who may sign in; undefined if there is none. */
export const firstAdministrator = async (store: Store): Promise<User | undefined> =>
  (await store.users.list()).find(({ role, disabled }) => role === 'administrator' && !disabled)

/** Keeps a calendar in step with another one. Who stops it keeps what it took. */
export function openMirror(given: MirrorOptions) {
  const { store, pictures, web: options, address, category, isOne = true, every = EVERY } = given
  const { clock } = options
  const exclusively = openMutex()
  const [shown] = shownSources([{ address }])
  const { source = shown!, onProblem } = given
  const feedSource = { address: webAddress(address).replace(/#.*$/, ''), shown: source }
  const scans = openFullScans()
  const lists = openApiFollower(scans)
  const feed = openFeedFollower({ store, pictures, category, onProblem, ...feedSource }, scans)
  let root: string | undefined
  /** Whether the source is a feed. */
  let isFeed = false
  /** When the source was seen as it is here. */
  let seen: number | undefined
  let failures = 0
  let trouble: { why: string; needsPerson: boolean } | undefined
  /** The term in which this node polled last. */
  let term = store.db.term()
  const counts = { done: 0, failed: 0 }

  /** Begins anew at the next poll. */
  function forget() {
    for (const part of [scans, lists, feed]) part.forget()
  }

  async function writerFor(from: string): Promise<Writer> {
    const owner = await firstAdministrator(store)
    if (!owner) throw failed('there is no administrator who could own the records')
    return {
      caller: { id: owner.id, role: owner.role },
      by: { origin: 'service' as const, address: from },
      language: store.site.languages[0]!,
    }
  }

  async function follow(signal: AbortSignal, now: number) {
    const web = openWeb({ ...options, signal })
    const update = async (loaded: LoadedFeed) =>
      feed.update(loaded, now, { writer: await writerFor(source), signal })
    if (isFeed) {
      const loaded = await feed.load(web, now)
      return loaded === 'same' ? undefined : update(loaded)
    }
    if (root === undefined) {
      const found = await discover(web, feedSource)
      if (typeof found === 'object') {
        isFeed = true
        return update(found)
      }
      root = found
    }
    const from: SiteImport = {
      ...{ store, pictures, category, root, writer: await writerFor(root) },
      ...{ web: { ...options, signal }, isOneOfSeveral: !isOne, progress() {} },
    }
    await lists.follow(from, now, openChanges(web, root))
  }

  async function pollNow(signal: AbortSignal): Promise<number> {
    if (!store.db.leads()) return EVERY_TERM
    // another node may have polled since
    if (term !== store.db.term()) forget()
    term = store.db.term()
    const now = clock()
    try {
      await follow(signal, now)
    } catch (error) {
      if (signal.aborted) return every
      const { message, isDrop = false } = error as Error & { isDrop?: boolean }
      trouble = { why: message, needsPerson: isDrop }
      failures++
      counts.failed++
      // the lists are read again, by which it is known when the source has its records again
      if (isDrop) forget()
      throw error
    }
    trouble = undefined
    failures = 0
    counts.done++
    seen = now
    return lists.hasChangeLog() ? every : EVERY_LIST
  }

  return {
    source,
    /** How it reaches the source. */
    web: options,
    /** Does what concerns the source when nothing else does. */
    exclusively,
    /** Brings the calendar in step. Returns the milliseconds until the next poll; throws if this one failed. */
    poll: (signal: AbortSignal) => exclusively(() => pollNow(signal)),
    /** The same for who excludes others already. */
    pollNow,
    /** Milliseconds until the next poll after one that failed. */
    pause: (): number => Math.min(EVERY * 2 ** (failures - 1), EVERY_LIST),
    /** Polls that were made, by outcome. */
    counts: (): Readonly<typeof counts> => counts,
    status(): MirrorStatus {
      if (!store.db.leads()) return { source, state: 'idle', failures: 0 }
      const last = scans.last()
      const failing = trouble?.needsPerson ? 'waiting' : 'failing'
      return {
        source,
        state: trouble ? failing : seen === undefined ? 'starting' : 'following',
        ...(seen !== undefined && { lag: Math.max(Math.round((clock() - seen) / 1_000), 0) }),
        failures,
        ...(trouble && { trouble: trouble.why }),
        ...(last && { refused: last.refused, left: last.left }),
      }
    },
  }
}
export type Mirror = ReturnType<typeof openMirror>

/** Milliseconds after which all records of a source are scanned in any case. */
const DAY = 86_400_000

/** A scan of all records of a source: when it was, the number of its import, and how many records it could not import. */
type FullScan = { at: number; run: number; refused: number; left: number }

/** The full scans of a source. Those of a day are one import, by which it is known how much went. */
function openFullScans() {
  let last: FullScan | undefined
  /** Records that went since that import began. */
  let lost = 0
  const isDue = (now: number) => last === undefined || now - last.at >= DAY

  return {
    isDue,
    last: (): Readonly<FullScan> | undefined => last,
    /** What the next import goes on with. */
    continuation: (now: number) => ({ lost, ...(last && !isDue(now) && { run: last.run }) }),
    /** Notes a full scan, by which so many records went. */
    note(now: number, { gone, ...scan }: Omit<FullScan, 'at'> & { gone: number }) {
      const isNew = isDue(now)
      lost = isNew ? 0 : lost + gone
      last = { at: isNew ? now : last!.at, ...scan }
    },
    /** Notes that records went that were told as changes. */
    noteRemoved(gone: number) {
      lost += gone
    },
    forget() {
      last = undefined
    },
  }
}
type FullScans = ReturnType<typeof openFullScans>

type Changes = ReturnType<typeof openChanges>

/** How often lists are scanned in one poll, if the source changes meanwhile. */
const MOST_TIMES = 3

/** How many records an import moved to the trash or deleted. */
const goneIn = ({ counts }: SiteReport): number =>
  Object.values(counts).reduce((sum, { gone = 0 }) => sum + gone, 0)

/** Follows a source by its API: by the changes that it tells, or through its lists. */
function openApiFollower(scans: FullScans) {
  let token: string | undefined

  /** Imports from all lists. */
  async function scanAll(from: SiteImport, now: number) {
    const report = await importCalendar(from, scans.continuation(now))
    const { run, refused, left } = report
    scans.note(now, { run, refused: refused.length, left: left.length, gone: goneIn(report) })
  }

  /** Imports what changed since the token; false if the source accepts it no more. */
  async function importChanges(from: SiteImport, now: number, { since }: Changes): Promise<boolean> {
    for (let hasMore = true; hasMore; ) {
      const page = await since(token!)
      if (page === 'ended') return false
      const { changes } = page
      if (changes.length > 0)
        scans.noteRemoved(goneIn(await importCalendar(from, { changes, ...scans.continuation(now) })))
      token = page.token
      hasMore = page.hasMore
    }
    return true
  }

  /** Whether anything changed since a token. What can not be asked now is asked by the next poll. */
  async function hasChanged({ since }: Changes, from: string): Promise<boolean> {
    const page = await since(from).catch(() => 'ended' as const)
    return page !== 'ended' && page.changes.length > 0
  }

  return {
    /** Whether the source tells its changes. */
    hasChangeLog: () => token !== undefined,
    async follow(from: SiteImport, now: number, changes: Changes) {
      if (!scans.isDue(now) && token !== undefined && (await importChanges(from, now, changes))) return
      let next: string | undefined
      let times = 0
      do {
        // before the lists are read, so that nothing falls between
        next = await changes.begin()
        await scanAll(from, now)
        token = next
        // what goes while lists are read moves others from a page that was not read to one that was
      } while (++times < MOST_TIMES && next !== undefined && (await hasChanged(changes, next)))
    },
    forget() {
      token = undefined
    },
  }
}

/** An event that could not be imported, or not whole, and why. */
type FeedProblem = { kind: string; name: string; line?: number; why: string }

type FeedFollowerOptions = Pick<FeedImport, 'store' | 'pictures' | 'category' | 'address' | 'shown'> & {
  onProblem: ((named: FeedProblem) => void) | undefined
}

/** Follows a source that is a feed. */
function openFeedFollower({ onProblem, ...importing }: FeedFollowerOptions, scans: FullScans) {
  /** What its last answer is known by. */
  let known: Validators | undefined
  /** What was reported of events that were not imported. */
  let reported = new Set<string>()

  /** Imports the feed as it was loaded. */
  async function update(
    { text, known: next }: LoadedFeed,
    now: number,
    own: Pick<FeedImport, 'writer' | 'signal'>,
  ) {
    const report = await importFeed({ ...importing, ...own }, text, scans.continuation(now))
    const gone = report.gone.filter(({ why }) => why === undefined).length
    scans.note(now, { run: report.run, gone, ...reportProblems(report) })
    known = next
  }

  /** Reports what was not imported, and counts it. */
  function reportProblems({ told, gone, counts }: FeedReport) {
    const named: FeedProblem[] = [
      ...told.map(({ kind, name, line, reason, remarks }) => ({
        kind,
        name,
        line,
        why: [...(reason === undefined ? [] : [reason]), ...remarks].join('; '),
      })),
      ...gone.flatMap(({ why, ...one }) => (why === undefined ? [] : [{ ...one, why }])),
    ]
    const keyOf = ({ name, why }: FeedProblem) => `${name}\n${why}`
    for (const one of named) if (!reported.has(keyOf(one))) onProblem?.(one)
    reported = new Set(named.map(keyOf))
    const sum = (outcome: 'refused' | 'present') =>
      Object.values(counts).reduce((total, own) => total + own[outcome], 0)
    return {
      refused: sum('refused'),
      left: sum('present') + gone.filter(({ why }) => why !== undefined).length,
    }
  }

  return {
    update,
    /** Loads the feed; `same` if it did not change. */
    load: (web: Web, now: number) => loadFeed(web, importing, scans.isDue(now) ? {} : known),
    forget() {
      known = undefined
    },
  }
}
