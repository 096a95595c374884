import { LRUCache } from 'lru-cache'
import type { Post } from '../../../formats/records.ts'
import type { Caller } from '../../../rules/roles.ts'
import type { LinkKind } from '../../records/projection/links.ts'
import { LINK_KINDS } from '../../records/projection/links.ts'
import type { Db } from '../../sqlite/db.ts'
import { matches } from '../../sqlite/text-index.ts'
import type { Listed } from './listed.ts'
import type { Selection } from './selection.ts'

type Texts = Pick<Post, 'id' | 'folded' | 'folded_title' | 'password_hash'>
type Links = [LinkKind, number][]

/** Limits of the cache of written events: entries with links, and characters of texts. */
const MOST_EVENTS = 5_000
const MOST_CHARACTERS = 4_000_000

/** Checks whether the links and texts of single events match a selection. */
export function openFits({ rows }: Db, { calendar, journal }: Listed) {
  const links = new LRUCache<string, Links>({ max: MOST_EVENTS })
  const texts = new LRUCache<string, Texts>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: ({ folded }) => folded.length + 100,
  })

  /** Reads data of an event. For a written event it is read once for all selections that replay that write. */
  function once<T extends object>(cache: LRUCache<string, T>, id: number, read: () => T | undefined) {
    const latest = journal.latest(id)
    if (latest === undefined) return read()
    const key = `${id} ${latest}`
    const own = cache.get(key) ?? read()
    if (own) cache.set(key, own)
    return own
  }
  const linksOf = (id: number) =>
    once(links, id, () => rows<Links[number]>('select kind, target_id from links where event_id = ?', id))!
  /** Undefined if the event has just been deleted; the change follows later. */
  const textsOf = (id: number) =>
    once(texts, id, () => {
      const query = 'select folded, folded_title, password_hash from posts where id = ?'
      return rows<[string, string, string | null]>(query, id).map(
        ([folded, folded_title, password_hash]): Texts => ({ id, folded, folded_title, password_hash }),
      )[0]
    })

  const mayEdit = (caller: Caller, id: number) => calendar.mayEdit(caller, id)

  function hasLinks({ links, located }: Selection, id: number): boolean {
    if (!located && LINK_KINDS.every((kind) => !links[kind])) return true
    const own = linksOf(id)
    const has = (kind: LinkKind, targets: number[]) =>
      own.some(([at, target]) => at === kind && targets.includes(target))
    return (
      LINK_KINDS.every((kind) => !links[kind] || has(kind, links[kind])) &&
      (!located || has('venue', located.at) === located.is)
    )
  }

  /** Whether the texts of an event match a search. */
  function hasTexts(search: NonNullable<Selection['search']>, id: number): boolean {
    const own = textsOf(id)
    return own !== undefined && matches(own, search, mayEdit(search.caller, id))
  }

  return {
    mayEdit,
    hasTexts,
    /** Whether the links and texts of an event match a selection. */
    fits: (selection: Selection, id: number): boolean =>
      hasLinks(selection, id) && (!selection.search || hasTexts(selection.search, id)),
  }
}
export type Fits = ReturnType<typeof openFits>
