import { openBodies } from '../../http/input/bodies.ts'
import { shownSources, webAddress } from '../../rules/sources.ts'
import type { Store, User, Writer } from '../../store/store.ts'
import { type FeedReport, importFeed, type LoadedFeed, loadFeed } from '../feeds/feed.ts'
import { findWay } from '../feeds/way.ts'
import { type Importing, importFrom } from '../import.ts'
import type { Report } from '../report.ts'
import { failed, openWeb, type Validators, type Web, type WebOptions } from '../web.ts'
import { openChanges } from './changes.ts'

/**
 * How a mirror stands to its source: `starting` has not seen all of it yet, `following` is in step, `failing` could not look the last time,
 * `waiting` needs a person, and `idle` leaves it to the process or node that leads.
 */
export const MIRROR_STATES = ['starting', 'following', 'failing', 'waiting', 'idle'] as const
export type MirrorStatus = {
  source: string
  state: (typeof MIRROR_STATES)[number]
  /** Seconds since the calendar was as the source. */
  lag?: number
  /** Looks that failed since the last one that did not. */
  failures: number
  /** Why the last look failed. */
  trouble?: string
  /** Records that were not taken as they are when all lists were read last. */
  refused?: number
  left?: number
}

export type MirrorOptions = Pick<Importing, 'pictures'> & {
  store: Store
  web: Omit<WebOptions, 'pause' | 'signal'>
  /** Waits so many milliseconds, or until the signal, at which it fails. */
  pause(milliseconds: number, signal: AbortSignal): Promise<unknown>
  /** The address of the source. */
  address: string
  /** What the source is called for everybody; by default its address. */
  source?: string
  /** The name of a category that its events get as well. */
  category?: string
  /** Whether it is the only source. */
  isOne?: boolean
  /** Told of each event of a feed that can not be taken, or not whole, and why; again only if the reason is another one. */
  hear?(named: { kind: string; name: string; line?: number; why: string }): void
  /** Unix milliseconds. */
  clock(): number
  /** Milliseconds between two looks at what changed. */
  every?: number
}

/** Milliseconds between two looks at what changed, and between two looks through all lists of a source that does not tell changes. */
const EVERY = 60_000
const EVERY_LIST = 15 * 60_000
/** Milliseconds after which all lists are looked through in any case. */
const DAY = 86_400_000
/** How often lists are looked through at once, if the source changes meanwhile. */
const MOST_TIMES = 3

/** The first administrator who may sign in; undefined if there is none. */
export const firstAdministrator = async (store: Store): Promise<User | undefined> =>
  (await store.users.list()).find(({ role, disabled }) => role === 'administrator' && !disabled)

