import type { SyncKind } from '../../../schemas/changes.ts'
import { canWrite } from '../../calendar/rights.ts'
import type { Json } from '../../calendar/views/documents.ts'
import { type Changes, EVERYTHING, type Latest, type Row, TOUCHED } from '../../kernel/database/changes.ts'
import { ApiError } from '../../kernel/errors.ts'
import {
  type Audience,
  type Cursor,
  type Interest,
  KINDS,
  type Lists,
  openSource,
  type Source,
} from './sources.ts'

/** A record that changed, in its latest state. */
export type SyncChange = {
  kind: SyncKind
  id: number
  /** `create` if the follower could not have it before; `delete` if it may have it and it does not match any more. */
  operation: 'create' | 'update' | 'delete'
  /** The row of the log that changed it last, its UTC time and its writer; absent in a beginning. */
  last?: { seq: number; at_utc: string; by: number | null }
  /** The first row of the log that it covers; absent in a beginning. */
  first?: number
  /** Of a `create`, the row since which the follower can find it, wherever the page began; absent in a beginning. */
  entered?: { seq: number; at_utc: string }
  /** Absent for `delete`. */
  record?: Json
}
/** What was read. `latest` is the last row of the log at that moment. */
export type SyncPage = {
  changes: SyncChange[]
  next: Cursor
  /** Whether `next` would read more now. */
  hasMore: boolean
  latest: Latest
}

/** Rows of the log that one page looks at, so that a filter that matches nothing costs little. */
const MOST_ROWS = 5_000

const expired = () =>
  new ApiError(
    'sync-token-expired',
    'What changed since then is no longer known; begin anew without `sync_token`.',
  )

/** Rows that are read at a time for each record that a page still has room for: often one record has several. */
const ROWS_EACH = 20

/** What the rows of a page say about one record. */
type Noted = {
  kind: SyncKind
  id: number
  isNew: boolean
  couldFind: boolean
  touched: number
  first: number
  /** The last row before which the caller could not find it, as long as none says that it could. */
  entered: SyncChange['entered']
  last: NonNullable<SyncChange['last']>
}

/**
 * What rows of the log say about each record, in the order of their last changes; of the first `most` records. `before` is what
 * earlier rows of the page said, and takes this up.
 */
function gather(rows: Row[], sources: Map<SyncKind, Source>, most: number, before: Map<string, Noted>) {
  const noted = new Map<string, Noted>()
  let count = 0
  for (const { seq, kind: name, id, operation, at_utc, by, was, touched } of rows) {
    const kind = name as SyncKind
    const key = `${kind} ${id}`
    if (!noted.has(key) && noted.size === most) break
    const known = before.get(key)
    const couldFind = known?.couldFind || (was !== undefined && sources.get(kind)!.couldFind(was))
    const note: Noted = {
      kind,
      id,
      couldFind,
      isNew: known ? known.isNew : operation === 'create',
      touched: (known?.touched ?? 0) | touched,
      first: known?.first ?? seq,
      entered: couldFind ? known?.entered : { seq, at_utc },
      last: { seq, at_utc, by },
    }
    noted.delete(key)
    noted.set(key, note)
    before.set(key, note)
    count++
  }
  return { count, noted: [...noted.values()] }
}

/**
 * Follows the log of changes for one caller and one interest, in pages. Everything of a page is of one moment: that is done without
 * awaiting anything.
 */
