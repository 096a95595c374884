import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../../calendar/config.ts'
import type { Store, User, Writer } from '../../../calendar/store.ts'
import { openFetch } from '../../../kernel/outbound/requests.ts'
import { VERSION } from '../../../package.ts'
import { discover, type LoadedFeed } from '../feeds/discovery.ts'
import type { SiteImport } from '../site/import.ts'
import {
  authorizationFor,
  authorizationsFor,
  endingAt,
  failed,
  openWeb,
  type WebOptions,
} from '../site/web.ts'
import {
  type FeedProblem,
  openApiFollower,
  openChanges,
  openFeedFollower,
  openFullScans,
} from './following.ts'
import { type Mutex, openMutex, openWriteThrough } from './source-writer.ts'
import { shownSources, webAddress } from './sources.ts'
import type { WriteThrough } from './write-through.ts'

/**
 * How a mirror stands to its source: `starting` has not seen all of it yet, `following` is in step, `failing` failed the last time,
 * `waiting` needs a person, and `idle` leaves it to the process or node that leads.
 */
const MIRROR_STATES = ['starting', 'following', 'failing', 'waiting', 'idle'] as const
type MirrorStatus = {
  source: string
  state: (typeof MIRROR_STATES)[number]
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
  /** Called for each event of a feed that can not be imported, or not whole, and why; again only if the reason is another one. */
  onProblem?(named: FeedProblem): void
  /** Unix milliseconds. */
  clock(): number
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

  const webOptions = (signal: AbortSignal) => endingAt(signal, options, pause)

  async function writerFor(from: string): Promise<Writer> {
    const owner = await firstAdministrator(store)
    if (!owner) throw failed('there is no administrator who could own the records')
    return {
      caller: { id: owner.id, role: owner.role },
      by: { origin: 'service' as const, address: from },
      language: store.site.languages[0]!,
    }
  }

  async function importing(signal: AbortSignal): Promise<SiteImport> {
    const writer = await writerFor(root!)
    const reach = { web: webOptions(signal), root: root!, category, isOneOfSeveral: !isOne }
    return { store, pictures, writer, ...reach, progress() {} }
  }

  async function follow(signal: AbortSignal, now: number) {
    const web = openWeb(webOptions(signal))
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
    await lists.follow(await importing(signal), now, openChanges(web, root))
  }

  return {
    source,
    /** Brings the calendar in step. Returns the milliseconds until the next poll; throws if this one failed. */
    async poll(signal: AbortSignal): Promise<number> {
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
    },
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

/** How a mirror of several sources stands: the worst of them in each member, and each source. */
type MirrorsStatus = Omit<MirrorStatus, 'source' | 'trouble'> & { sources: MirrorStatus[] }

/** The states from the worst. */
const WORST = [
  'waiting',
  'failing',
  'starting',
  'following',
  'idle',
] as const satisfies (typeof MIRROR_STATES)[number][]

const sumOf = (all: MirrorStatus[], name: 'refused' | 'left') =>
  all.reduce((sum, status) => sum + (status[name] ?? 0), 0)

/** How a calendar stands to those that it is a mirror of: as its only source, or as all of them; undefined without any. */
export function statusOf(mirrors: readonly Mirror[]): MirrorStatus | MirrorsStatus | undefined {
  const sources = mirrors.map((mirror) => mirror.status())
  if (sources.length < 2) return sources[0]
  const lags = sources.flatMap(({ lag }) => lag ?? [])
  return {
    state: WORST.find((state) => sources.some((one) => one.state === state))!,
    // as long as one has not been seen, nobody knows how far all are behind
    ...(lags.length === sources.length && { lag: Math.max(...lags) }),
    failures: Math.max(...sources.map(({ failures }) => failures)),
    refused: sumOf(sources, 'refused'),
    left: sumOf(sources, 'left'),
    sources,
  }
}

type Parts = Pick<MirrorOptions, 'store' | 'pictures' | 'clock'> & {
  log?: Pick<FastifyBaseLogger, 'warn'>
  config: Pick<Config, 'mirror' | 'mirrorCredentials' | 'downloadAllow'>
}
/** A mirror that is polled `exclusively` of writes to its source; `pollNow` is for one of these, which reaches the source by `web`. */
type SharedMirror = Mirror & { exclusively: Mutex; pollNow: Mirror['poll']; web: MirrorOptions['web'] }

const pause = (milliseconds: number, signal: AbortSignal) => wait(milliseconds, undefined, { signal })

/** How each source is reached. Throws if the credentials for them can not be read. */
function websOf({
  config: { mirror: sources = [], mirrorCredentials: file, downloadAllow: allow },
  clock,
}: Pick<Parts, 'config' | 'clock'>) {
  const text = file === undefined ? undefined : readFileSync(file, 'utf8')
  const isOne = sources.length === 1
  const hosts = sources.map(({ address }) => new URL(address).host)
  const known = text === undefined || isOne ? new Map() : authorizationsFor(text, file!, hosts)
  const whole = text !== undefined && isOne ? authorizationFor(text, file!) : undefined
  return hosts.map((host) => ({
    fetch: openFetch({ named: [host], allow }),
    clock,
    userAgent: `Almanac/${VERSION}`,
    authorization: isOne ? whole : known.get(host),
  }))
}

/** What keeps this calendar in step with each of those of the settings. Throws if the credentials for them can not be read. */
export function openMirrorsOf({ config, log, ...parts }: Parts): SharedMirror[] {
  const { mirror: sources = [] } = config
  const webs = websOf({ config, clock: parts.clock })
  const shown = shownSources(sources)
  const isOne = sources.length === 1
  return sources.map((one, at) => {
    const source = shown[at]!
    const onProblem = (named: object) =>
      log?.warn({ source, ...named }, 'an event of a source was not taken as it is')
    const web = webs[at]!
    const mirror = openMirror({ ...parts, ...one, source, isOne, web, pause, onProblem })
    const exclusively = openMutex()
    const poll: Mirror['poll'] = (signal) => exclusively(() => mirror.poll(signal))
    return { ...mirror, poll, pollNow: mirror.poll, exclusively, web }
  })
}

/** What forwards writes to the source of a mirror, if the settings want it: it then is the only one. */
export function openWriteThroughOf({
  config,
  mirror,
  ...parts
}: Omit<Parts, 'clock'> & { config: Pick<Config, 'mirrorWrites'>; mirror: SharedMirror }):
  | WriteThrough
  | undefined {
  if (config.mirrorWrites !== 'forward') return undefined
  const { exclusively, pollNow, status, web } = mirror
  const [source] = config.mirror!
  const poll = async (signal: AbortSignal) => status().state === 'following' && pollNow(signal)
  return openWriteThrough({ ...parts, ...source!, web, pause, exclusively, poll })
}
