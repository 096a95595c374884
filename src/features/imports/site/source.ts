import type { ImportedPage, RecordKind } from '../store.ts'
import { type Candidate, candidateOf } from './series.ts'
import type { SourceChange } from './site-import.ts'
import {
  idOf,
  objectsOf,
  type ReadOptions,
  readRecord,
  type SourceJson,
  type SourceRecord,
} from './source-records.ts'
import type { Reporting, SyncState } from './sync-state.ts'
import { type Answer, failed, type Web } from './web.ts'

/** A page of a list, and how many records and pages the list has. */
type SourcePage = { records: SourceJson[]; total: number; pages: number; etag?: string }

/** The names of lists by what they are of. */
export const PLURALS = {
  series: 'series',
  category: 'categories',
  tag: 'tags',
  venue: 'venues',
  organizer: 'organizers',
  event: 'events',
} as const satisfies Record<RecordKind, string>

/** As many as lists of this kind give at once. */
const PER_PAGE = 50

/** Pages of a list, and of the changes of one poll, that are read at most: those of half a million records. */
const MOST_PAGES = 10_000

/** What lists are asked for: all records of a kind, also past events, terms without events, and all languages. */
const ASKED: Record<RecordKind, Record<string, string>> = {
  event: { start_date: '1000-01-02', end_date: '9999-12-30' },
  category: { hide_empty: '0' },
  tag: { hide_empty: '0' },
  series: {},
  venue: {},
  organizer: {},
}

/** Where an API may be below the address of a site. */
const MOUNTS = ['', 'wp-json/tribe/events/v1', 'calendar/events/v1']

/** The address of an API without what does not belong to it, by which a source is known. */
export function readRoot(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw failed(
      `"${text}" is not the http or https URL of a calendar, such as https://old.example/wp-json/tribe/events/v1`,
    )
  if (url.username !== '' || url.password !== '')
    throw failed(
      'a URL must not have credentials in it; put them into a file, and name that with --credentials',
    )
  url.hash = ''
  const route = url.searchParams.get('rest_route')
  url.search = route === null ? '' : `?rest_route=${tidy(route)}`
  if (route === null) url.pathname = tidy(url.pathname)
  return url.href.replace(/\/$/, '')
}

/** A path without a slash at its end, and without the list that somebody looked at. */
const tidy = (path: string) =>
  path.replace(/\/+$/, '').replace(/\/(events|venues|organizers|categories|tags|doc)$/, '')

