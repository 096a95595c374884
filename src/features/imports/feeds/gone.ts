import type { ImportSource, Store, View, Write, Writer } from '../../../calendar/store.ts'
import { toWall } from '../../../kernel/time/dates.ts'
import { mustBeFew, UNSEEN } from '../site/gone.ts'
import type { FeedMemory } from './memory.ts'
import type { Read } from './read.ts'

/** An event that is gone from a feed, and why it was left as it is. */
export type Gone = { kind: 'event' | 'series'; id: number; name: string; why?: string }

type Missing = Awaited<ReturnType<Store['imports']['upcoming']>>[number]

const EDITED = 'it is gone from the source, but was edited here since'

/**
 * Removes what is gone from a feed, if it is still to come: many feeds tell nothing of the past. A feed with lines that can not be read may tell
 * of more than was understood, so nothing is gone from it.
 */
export function openRemovals(
  store: Store,
  writer: Writer,
  { known, seen, feed: { faults, reach } }: { known: ImportSource; seen: Set<string>; feed: Read },
) {
  const upcoming = () => store.imports.upcoming(known.id, toWall(store.site.clock(), 'UTC'))
  const missingIn = (rows: Missing[]) =>
    rows.filter(
      ({ kind, id, starts }) =>
        faults.length === 0 && !seen.has(`${kind} ${id}`) && (reach === undefined || starts <= reach),
    )

  async function remove(memory: FeedMemory, row: Missing): Promise<string | undefined> {
    const { id, version, next } = row
    const kind = row.kind as Gone['kind']
    let why: string | undefined
    const view: View = { ...UNSEEN, caller: writer.caller }
    const guard = async <T>(tx: Write['tx'], work: () => Promise<T>): Promise<T> => {
      if ((await store.imports.state(tx, kind, id))?.version !== version) why = EDITED
      if (why !== undefined) return { id } as T
      const done = await work()
      await memory.noteGone({ tx }, { kind, id })
      return done
    }
    const removal = { context: store.checking(writer), view, guard, key: { id: next } }
    // dates of a series that are over stay
    await store.remove.post('event', kind === 'series' ? { ...removal, range: 'following' } : removal)
    return why
  }

  return {
    /** Finds what is gone, before anything is written. With `lost`, what went a short while ago, throws if it is much. */
    async find(lost: number | undefined): Promise<Missing[]> {
      const rows = await upcoming()
      const missing = missingIn(rows)
      if (lost !== undefined) mustBeFew(missing.length, rows.length, lost)
      return missing
    },
    /** Moves to the trash what is gone; if `dry`, tells what would go. */
    async removeAll(missing: Missing[], memory: FeedMemory, dry: boolean): Promise<Gone[]> {
      const gone: Gone[] = []
      for (const row of missing) {
        const { id, name, version } = row
        const kind = row.kind as Gone['kind']
        const isEdited = async () => (await store.imports.state(store.db.read, kind, id))?.version !== version
        const why = dry ? ((await isEdited()) ? EDITED : undefined) : await remove(memory, row)
        gone.push({ kind, id, name, ...(why !== undefined && { why }) })
      }
      return gone
    },
  }
}
