import type { Guard, Store, View, Write, Writer } from '../../../calendar/store.ts'
import type { Imported, RecordKind } from '../store.ts'
import type { Source } from './source.ts'
import { type ReadOptions, readRecord, type SourceRecord } from './source-records.ts'
import type { Reporting, SyncState } from './sync-state.ts'
import { failed } from './web.ts'

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

/** Compares how many records the lists of a source have with what was imported before, and throws if much is gone. */
export function checkDrop(sync: SyncState, totals: Map<RecordKind, number>, lost: number) {
  let gone = 0
  for (const [kind, total] of totals) gone += Math.max(sync.alive(kind) - total, 0)
  mustBeFew(gone, sync.alive(), lost)
}

type RemovalOptions = {
  store: Store
  writer: Writer
  sync: SyncState
  reporting: Reporting
  source: Source
  reading: ReadOptions
  /** Writes what turns out to be there. */
  importRecords(all: SourceRecord[]): Promise<unknown>
  /** Whether the source knows who reads. */
  isSignedIn: boolean
}
/** A record that seems gone, by its name here. */
type Missing = { row: Imported; name: string }
type How = { keep: boolean; force: boolean; dryRun: boolean; lost: number }

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

/** Removes what is gone from a source. */
export function openRemovals({
  store,
  writer,
  sync,
  reporting,
  source,
  reading,
  importRecords,
  isSignedIn: signed,
}: RemovalOptions) {
  /** The records that were imported and are gone, and that are there here and not in the trash. */
  async function findMissing(isGone: (row: Imported) => boolean): Promise<Missing[]> {
    const found: Missing[] = []
    for (const kind of REMOVAL_ORDER)
      for (const row of sync.rows()) {
        if (row.kind !== kind || row.gone || !isGone(row)) continue
        const state = await store.imports.state(store.db.read, kind, row.record_id)
        if (state === undefined || state.status === 'trash') continue
        // visitors are not told of what is not published, so they can not say that it is gone
        if (signed || state.status === undefined || state.status === 'publish')
          found.push({ row, name: state.name })
      }
    return found
  }

  /** Removes a record here, unless it was written since; says why it was left. */
  function remove(row: Imported): Promise<string | undefined> {
    const { kind, remote_id, record_id: id, digest } = row
    return removeRecord(
      store,
      writer,
      { kind, id },
      (tx) => reasonToStay(tx, row),
      async (tx) => {
        const version = (await store.imports.state(tx, kind, id))?.version ?? ''
        await sync.note({ tx }, { kind, id: remote_id }, { record_id: id, digest, version, gone: true })
      },
    )
  }

  async function reasonToStay(tx: Write['tx'], row: Imported): Promise<string | undefined> {
    const { kind, record_id: id } = row
    const state = await store.imports.state(tx, kind, id)
    if (state?.version !== row.version) return GONE_BUT_EDITED
    if (kind !== 'category' && kind !== 'tag') return undefined
    if (row.made_run === null) return 'it is gone from the source, but was here before'
    return (await store.imports.isUsed(tx, kind, id))
      ? 'it is gone from the source, but events here have it'
      : undefined
  }

  return {
    /** Moves to the trash what seems gone, after asking for each record once more; terms that no event has are deleted. */
    async removeAll(isGone: (row: Imported) => boolean, { keep, force, dryRun, lost }: How) {
      const missing = await findMissing(isGone)
      if (!keep && !force) mustBeFew(missing.length, sync.alive(), lost)
      for (const { row, name } of missing) {
        const { kind, remote_id: id } = row
        const there = await source.one(kind, id)
        if (there !== undefined) {
          await importRecords([readRecord(kind, there, reading)])
          continue
        }
        const why = keep ? undefined : await (dryRun ? reasonToStay(store.db.read, row) : remove(row))
        reporting.add({ kind, id, name }, keep ? 'kept' : why === undefined ? 'gone' : 'left', why)
      }
    },
  }
}