/** An address below a root, which may be a route in the query of a site. */
export function below(root: string, path: string, query: Record<string, string> = {}): string {
  const url = new URL(root)
  const route = url.searchParams.get('rest_route')
  if (path !== '' && route === null) url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`
  else if (path !== '') url.searchParams.set('rest_route', `${route}/${path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}

/** The answer as a list of this name; undefined if it is none. */
function listOf(
  { status, body }: Answer,
  plural: string,
): { records: SourceJson[]; list: SourceJson } | undefined {
  const list = (body ?? {}) as SourceJson
  const records = list[plural]
  return status === 200 && Array.isArray(records) ? { records: objectsOf(records), list } : undefined
}
const isRefused = ({ status }: Answer) => status === 401 || status === 403

/** The root of the API at an address, or of that which a site has below it. */
export async function findRoot(web: Web, address: string): Promise<string> {
  let first: Answer | undefined
  for (const mount of MOUNTS) {
    const root = below(address, mount)
    const answer = await web.get(below(root, 'events', { per_page: '1' })).catch(orNone)
    if (listOf(answer, 'events')) return root.replace(/\/$/, '')
    first ??= answer
    if (isRefused(answer)) break
  }
  if (isRefused(first!))
    throw failed(`${address} answers ${first!.status}: it takes other credentials, which --credentials names`)
  throw failed(`${address} has no list of events, and neither has ${MOUNTS.slice(1).join(' or ')} below it`, {
    isNone: true,
  })
}

/** What a source is asked for. */
export function openSource(web: Web, root: string) {
  // a mount for visitors of WordPress lists one language alone
  const more: Record<string, string> = root.includes('/wp-json/') ? { i18n_language: 'any' } : {}

  return {
    root,
    /** The address of a page, by which it is remembered. */
    address: (kind: RecordKind, page: number) =>
      below(root, PLURALS[kind], { per_page: String(PER_PAGE), page: String(page), ...ASKED[kind], ...more }),
    /** A page of a list; `same` if it still has this ETag, undefined where the source has no such list, or no such page. */
    async page(kind: RecordKind, page: number, etag?: string): Promise<SourcePage | 'same' | undefined> {
      const answer = await web.get(this.address(kind, page), etag)
      if (answer.status === 304) return 'same'
      // the reference has 404 and 400 for pages after the last one
      if (answer.status === 404 || (page > 1 && answer.status === 400)) return undefined
      return readPage(answer, kind, this.address(kind, page))
    },
    /** The dates of a series, as pages of events. */
    async dates(series: number, page: number): Promise<SourcePage> {
      const query = { per_page: String(PER_PAGE), page: String(page), ...ASKED.event, ...more }
      const address = below(root, PLURALS.event, { ...query, post_parent: String(series) })
      return readPage(await web.get(address), 'event', address)
    },
    /** A record by its ID; undefined if the source has it no more, or shows it to this reader no more. */
    async one(kind: RecordKind, id: number): Promise<SourceJson | undefined> {
      const { status, body } = await web.get(below(root, `${PLURALS[kind]}/${id}`))
      return status === 200 && (body as SourceJson).status !== 'trash' ? (body as SourceJson) : undefined
    },
  }
}
export type Source = ReturnType<typeof openSource>

/** The page of a list in an answer; throws what the source says instead. */
function readPage(answer: Answer, kind: RecordKind, address: string): SourcePage {
  const found = listOf(answer, PLURALS[kind])
  if (!found) throw failed(`${address} answers ${answer.status}${reasonOf(answer)}`)
  const { records, list } = found
  const count = (value: unknown, least: number) => Math.max(Number(value) || 0, least)
  const pages = count(list.total_pages, 1)
  if (pages > MOST_PAGES)
    throw failed(`${address} is one of ${pages} pages, and at most ${MOST_PAGES} are read`)
  return {
    records,
    total: count(list.total, records.length),
    pages,
    ...(answer.etag !== undefined && { etag: answer.etag }),
  }
}

const reasonOf = ({ body }: Answer) => {
  const { message } = (body ?? {}) as { message?: unknown }
  return typeof message === 'string' ? `: ${message.slice(0, 200)}` : ''
}

/** What changed at a source, and the token that asks for what changes after it. */
type ChangePage = { changes: SourceChange[]; token: string; hasMore: boolean }

const KINDS = Object.keys(PLURALS) as SourceChange['kind'][]
/** As many as an Almanac tells at once. */
const MOST_CHANGES = '500'

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

/** A page for people is no answer of an API. Other errors are thrown. */
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
    return web.get(below(root, 'changes', { per_page: MOST_CHANGES, ...query }))
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

type ListsOptions = {
  source: Source
  sync: SyncState
  reporting: Reporting
  /** The pages that were read, by their addresses. Those that are read now are put here. */
  remembered: Record<string, ImportedPage>
  reading: ReadOptions
  /** Reads every page, also those that did not change. */
  whole: boolean
  /** Whether pictures are imported. */
  media: boolean
}
/** Which members of records are imported: another number where others are, so that every page is read again. */
const FORM = 1
/** The records of a page, or how many a page has that did not change. `remember` is called when all of them are imported. */
type ListPage = { records: SourceRecord[]; same: number; remember(): void }

/** The lists of a source, page by page. The next page is asked for while one is written. */
export function openLists({ source, sync, reporting, remembered, reading, whole, media }: ListsOptions) {
  const first = new Map<RecordKind, SourcePage | 'same' | undefined>()
  const candidates: Candidate[] = []
  /** Whether pages were passed over. */
  let isPartial = false

  const keyOf = (kind: RecordKind, page: number) =>
    `${FORM}${media ? '' : ' without pictures'} ${source.address(kind, page)}`
  const etagOf = (kind: RecordKind, page: number) => (whole ? undefined : remembered[keyOf(kind, page)]?.etag)
  const load = (kind: RecordKind, page: number) => source.page(kind, page, etagOf(kind, page))

  /** How many records and pages a list has, by one of its pages. */
  const sizeOf = (kind: RecordKind, number: number, page: SourcePage | 'same') =>
    page === 'same' ? remembered[keyOf(kind, number)]! : page

  function read(kind: RecordKind, number: number, page: SourcePage | 'same'): ListPage {
    const address = keyOf(kind, number)
    if (page === 'same') {
      const { ids } = remembered[address]!
      isPartial ||= kind === 'event'
      for (const id of ids) sync.markSeen(kind, id)
      reporting.count(kind, 'same', ids.length)
      return { records: [], same: ids.length, remember() {} }
    }
    delete remembered[address]
    const { etag, total, pages } = page
    const records = page.records
      .filter(({ id }) => idOf(id) > 0)
      .map((record) => readRecord(kind, record, reading))
    if (kind === 'event') candidates.push(...records.flatMap(candidateOf))
    const remember = () => {
      if (etag !== undefined) remembered[address] = { etag, ids: records.map(({ id }) => id), total, pages }
    }
    return { records, same: 0, remember }
  }

  return {
    /** Reads the first page of a list, by which its length is known. */
    async begin(kind: RecordKind) {
      first.set(kind, await load(kind, 1))
    },
    /** How many records each list has that the source has. */
    totals: (): Map<RecordKind, number> =>
      new Map(
        [...first].flatMap(([kind, page]) =>
          page === undefined ? [] : [[kind, sizeOf(kind, 1, page).total]],
        ),
      ),
    total(): number {
      return [...this.totals().values()].reduce((sum, total) => sum + total, 0)
    },
    /** The kinds that the source lists. */
    listed: (): RecordKind[] => [...first].filter(([, page]) => page !== undefined).map(([kind]) => kind),
    /** All pages of a list; none if the source has no such list. */
    async *of(kind: RecordKind): AsyncGenerator<ListPage> {
      let page = first.get(kind)
      for (let number = 1; page !== undefined; number++) {
        const { pages } = sizeOf(kind, number, page)
        const next = number < pages ? load(kind, number + 1) : Promise.resolve(undefined)
        try {
          yield read(kind, number, page)
        } finally {
          // also where the import ends, so that nothing goes on after it
          await next.catch(() => {})
        }
        page = await next
      }
    },
    /** The events that a series of the source has, by their dates. */
    async datesOf(series: number): Promise<Map<string, number>> {
      const found = new Map<string, number>()
      let pages = 1
      for (let number = 1; number <= pages; number++) {
        const page = await source.dates(series, number)
        pages = page.pages
        for (const { id, recurrence_id } of page.records) found.set(String(recurrence_id), idOf(id))
      }
      return found
    },
    /** What tells which events look alike; nothing if pages were passed over. */
    events: (): Candidate[] => (isPartial ? [] : candidates),
  }
}