/** Keeps a calendar in step with another one. Who stops it keeps what it took. */
export function openMirror(given: MirrorOptions) {
  const {
    store,
    pictures,
    web: options,
    pause,
    address,
    clock,
    category,
    isOne = true,
    every = EVERY,
  } = given
  const { hear } = given
  const [shown] = shownSources([{ address }])
  const { source = shown! } = given
  const feed = { address: webAddress(address).replace(/#.*$/, ''), shown: source }
  let root: string | undefined
  /** Whether the source is a feed, and what its last answer is known by. */
  let isFeed = false
  let known: Validators | undefined
  /** What was told of events that were not taken. */
  let heard = new Set<string>()
  let token: string | undefined
  /** When all lists were read last, the number of that import, and what it could not take. */
  let whole: { at: number; run: number; refused: number; left: number } | undefined
  /** When the source was seen as it is here. */
  let seen: number | undefined
  /** Records that went since all lists were read. */
  let lost = 0
  let failures = 0
  let trouble: { why: string; needsPerson: boolean } | undefined
  let isIdle = false
  const counts = { done: 0, failed: 0 }

  /** Begins anew at the next look. */
  function forget() {
    token = undefined
    known = undefined
    whole = undefined
  }

  const reaching = (signal: AbortSignal): WebOptions => ({
    ...{ ...options, signal },
    pause: (milliseconds) => pause(milliseconds, signal),
  })

  async function writing(from: string): Promise<Writer> {
    const owner = await firstAdministrator(store)
    if (!owner) throw failed('there is no administrator who could own the records')
    return {
      caller: { id: owner.id, role: owner.role },
      ...{ by: { origin: 'service' as const, address: from }, language: store.site.languages[0]! },
    }
  }

  async function importing(signal: AbortSignal): Promise<Importing> {
    const writer = await writing(root!)
    const reach = { web: reaching(signal), root: root!, category, isOneOfSeveral: !isOne }
    return { store, pictures, writer, ...reach, progress() {} }
  }

  /** Looks through all lists. */
  async function lookThrough(from: Importing, now: number) {
    const isNew = whole === undefined || now - whole.at >= DAY
    const report = await importFrom(from, { lost, ...(whole && !isNew && { run: whole.run }) })
    const { run, refused, left } = report
    lost = isNew ? 0 : lost + goneIn(report)
    whole = { at: isNew ? now : whole!.at, run, refused: refused.length, left: left.length }
  }

  /** Takes what changed since the token; false if the source takes it no more. */
  async function takeChanges(from: Importing, { since }: ReturnType<typeof openChanges>): Promise<boolean> {
    for (let hasMore = true; hasMore; ) {
      const told = await since(token!)
      if (told === 'ended') return false
      if (told.changes.length > 0)
        lost += goneIn(await importFrom(from, { changes: told.changes, run: whole!.run, lost }))
      token = told.token
      hasMore = told.hasMore
    }
    return true
  }

  /** Whether anything changed since a token. What can not be asked now is asked by the next look. */
  async function hasMoved({ since }: ReturnType<typeof openChanges>, from: string): Promise<boolean> {
    const told = await since(from).catch(() => 'ended' as const)
    return told !== 'ended' && told.changes.length > 0
  }

  /** Takes a feed as it was loaded. */
  async function takeFeed({ text, known: next }: LoadedFeed, signal: AbortSignal, now: number) {
    const isNew = whole === undefined || now - whole.at >= DAY
    const importing = { store, pictures, category, signal, ...feed }
    const read = openBodies(store.site.languages)
    const writer = await writing(source)
    const report = await importFeed({ ...importing, read, writer }, text, {
      ...{ lost, ...(whole && !isNew && { run: whole.run }) },
    })
    const gone = report.gone.filter(({ why }) => why === undefined).length
    lost = isNew ? 0 : lost + gone
    const { refused, left } = tellOf(report)
    whole = { at: isNew ? now : whole!.at, run: report.run, refused, left }
    known = next
  }

  /** Tells of what was not taken, and counts it. */
  function tellOf({ told, gone, counts }: FeedReport) {
    const named = [
      ...told.map(({ kind, name, line, reason, remarks }) => ({
        ...{ kind, name, line, why: [...(reason === undefined ? [] : [reason]), ...remarks].join('; ') },
      })),
      ...gone.flatMap(({ why, ...one }) => (why === undefined ? [] : [{ ...one, why }])),
    ]
    const keyOf = ({ name, why }: (typeof named)[number]) => `${name}\n${why}`
    for (const one of named) if (!heard.has(keyOf(one))) hear?.(one)
    heard = new Set(named.map(keyOf))
    const sum = (outcome: 'refused' | 'present') =>
      Object.values(counts).reduce((total, own) => total + own[outcome], 0)
    return {
      refused: sum('refused'),
      left: sum('present') + gone.filter(({ why }) => why !== undefined).length,
    }
  }

  async function followFeed(web: Web, signal: AbortSignal, now: number) {
    const isDue = whole === undefined || now - whole.at >= DAY
    const loaded = await loadFeed(web, feed, isDue ? {} : known)
    if (loaded !== 'same') await takeFeed(loaded, signal, now)
  }

  async function follow(signal: AbortSignal, now: number) {
    const web = openWeb(reaching(signal))
    if (isFeed) return followFeed(web, signal, now)
    if (root === undefined) {
      const found = await findWay(web, feed)
      if (typeof found === 'object') {
        isFeed = true
        return takeFeed(found, signal, now)
      }
      root = found
    }
    const changes = openChanges(web, root)
    const from = await importing(signal)
    const isDue = whole === undefined || now - whole.at >= DAY
    if (!isDue && token !== undefined && (await takeChanges(from, changes))) return
    let next: string | undefined
    let times = 0
    do {
      // before the lists are read, so that nothing falls between
      next = await changes.begin()
      await lookThrough(from, now)
      token = next
      // what goes while lists are read moves others from a page that was not read to one that was
    } while (++times < MOST_TIMES && next !== undefined && (await hasMoved(changes, next)))
  }

  return {
    source,
    /** Brings the calendar in step. Returns the milliseconds until the next look; throws if this one failed. */
    async look(signal: AbortSignal): Promise<number> {
      isIdle = !store.db.leads()
      if (isIdle) {
        forget()
        return every
      }
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
      return token === undefined ? EVERY_LIST : every
    },
    /** Milliseconds until the next look after one that failed. */
    pause: (): number => Math.min(EVERY * 2 ** (failures - 1), EVERY_LIST),
    /** Looks that were made, by outcome. */
    counts: (): Readonly<typeof counts> => counts,
    status(): MirrorStatus {
      if (isIdle) return { source, state: 'idle', failures: 0 }
      const failing = trouble?.needsPerson ? 'waiting' : 'failing'
      return {
        source,
        state: trouble ? failing : seen === undefined ? 'starting' : 'following',
        ...(seen !== undefined && { lag: Math.max(Math.round((clock() - seen) / 1_000), 0) }),
        failures,
        ...(trouble && { trouble: trouble.why }),
        ...(whole && { refused: whole.refused, left: whole.left }),
      }
    },
  }
}
export type Mirror = ReturnType<typeof openMirror>

/** How many records an import moved to the trash or deleted. */
const goneIn = ({ counts }: Report): number =>
  Object.values(counts).reduce((sum, { gone = 0 }) => sum + gone, 0)
