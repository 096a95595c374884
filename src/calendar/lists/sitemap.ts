import { LRUCache } from 'lru-cache'
import { type Changes, openFollowing } from '../../kernel/database/changes.ts'
import type { Db } from '../../kernel/database/db.ts'
import { finish, type Scheduler, type Task } from '../../kernel/tasks/scheduler.ts'

/** The IDs that one part has. A part keeps its address while records come and go. */
export const PART_SIZE = 2_000
/** The parts that one query counts, and the records that one reads: some milliseconds. */
const STRETCH = 5
const BATCH = 200

/** The kinds of records that have public pages. */
const PUBLIC_KINDS = ['event', 'series', 'venue', 'organizer', 'category', 'tag'] as const
export type PublicKind = (typeof PUBLIC_KINDS)[number]

/** A record that anybody may find: not a draft, not under a password, not hidden from lists; a term has such events. */
export type PublicRecord = {
  id: number
  slug: string
  language: string
  /** The last change in UTC, as a wall clock; empty if it is not known. */
  modified: string
  /** This record and its translations, the oldest first. */
  group: PublicRecord[]
}
type Row = [id: number, slug: string, language: string, modified: string, group: number | null]

const POST = "r.kind = '{kind}' and r.status = 'publish'"
const TERM = "r.taxonomy = '{kind}' and r.count > 0 and not r.hidden"
const HIDDEN = 'select 1 from events e where e.post_id = r.id and e.hide_from_listings'
const OPEN = "l.status = 'publish' and not l.hidden and not l.protected"

/** What is read of a kind: the narrow table that parts are counted in, with its columns, and the table of records. */
const SOURCES = {
  event: {
    narrow: 'listings l',
    id: 'l.event_id',
    shown: OPEN,
    modified: "strftime('%Y-%m-%d %H:%M:%S', max(l.modified), 'unixepoch')",
    from: 'posts r cross join listings l on l.event_id = r.id',
  },
  series: {
    narrow: 'posts r',
    id: 'r.id',
    shown: `${POST} and r.password_hash is null and not exists (${HIDDEN})`,
    modified: 'max(r.modified_utc)',
    from: 'posts r',
  },
  venue: { narrow: 'posts r', id: 'r.id', shown: POST, modified: 'max(r.modified_utc)', from: 'posts r' },
  organizer: { narrow: 'posts r', id: 'r.id', shown: POST, modified: 'max(r.modified_utc)', from: 'posts r' },
  category: { narrow: 'terms r', id: 'r.id', shown: TERM, modified: 'max(r.modified_utc)', from: 'terms r' },
  tag: { narrow: 'terms r', id: 'r.id', shown: TERM, modified: 'max(r.modified_utc)', from: 'terms r' },
}

/**
 * The queries of a kind. A batch is found by its IDs and its groups: CROSS JOIN keeps the order of tables, and `+` the indexes of kinds
 * out, whatever ANALYZE has told SQLite.
 */
function queriesOf(kind: PublicKind) {
  const { narrow, id, shown, modified, from } = SOURCES[kind]
  const isShown = shown.replace('{kind}', kind)
  const byRow = isShown.replace(/r\.(kind|status|taxonomy)/g, '+$&')
  const columns = 'r.id, r.slug, r.language, r.modified_utc, r.translation_group'
  return {
    last: `select coalesce(max(${id}), 0) from ${narrow}`,
    parts: `select (${id} + ${PART_SIZE - 1}) / ${PART_SIZE}, ${modified} from ${narrow} where ${isShown} and ${id} > ? and ${id} <= ? group by 1`,
    rows: `select ${columns} from ${from} where ${byRow} and r.id > ? and r.id <= ? order by r.id`,
    groups: `select ${columns} from json_each(?) g cross join ${from} where r.translation_group = g.value and ${byRow} order by r.id`,
  }
}

const open = (row: Row): PublicRecord => {
  const [id, slug, language, modified] = row
  return { id, slug, language, modified, group: [] }
}

