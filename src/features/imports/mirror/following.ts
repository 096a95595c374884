import { openBodies } from '../../../calendar/input/bodies.ts'
import { type LoadedFeed, loadFeed } from '../feeds/discovery.ts'
import { type FeedImporting, type FeedReport, importFeed } from '../feeds/import.ts'
import { type Importing, importFrom, type SourceChange } from '../site/import.ts'
import { idOf, objectsOf, type Shown } from '../site/records.ts'
import { below, MOST_PAGES, PLURALS } from '../site/source.ts'
import type { Report } from '../site/sync-state.ts'
import { type Answer, failed, type Validators, type Web } from '../site/web.ts'

/** Milliseconds after which all records of a source are looked through in any case. */
const DAY = 86_400_000

/** A look through all records of a source: when it was, the number of its import, and how many records it could not take. */
type Look = { at: number; run: number; refused: number; left: number }

/** What the looks through all records of a source gave. Those of a day are one import, by which it is known how much went. */
export function openWhole() {
  let last: Look | undefined
  /** Records that went since that import began. */
  let lost = 0
  const isDue = (now: number) => last === undefined || now - last.at >= DAY

  return {
    isDue,
    last: (): Readonly<Look> | undefined => last,
    /** What the next import goes on with. */
    goOn: (now: number) => ({ lost, ...(last && !isDue(now) && { run: last.run }) }),
    /** Notes a look through all records, of which so many went. */
    note(now: number, { gone, ...told }: Omit<Look, 'at'> & { gone: number }) {
      const isNew = isDue(now)
      lost = isNew ? 0 : lost + gone
      last = { at: isNew ? now : last!.at, ...told }
    },
    /** Notes that records went that were told as changes. */
    lose(gone: number) {
      lost += gone
    },
    forget() {
      last = undefined
    },
  }
}
type Whole = ReturnType<typeof openWhole>

type Changes = ReturnType<typeof openChanges>

/** How often lists are looked through at once, if the source changes meanwhile. */
const MOST_TIMES = 3

/** How many records an import moved to the trash or deleted. */
const goneIn = ({ counts }: Report): number =>
  Object.values(counts).reduce((sum, { gone = 0 }) => sum + gone, 0)

/** Follows a source by its API: by the changes that it tells, or through its lists. */
export function openLists(whole: Whole) {
  let token: string | undefined

  /** Looks through all lists. */
  async function lookThrough(from: Importing, now: number) {
    const report = await importFrom(from, whole.goOn(now))
    const { run, refused, left } = report
    whole.note(now, { run, refused: refused.length, left: left.length, gone: goneIn(report) })
  }

  /** Takes what changed since the token; false if the source takes it no more. */
  async function takeChanges(from: Importing, now: number, { since }: Changes): Promise<boolean> {
    for (let hasMore = true; hasMore; ) {
      const told = await since(token!)
      if (told === 'ended') return false
      const { changes } = told
      if (changes.length > 0) whole.lose(goneIn(await importFrom(from, { changes, ...whole.goOn(now) })))
      token = told.token
      hasMore = told.hasMore
    }
    return true
  }

  /** Whether anything changed since a token. What can not be asked now is asked by the next look. */
  async function hasMoved({ since }: Changes, from: string): Promise<boolean> {
    const told = await since(from).catch(() => 'ended' as const)
    return told !== 'ended' && told.changes.length > 0
  }

  return {
    /** Whether the source tells its changes. */
    isTold: () => token !== undefined,
    async follow(from: Importing, now: number, changes: Changes) {
      if (!whole.isDue(now) && token !== undefined && (await takeChanges(from, now, changes))) return
      let next: string | undefined
      let times = 0
      do {
        // before the lists are read, so that nothing falls between
        next = await changes.begin()
        await lookThrough(from, now)
        token = next
        // what goes while lists are read moves others from a page that was not read to one that was
      } while (++times < MOST_TIMES && next !== undefined && (await hasMoved(changes, next)))
    },
    forget() {
      token = undefined
    },
  }
}

/** What changed at a source, and the token that asks for what changes after it. */
type Told = { changes: SourceChange[]; token: string; hasMore: boolean }

const KINDS = Object.keys(PLURALS) as SourceChange['kind'][]
/** As many as an Almanac tells at once. */
const MOST = '500'

