import type { Guard, Store, View, Write, Writer } from '../../calendar/store.ts'
import type { NamedRecord } from './site/sync-state.ts'
import { failed } from './site/web.ts'
import type { Imported, RecordKind } from './store.ts'

/** So many records, and more than such a part of all, are not gone by mistake without a word. */
const LEAST = 10
const PART = 1 / 3

/**
 * Throws if so much of what was imported is gone from the source that it may be broken, or another one. Those that were `lost` a short while ago
 * count as well, so that a calendar is not emptied little by little.
 */
export function mustBeFew(gone: number, all: number, lost: number) {
  if (gone > 0 && gone + lost >= LEAST && gone + lost > (all + lost) * PART)
    throw failed(
      `${gone} of ${all} records that were imported before are gone from the source${lost > 0 ? `, after ${lost} others` : ''}; if that is right, --force moves them to the trash, and --keep leaves them as they are. Nothing was moved to the trash`,
      { isDrop: true },
    )
}

/** The kinds in the order in which they go: what refers to others goes first. */
export const REMOVAL_ORDER: RecordKind[] = ['series', 'event', 'organizer', 'venue', 'tag', 'category']
/** The origin by which removals are shown, which nobody sees. */
const ORIGIN = { base: '', root: '', vendor: '', host: '' }

/** Why a record that was imported is left as it is. */
export const EDITED = 'it was edited here since'
export const DELETED = 'it was deleted here'
export const GONE_BUT_EDITED = 'it is gone from the source, but was edited here since'

/**
 * Moves a record to the trash, with a `range` a date of a series and those that follow; deletes a term. Within the transaction `whyNot` is
 * asked first, and `note` called after it. Returns why the record stays; undefined if it went.
 */
export async function removeRecord(
  store: Store,
  writer: Writer,
  { kind, id, range }: { kind: RecordKind; id: number; range?: 'following' },
  whyNot: (tx: Write['tx']) => Promise<string | undefined>,
  note: (tx: Write['tx']) => Promise<unknown>,
): Promise<string | undefined> {
  let why: string | undefined
  const guard: Guard = async <T>(tx: Write['tx'], work: () => Promise<T>): Promise<T> => {
    why = await whyNot(tx)
    if (why !== undefined) return { id } as T
    const done = await work()
    await note(tx)
    return done
  }
  const view: View = { origin: ORIGIN, single: false, caller: writer.caller }
  const removal = { context: store.checking(writer), view, guard }
  if (kind === 'category' || kind === 'tag')
    await store.remove.term(
      kind === 'category' ? store.categories : store.tags,
      { ...removal, key: id },
      undefined,
    )
  else await store.remove.post(kind, { ...removal, key: { id }, ...(range && { range }) })
  return why
}

/** What the undoing of an import took back, by kind, and what stayed and why. */
export type Undone = {
  run: number
  source: string
  counts: Partial<Record<RecordKind, { trashed: number; stayed: number }>>
  stayed: NamedRecord[]
}

/** Of a record that is gone already, or goes with its series. */
const PASSED = ''
const DATE_EDITED = 'one of its dates was edited here since'
const HELD = 'events here have it'
const OF_ANOTHER = 'it is a date of a series that was here before'

/**
 * Takes back what an import made: moves records to the trash, and deletes terms. What was edited here since stays, and so do venues, organizers and
 * terms of events that stay. Records that the import changed stay as they are. Undefined if there is no such import.
 */
export async function undoImport(store: Store, writer: Writer, run: number): Promise<Undone | undefined> {
  const { imports } = store
  const known = await imports.run(run)
  if (known === undefined) return undefined
  const rows = await imports.madeBy(run)
  const byRecord = new Map(rows.map((row) => [`${row.kind} ${row.record_id}`, row]))
  const undone: Undone = { run, source: known.source, counts: {}, stayed: [] }

  /** Why a record is not taken back, which has this state. */
  async function whyStays(tx: Write['tx'], { kind, record_id: id, version }: Imported, now: string) {
    if (now !== version) return EDITED
    if (kind === 'series') {
      const own = await imports.ownDates(tx, id)
      const isAsMade = (date: (typeof own)[number]) =>
        byRecord.get(`event ${date.id}`)?.version === date.version
      return own.every(isAsMade) ? undefined : DATE_EDITED
    }
    if (kind === 'event') return (await imports.seriesOf(tx, id)) === undefined ? undefined : OF_ANOTHER
    return (await imports.isHeld(tx, kind, id, true)) ? HELD : undefined
  }

  /** Notes that a record is taken back, and with a series its dates. */
  async function noteGone(tx: Write['tx'], row: Imported) {
    const { kind, record_id: id } = row
    const after = await imports.state(tx, kind, id)
    await imports.note(tx, { ...row, version: after?.version ?? '', gone: true })
    if (kind !== 'series') return
    for (const date of await imports.dates(tx, id)) {
      const own = byRecord.get(`event ${date.id}`)
      if (own) await imports.note(tx, { ...own, version: date.version, gone: true })
    }
  }

  async function takeBack(row: Imported) {
    const { kind, record_id: id } = row
    let name: string | undefined
    const whyNot = async (tx: Write['tx']) => {
      const state = await imports.state(tx, kind, id)
      // deleted by somebody, or with its series
      if (state === undefined || state.status === 'trash') return PASSED
      const series = kind === 'event' ? await imports.seriesOf(tx, id) : undefined
      // what becomes of its series becomes of it
      if (series !== undefined && byRecord.has(`series ${series}`)) return PASSED
      name = state.name
      return whyStays(tx, row, state.version)
    }
    const why = await removeRecord(store, writer, { kind, id }, whyNot, (tx) => noteGone(tx, row))
    if (name === undefined) return
    undone.counts[kind] ??= { trashed: 0, stayed: 0 }
    undone.counts[kind][why === undefined ? 'trashed' : 'stayed']++
    if (why !== undefined) undone.stayed.push({ kind, id, name, why })
  }

  for (const kind of REMOVAL_ORDER) for (const row of rows) if (row.kind === kind) await takeBack(row)
  const sum = (what: 'trashed' | 'stayed') =>
    Object.values(undone.counts).reduce((total, own) => total + own[what], 0)
  const totals = { undone: (known.counts.undone ?? 0) + sum('trashed'), stayed: sum('stayed') }
  await imports.undone(run, totals, writer.by)
  return undone
}