/** Lists all that has a public page, in parts by ID. */
export function openPublicRecords({ rows }: Pick<Db, 'rows'>) {
  const queries = Object.fromEntries(PUBLIC_KINDS.map((kind) => [kind, queriesOf(kind)] as const)) as Record<
    PublicKind,
    ReturnType<typeof queriesOf>
  >

  return {
    /** The number of the last part of a kind that may have records. */
    last: (kind: PublicKind): number => Math.ceil(rows<[number]>(queries[kind].last)[0]![0] / PART_SIZE),
    /** The last changes of those parts that have records, from one part on and up to another. */
    *modified(kind: PublicKind, first: number, last: number): Task<[part: number, modified: string][]> {
      const found: [number, string][] = []
      for (let at = first - 1; at < last; at += STRETCH) {
        const until = Math.min(last, at + STRETCH)
        found.push(...rows<[number, string]>(queries[kind].parts, at * PART_SIZE, until * PART_SIZE))
        yield
      }
      return found
    },
    /** The records of a part in the order of their IDs, some at a time. */
    *records(kind: PublicKind, part: number): Generator<PublicRecord[], void> {
      for (let at = (part - 1) * PART_SIZE; at < part * PART_SIZE; at += BATCH)
        yield recordsOf(kind, rows<Row>(queries[kind].rows, at, at + BATCH))
    },
  }

  /** Records of rows, with their translations. */
  function recordsOf(kind: PublicKind, own: Row[]): PublicRecord[] {
    const numbers = [...new Set(own.flatMap(([, , , , group]) => group ?? []))]
    const groups = new Map<number, PublicRecord[]>(numbers.map((number) => [number, []]))
    for (const row of rows<Row>(queries[kind].groups, JSON.stringify(numbers)))
      groups.get(row[4]!)!.push(open(row))
    return own.map((row) => {
      const record = open(row)
      return { ...record, group: (row[4] !== null && groups.get(row[4])) || [record] }
    })
  }
}
type Public = ReturnType<typeof openPublicRecords>

const MOST_BYTES = 32 * 2 ** 20
/** After more changes than these, everything is made again. */
const MOST_CHANGES = 5_000

/** Which parts of a kind have records, as far as they were counted, and those to be counted again. */
type Counted = { modified: Map<number, string>; until: number; changed: Set<number> }
const counted = (): Counted => ({ modified: new Map(), until: 0, changed: new Set() })

/** What makes a part: the text of some records, and the whole of such texts. */
type Print = { some(kind: PublicKind, records: PublicRecord[]): string; whole(texts: string[]): Buffer }

/**
 * The parts of the site map as they are sent. Each is made in turns with other long work, once for all who ask meanwhile, and kept until
 * a write changes a record in it.
 */
export function openSitemapParts(
  { last, modified, records }: Public,
  changes: Changes,
  scheduler: Scheduler,
) {
  const cached = new LRUCache<string, Buffer>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ length }) => length,
  })
  /** The parts that are being made from records that nobody has written to since. */
  const making = new Map<string, Promise<Buffer | undefined>>()
  const kinds = new Map(PUBLIC_KINDS.map((kind) => [kind, counted()]))
  const follow = openFollowing(changes, PUBLIC_KINDS, {
    on: ({ kind, id }) => change(kind as PublicKind, Math.ceil(id / PART_SIZE)),
    reset: forget,
    most: MOST_CHANGES,
  })

  function forget() {
    cached.clear()
    making.clear()
    for (const kind of PUBLIC_KINDS) kinds.set(kind, counted())
  }
  function change(kind: PublicKind, part: number) {
    const key = `${kind} ${part}`
    cached.delete(key)
    making.delete(key)
    kinds.get(kind)!.changed.add(part)
  }

  /** Counts what is new and what has changed. */
  function* count(kind: PublicKind, known: Counted): Task<void> {
    const end = last(kind)
    for (const [part, at] of yield* modified(kind, known.until + 1, end)) known.modified.set(part, at)
    known.until = Math.max(known.until, end)
    for (const part of known.changed) {
      known.changed.delete(part)
      known.modified.delete(part)
      for (const [, at] of finish(modified(kind, part, part))) known.modified.set(part, at)
      yield
    }
  }

  function* make(print: Print, kind: PublicKind, part: number): Task<Buffer | undefined> {
    const texts: string[] = []
    for (const some of records(kind, part)) {
      texts.push(print.some(kind, some))
      yield
    }
    return texts.every((text) => text === '') ? undefined : print.whole(texts)
  }

  return {
    kinds: PUBLIC_KINDS,
    /** The parts of a kind that have records, from 1, with the last change of these. */
    async list(kind: PublicKind): Promise<{ part: number; modified: string }[]> {
      follow()
      const known = kinds.get(kind)!
      await scheduler.run(count(kind, known))
      return [...known.modified].sort(([a], [b]) => a - b).map(([part, modified]) => ({ part, modified }))
    },
    /** The bytes of a part; undefined if it has no records. `print` is the same at each call. */
    async bytes(kind: PublicKind, part: number, print: Print): Promise<Buffer | undefined> {
      follow()
      const key = `${kind} ${part}`
      const known = cached.get(key) ?? making.get(key)
      if (known) return known
      const made = Promise.resolve(scheduler.run(make(print, kind, part)))
      making.set(key, made)
      try {
        const bytes = await made
        follow()
        if (bytes && making.get(key) === made) cached.set(key, bytes)
        return bytes
      } finally {
        if (making.get(key) === made) making.delete(key)
      }
    },
  }
}