export function openSync(changes: Changes, lists: Lists) {
  /** `without` are the bits of rows that the caller is not told of. */
  type Read = { sources: Map<SyncKind, Source>; interest: Interest; most: number; without: number }

  /** Whether the log has rows after one number that a caller may be told of. */
  const isBehind = ({ sources, without }: Read, at: number) =>
    changes.rows(at, changes.latest().seq, [...sources.keys(), EVERYTHING], 1, without).length > 0

  /** The records of each kind that match, by their JSON. */
  function shown(sources: Map<SyncKind, Source>, wanted: { kind: SyncKind; id: number }[]) {
    const json = new Map<SyncKind, Map<number, Json>>()
    for (const [kind, source] of sources) {
      const ids = wanted.filter((one) => one.kind === kind).map(({ id }) => id)
      if (ids.length > 0) json.set(kind, source.show([...source.among(ids)]))
    }
    return ({ kind, id }: { kind: SyncKind; id: number }) => json.get(kind)!.get(id)
  }

  /** The next records of a beginning. */
  function list(read: Read, { at, rest }: Required<Cursor>): Omit<SyncPage, 'latest'> {
    const { sources, interest, most } = read
    const found: SyncChange[] = []
    const operation = rest.again ? 'update' : 'create'
    let { kind, after } = rest
    for (;;) {
      const source = sources.get(kind)!
      const ids = source.after(after, most - found.length)
      const json = source.show(ids)
      for (const id of ids) found.push({ kind, id, operation, record: json.get(id)! })
      if (found.length === most)
        return { changes: found, next: { at, rest: { ...rest, kind, after: ids.at(-1)! } }, hasMore: true }
      const next = kindsOf(interest).find((other) => KINDS.indexOf(other) > KINDS.indexOf(kind))
      if (next === undefined) return { changes: found, next: { at }, hasMore: isBehind(read, at) }
      kind = next
      after = 0
    }
  }

  /** Adds what is noted of records to what was found before. */
  function merge(found: Map<string, SyncChange>, noted: Noted[], sources: Map<SyncKind, Source>) {
    const record = shown(sources, noted)
    for (const one of noted) {
      const { kind, id, first, entered, last } = one
      const key = `${kind} ${id}`
      const before = found.get(key)
      const json = record(one)
      const wasThere = before ? before.operation !== 'create' : one.couldFind && !one.isNew
      const mayHaveLeft = one.couldFind && (one.touched & sources.get(kind)!.depends) !== 0
      // at the end, in the order of last changes
      found.delete(key)
      if (json && wasThere) found.set(key, { kind, id, operation: 'update', first, last, record: json })
      else if (json)
        found.set(key, { kind, id, operation: 'create', first, entered: entered!, last, record: json })
      else if (before || mayHaveLeft) found.set(key, { kind, id, operation: 'delete', first, last })
    }
  }

  /** What the rows of the log after one number and up to another say. */
  function follow(read: Read, since: number, until: number): Omit<SyncPage, 'latest'> {
    const { sources, interest, most, without } = read
    const found = new Map<string, SyncChange>()
    const seen = new Map<string, Noted>()
    const kinds = [...sources.keys(), EVERYTHING]
    let at = since
    for (let left = MOST_ROWS; left > 0 && found.size < most && at < until; ) {
      const asked = Math.min(left, ROWS_EACH * (most - found.size))
      const rows = changes.rows(at, until, kinds, asked, without)
      const everything = rows.findIndex(({ kind }) => kind === EVERYTHING)
      const own = everything < 0 ? rows : rows.slice(0, everything)
      if (own.length === 0 && rows.length > 0) {
        const rest = { kind: kindsOf(interest)[0]!, after: 0, again: true } as const
        return { changes: [...found.values()], next: { at: rows[0]!.seq, rest }, hasMore: true }
      }
      const { count, noted } = gather(own, sources, most - found.size, seen)
      merge(found, noted, sources)
      // without further rows of these kinds, all is done up to the end
      at = count === rows.length && count < asked ? until : rows[count - 1]!.seq
      left -= count
    }
    return { changes: [...found.values()], next: { at }, hasMore: isBehind(read, at) }
  }

  return {
    /** The beginning for an interest: all records that match, then what was written since now. */
    begin: (interest: Interest): Cursor => ({
      at: changes.latest().seq,
      rest: { kind: kindsOf(interest)[0]!, after: 0 },
    }),
    /** The JSON of a record in an interest that the audience may see; undefined if it is none. */
    async show(
      interest: Interest,
      kind: SyncKind,
      id: number,
      audience: Audience,
    ): Promise<Json | undefined> {
      const source = await openSource(lists, kind, interest, audience, false)
      return source.show([...source.among([id])]).get(id)
    },
    /**
     * The next changes of records in an interest that the audience may see, at most so many. Each record occurs once, in its
     * state of this moment, in the order of its last change. Throws `sync-token-expired` if rows after the cursor are gone.
     */
    async read(interest: Interest, cursor: Cursor, audience: Audience, most: number): Promise<SyncPage> {
      const latest = changes.latest()
      if (!cursor.rest && latest.seq === cursor.at)
        return { changes: [], next: cursor, hasMore: false, latest }
      const sources = new Map<SyncKind, Source>()
      for (const kind of kindsOf(interest))
        sources.set(kind, await openSource(lists, kind, interest, audience, cursor.rest !== undefined))
      const without = canWrite(audience.caller) ? 0 : TOUCHED.unseen
      const read = { sources, interest, most, without }
      if (!changes.reaches(cursor.at)) throw expired()
      // what was written since the sources were opened, which they may not know, is left for the next page
      const { at, rest } = cursor
      const page = rest ? list(read, { at, rest }) : follow(read, at, latest.seq)
      return { ...page, latest: changes.latest() }
    },
  }
}

/** The kinds of an interest in the order of a beginning. */
const kindsOf = ({ kinds }: Interest) => KINDS.filter((kind) => kinds.includes(kind))
