import type { RecordKind, Store, Write } from '../../../calendar/store.ts'
import type { Input } from './kinds.ts'
import type { Memory } from './memory.ts'
import { LINKED, type Linked, type Taken } from './taken.ts'

/** The name of a member by which records are linked, for each kind. */
const MEMBER = { venue: 'venue', organizer: 'organizer', category: 'categories', tag: 'tags' } as const

const isPlace = (kind: Linked) => kind === 'venue' || kind === 'organizer'

/** What records refer to: the records here for those of the source. */
export function openRelations(store: Store, memory: Memory) {
  /** The records here that a record is linked to, and the remote IDs of those that there are none of. */
  async function linksOf(w: Pick<Write, 'tx'>, { links }: Taken) {
    const input: Input = {}
    const lacking: number[] = []
    for (const kind of LINKED) {
      const all = links[kind].map((id) => ({ id, to: memory.recordOf(kind, id) }))
      lacking.push(...all.filter(({ to }) => to === undefined).map(({ id }) => id))
      const ids = all.map(({ to }) => to).filter((to) => to !== undefined)
      input[MEMBER[kind]] = isPlace(kind) ? await placesOf(w, kind, ids) : ids
    }
    return { input, lacking }
  }
  async function placesOf({ tx }: Pick<Write, 'tx'>, kind: 'venue' | 'organizer', ids: number[]) {
    const missing = ids.length > 0 ? await store.imports.missing(tx, kind, ids) : []
    return ids.filter((id) => !missing.includes(id)).map((id) => ({ id }))
  }

  /** The record here, unless it was deleted. */
  async function findThere(w: Pick<Write, 'tx'>, kind: RecordKind, id: number): Promise<number | undefined> {
    const to = memory.recordOf(kind, id)
    return to !== undefined && (await store.imports.state(w.tx, kind, to)) ? to : undefined
  }

  /** What a record refers to beside its links. What was deleted here is not missed. */
  async function relationsOf(w: Pick<Write, 'tx'>, { kind, id, parent, translations }: Taken) {
    const own = memory.find(kind, id)?.record_id
    const others: number[] = []
    for (const other of translations) {
      const to = await findThere(w, kind, other)
      if (to !== undefined && to !== own) others.push(to)
    }
    const above = await findThere(w, kind, parent)
    const name = kind === 'category' ? 'parent' : 'post_parent'
    const input: Input = {
      ...(others.length > 0 && { translation_of: others[0] }),
      ...((kind === 'category' || (kind === 'event' && parent > 0)) && { [name]: above ?? 0 }),
    }
    return { input, lacking: parent > 0 && memory.recordOf(kind, parent) === undefined ? [parent] : [] }
  }

  return { linksOf, relationsOf }
}
