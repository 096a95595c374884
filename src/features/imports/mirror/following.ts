import { openBodies } from '../../../calendar/readers.ts'
import { type LoadedFeed, loadFeed } from '../feeds/discovery.ts'
import { type FeedImport, type FeedReport, importFeed } from '../feeds/import.ts'
import { importCalendar, type SiteImport, type SourceChange } from '../site/import.ts'
import { idOf, objectsOf, type SourceJson } from '../site/records.ts'
import { below, MOST_PAGES, PLURALS } from '../site/source.ts'
import type { SiteReport } from '../site/sync-state.ts'
import { type Answer, failed, type Validators, type Web } from '../site/web.ts'

/** Milliseconds after which all records of a source are scanned in any case. */
const DAY = 86_400_000

/** A scan of all records of a source: when it was, the number of its import, and how many records it could not import. */
type FullScan = { at: number; run: number; refused: number; left: number }

/** The full scans of a source. Those of a day are one import, by which it is known how much went. */
export function openFullScans() {
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
export function openApiFollower(scans: FullScans) {
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

/** What changed at a source, and the token that asks for what changes after it. */
type ChangePage = { changes: SourceChange[]; token: string; hasMore: boolean }

const KINDS = Object.keys(PLURALS) as SourceChange['kind'][]
/** As many as an Almanac tells at once. */
const MOST = '500'

/** What `GET /changes` answers; undefined if it is no answer of an Almanac. */
function readChangePage({ status, body }: Answer): ChangePage | undefined {
  const { changes, has_more, next_sync_token: token } = { ...(body as SourceJson) }
  if (status !== 200 || typeof token !== 'string') return undefined
  const read = objectsOf(changes).flatMap(({ kind, id, record }): SourceChange[] => {
    const own = KINDS.find((one) => one === kind)
    const [shown] = objectsOf(record)
    return own !== undefined && idOf(id) > 0
      ? [{ kind: own, id: idOf(id), ...(shown && { record: shown }) }]
      : []
  })
  return { changes: read, token, hasMore: has_more === true }
}

/** A page for people is no answer of an Almanac. Other errors are thrown. */
function orNone(error: object): Answer {
  if (!('isPage' in error)) throw error
  return { status: 404, body: undefined }
}

/** The changes of a source, if that is an Almanac; for one poll. */
export function openChanges(web: Web, root: string) {
  let asked = 0
  const ask = (query: Record<string, string>) => {
    if (++asked > MOST_PAGES)
      throw failed(`${root}/changes has more than ${MOST_PAGES} pages, and the next look goes on after these`)
    return web.get(below(root, 'changes', { per_page: MOST, ...query }))
  }

  return {
    /** Whether the source tells what changes. */
    async isAvailable(): Promise<boolean> {
      const names = { _fields: 'has_more,next_sync_token', per_page: '1' }
      const answer = await ask(names).catch(orNone)
      return readChangePage(answer) !== undefined
    },
    /** A token for what changes from now on; undefined if the source tells no changes. */
    async begin(): Promise<string | undefined> {
      // records are left out of the answers: lists are read by their pages, which say whether they changed
      const names = { _fields: 'has_more,next_sync_token' }
      const first = await ask({ ...names, kind: KINDS.join() }).catch(orNone)
      let page = readChangePage(first)
      while (page?.hasMore) page = readChangePage(await ask({ ...names, sync_token: page.token }))
      return page?.token
    },
    /** What changed since a token; `ended` if the source accepts the token no more. */
    async since(token: string): Promise<ChangePage | 'ended'> {
      const answer = await ask({ sync_token: token })
      if (answer.status === 410 || answer.status === 400) return 'ended'
      const page = readChangePage(answer)
      if (!page) throw failed(`${root}/changes answers ${answer.status} without a sync token`)
      return page
    },
  }
}

/** An event that could not be imported, or not whole, and why. */
export type FeedProblem = { kind: string; name: string; line?: number; why: string }

type FeedFollowerOptions = Pick<FeedImport, 'store' | 'pictures' | 'category' | 'address' | 'shown'> & {
  onProblem: ((named: FeedProblem) => void) | undefined
}

/** Follows a source that is a feed. */
export function openFeedFollower({ onProblem, ...importing }: FeedFollowerOptions, scans: FullScans) {
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
    const read = openBodies(importing.store.site.languages)
    const report = await importFeed({ ...importing, ...own, read }, text, scans.continuation(now))
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