/** What `GET /changes` answers; undefined if it is no answer of an Almanac. */
function readTold({ status, body }: Answer): Told | undefined {
  const { changes, has_more, next_sync_token: token } = { ...(body as Shown) }
  if (status !== 200 || typeof token !== 'string') return undefined
  const told = objectsOf(changes).flatMap(({ kind, id, record }): SourceChange[] => {
    const own = KINDS.find((one) => one === kind)
    const [shown] = objectsOf(record)
    return own !== undefined && idOf(id) > 0
      ? [{ kind: own, id: idOf(id), ...(shown && { record: shown }) }]
      : []
  })
  return { changes: told, token, hasMore: has_more === true }
}

/** A page for people is no answer of an Almanac. Other errors are thrown. */
function orNone(error: object): Answer {
  if (!('isPage' in error)) throw error
  return { status: 404, body: undefined }
}

/** Follows what changes at a source, if that is an Almanac; for one look. */
export function openChanges(web: Web, root: string) {
  let asked = 0
  const ask = (query: Record<string, string>) => {
    if (++asked > MOST_PAGES)
      throw failed(`${root}/changes has more than ${MOST_PAGES} pages, and the next look goes on after these`)
    return web.get(below(root, 'changes', { per_page: MOST, ...query }))
  }

  return {
    /** Whether the source tells what changes. */
    async isTold(): Promise<boolean> {
      const names = { _fields: 'has_more,next_sync_token', per_page: '1' }
      const answer = await ask(names).catch(orNone)
      return readTold(answer) !== undefined
    },
    /** A token for what changes from now on; undefined if the source tells no changes. */
    async begin(): Promise<string | undefined> {
      // records are left out of the answers: lists are read by their pages, which say whether they changed
      const names = { _fields: 'has_more,next_sync_token' }
      const first = await ask({ ...names, kind: KINDS.join() }).catch(orNone)
      let told = readTold(first)
      while (told?.hasMore) told = readTold(await ask({ ...names, sync_token: told.token }))
      return told?.token
    },
    /** What changed since a token; `ended` if the source takes the token no more. */
    async since(token: string): Promise<Told | 'ended'> {
      const answer = await ask({ sync_token: token })
      if (answer.status === 410 || answer.status === 400) return 'ended'
      const told = readTold(answer)
      if (!told) throw failed(`${root}/changes answers ${answer.status} without a sync token`)
      return told
    },
  }
}

/** An event that could not be taken, or not whole, and why. */
export type Named = { kind: string; name: string; line?: number; why: string }

type FeedOptions = Pick<FeedImporting, 'store' | 'pictures' | 'category' | 'address' | 'shown'> & {
  hear: ((named: Named) => void) | undefined
}

/** Follows a source that is a feed. */
export function openFeed({ hear, ...importing }: FeedOptions, whole: Whole) {
  /** What its last answer is known by. */
  let known: Validators | undefined
  /** What was told of events that were not taken. */
  let heard = new Set<string>()

  /** Takes the feed as it was loaded. */
  async function take(
    { text, known: next }: LoadedFeed,
    now: number,
    own: Pick<FeedImporting, 'writer' | 'signal'>,
  ) {
    const read = openBodies(importing.store.site.languages)
    const report = await importFeed({ ...importing, ...own, read }, text, whole.goOn(now))
    const gone = report.gone.filter(({ why }) => why === undefined).length
    whole.note(now, { run: report.run, gone, ...tellOf(report) })
    known = next
  }

  /** Tells of what was not taken, and counts it. */
  function tellOf({ told, gone, counts }: FeedReport) {
    const named: Named[] = [
      ...told.map(({ kind, name, line, reason, remarks }) => ({
        kind,
        name,
        line,
        why: [...(reason === undefined ? [] : [reason]), ...remarks].join('; '),
      })),
      ...gone.flatMap(({ why, ...one }) => (why === undefined ? [] : [{ ...one, why }])),
    ]
    const keyOf = ({ name, why }: Named) => `${name}\n${why}`
    for (const one of named) if (!heard.has(keyOf(one))) hear?.(one)
    heard = new Set(named.map(keyOf))
    const sum = (outcome: 'refused' | 'present') =>
      Object.values(counts).reduce((total, own) => total + own[outcome], 0)
    return {
      refused: sum('refused'),
      left: sum('present') + gone.filter(({ why }) => why !== undefined).length,
    }
  }

  return {
    take,
    /** Loads the feed; `same` if it did not change. */
    load: (web: Web, now: number) => loadFeed(web, importing, whole.isDue(now) ? {} : known),
    forget() {
      known = undefined
    },
  }
}
