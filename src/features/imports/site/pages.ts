import type { ImportedPage, RecordKind } from '../../../calendar/store.ts'
import { type Reading, takeEvent } from './events.ts'
import { type Light, lightOf } from './lookalikes.ts'
import type { Memory } from './memory.ts'
import { takePlace } from './places.ts'
import type { Reporting } from './report.ts'
import type { Source, SourcePage } from './source.ts'
import { idOf, type Shown, type Taken } from './taken.ts'
import { takeTerm } from './terms.ts'

/** What is taken of a record of any kind. */
export function takeRecord(kind: RecordKind, record: Shown, reading: Reading): Taken {
  if (kind === 'event' || kind === 'series') return takeEvent(kind, record, reading)
  return kind === 'venue' || kind === 'organizer'
    ? takePlace(kind, record, reading.language)
    : takeTerm(kind, record, reading.language)
}

type PagesOptions = {
  source: Source
  memory: Memory
  reporting: Reporting
  /** The pages that were read, by their addresses. Those that are read now are put here. */
  remembered: Record<string, ImportedPage>
  reading: Reading
  /** Reads every page, also those that did not change. */
  whole: boolean
  /** Whether pictures are taken. */
  media: boolean
}
/** Which members of records are taken: another number where others are, so that every page is read again. */
const FORM = 1
/** The records of a page, or how many a page has that did not change. `settle` says that all of them were taken. */
type Read = { taken: Taken[]; same: number; settle(): void }

/** The lists of a source, page by page. The next page is asked for while one is written. */
export function openPages({ source, memory, reporting, remembered, reading, whole, media }: PagesOptions) {
  const first = new Map<RecordKind, SourcePage | 'same' | undefined>()
  const lights: Light[] = []
  /** Whether pages were passed over. */
  let isPartial = false

  const keyOf = (kind: RecordKind, page: number) =>
    `${FORM}${media ? '' : ' without pictures'} ${source.address(kind, page)}`
  const etagOf = (kind: RecordKind, page: number) => (whole ? undefined : remembered[keyOf(kind, page)]?.etag)
  const load = (kind: RecordKind, page: number) => source.page(kind, page, etagOf(kind, page))

  /** How many records and pages a list has, by one of its pages. */
  const sizeOf = (kind: RecordKind, number: number, page: SourcePage | 'same') =>
    page === 'same' ? remembered[keyOf(kind, number)]! : page

  function read(kind: RecordKind, number: number, page: SourcePage | 'same'): Read {
    const address = keyOf(kind, number)
    if (page === 'same') {
      const { ids } = remembered[address]!
      isPartial ||= kind === 'event'
      for (const id of ids) memory.see(kind, id)
      reporting.count(kind, 'same', ids.length)
      return { taken: [], same: ids.length, settle() {} }
    }
    delete remembered[address]
    const { etag, total, pages } = page
    const taken = page.records
      .filter(({ id }) => idOf(id) > 0)
      .map((record) => takeRecord(kind, record, reading))
    if (kind === 'event') lights.push(...taken.flatMap(lightOf))
    const settle = () => {
      if (etag !== undefined) remembered[address] = { etag, ids: taken.map(({ id }) => id), total, pages }
    }
    return { taken, same: 0, settle }
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
    async *of(kind: RecordKind): AsyncGenerator<Read> {
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
    events: (): Light[] => (isPartial ? [] : lights),
  }
}
