import { LRUCache } from 'lru-cache'
import type { Caller } from '../../kernel/access/rights.ts'
import type { Db } from '../../kernel/database/db.ts'
import { hasTerm } from '../../kernel/text/search.ts'
import type { Post } from '../formats/records.ts'
import type { LiveIndex } from '../index/live-index.ts'
import { LINK_KINDS, type LinkKind } from '../records/links.ts'
import { matchesSearch } from '../search/indexing.ts'
import type { TextTerm } from '../search/text-index.ts'
import type { ResolvedSelection, ResolvedTerm, ResolvedTerms, Selection } from './selection.ts'

type Texts = Pick<Post, 'id' | 'folded' | 'folded_title' | 'password_hash'>
/** A condition on the texts of an event. */
export type TextCondition = (own: Texts) => boolean
type Links = [LinkKind, number][]

const TEXTS_OF = 'select id, folded, folded_title, password_hash from posts where id'

/** Limits of the caches of single events: entries with links, and characters of texts. */
const MOST_EVENTS = 5_000
const MOST_CHARACTERS = 4_000_000

/** Checks whether the links and texts of single events match a selection. */
export function openEventChecks({ rows }: Db, { index, journal }: LiveIndex) {
  const links = new LRUCache<string, Links>({ max: MOST_EVENTS })
  const texts = new LRUCache<string, Texts>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: ({ folded }) => folded.length + 100,
  })

  /** Reads data of an event, once for a key. */
  function once<T extends object>(cache: LRUCache<string, T>, key: string, read: () => T | undefined) {
    const own = cache.get(key) ?? read()
    if (own) cache.set(key, own)
    return own
  }
  /** The links of an event: of one that was written once for all selections that replay that write, as they also change without one. */
  function linksOf(id: number): Links {
    const read = () => rows<Links[number]>('select kind, target_id from links where event_id = ?', id)
    const latest = journal.latest(id)
    return latest === undefined ? read() : once(links, `${id} ${latest}`, read)!
  }
  /** The number of the last write to an event, or that none is known since one. */
  const versionOf = (id: number) => journal.latest(id) ?? `before ${journal.first()}`
  const read = (query: string, ...values: (string | number)[]): Texts[] =>
    rows<[number, string, string, string | null]>(query, ...values).map(
      ([id, folded, folded_title, password_hash]) => ({ id, folded, folded_title, password_hash }),
    )
  const textsOf = (id: number) => once(texts, `${id} ${versionOf(id)}`, () => read(`${TEXTS_OF} = ?`, id)[0])

  const mayEdit = (caller: Caller, id: number) => index.mayEdit(caller, id)

  function hasLinks({ links, located }: ResolvedSelection, id: number): boolean {
    if (!located && LINK_KINDS.every((kind) => !links[kind])) return true
    const own = linksOf(id)
    const has = (kind: LinkKind, targets: number[]) =>
      own.some(([at, target]) => at === kind && targets.includes(target))
    return (
      LINK_KINDS.every((kind) => !links[kind] || has(kind, links[kind])) &&
      (!located || has('venue', located.at) === located.is)
    )
  }

  /** Whether limits keep an event from who asks. */
  function isAllowed({ limited }: ResolvedSelection, id: number): boolean {
    if (!limited || !index.isKeptFrom(limited.author)(index.rowOf(id))) return true
    const own = linksOf(id)
    return limited.limits.sets.every(({ categories, venues }) =>
      own.some(
        ([kind, target]) =>
          (kind === 'category' && categories.includes(target)) ||
          (kind === 'venue' && venues.includes(target)),
      ),
    )
  }

  /** Whether the texts of an event fulfil a condition. One that has just been deleted has none; the change follows later. */
  function hasTexts(id: number, condition: TextCondition): boolean {
    const own = textsOf(id)
    return own !== undefined && condition(own)
  }

  /** That the texts of an event match a search. */
  const bySearch =
    (search: NonNullable<Selection['search']>): TextCondition =>
    (own) =>
      matchesSearch(own, search, mayEdit(search.caller, own.id))

  const isOpenTo = (caller: Caller, { id, password_hash }: Texts) =>
    password_hash === null || mayEdit(caller, id)
  const textFor = (caller: Caller, own: Texts) => (isOpenTo(caller, own) ? own.folded : own.folded_title)

  /** That an event has terms in its texts, or in the names of what it is linked to, as far as the caller sees these. */
  const byQuery =
    ({ wanted, unwanted, caller }: ResolvedTerms): TextCondition =>
    (own) => {
      const text = textFor(caller, own)
      const links = isOpenTo(caller, own) ? linksOf(own.id) : []
      const has = (term: ResolvedTerm) =>
        hasTerm(text, term) || links.some(([kind, target]) => term.targets.has(kind, target))
      return wanted.every(has) && !unwanted.some(has)
    }

  return {
    mayEdit,
    hasTexts,
    bySearch,
    byQuery,
    /** That the text of an event that the caller sees has a term. */
    byTerm:
      (term: TextTerm, caller: Caller): TextCondition =>
      (own) =>
        hasTerm(textFor(caller, own), term),
    /**
     * Those of some events whose texts fulfil a condition, in all of which `part` stands. These are too many for the cache: SQLite looks for the
     * part, so that no other text is copied.
     */
    readMatching: (ids: number[], condition: TextCondition, part: string): number[] =>
      read(`${TEXTS_OF} in (select value from json_each(?)) and instr(folded, ?)`, JSON.stringify(ids), part)
        .filter(condition)
        .map(({ id }) => id),
    /** Whether the links and texts of an event match a selection. */
    matches: (selection: ResolvedSelection, id: number): boolean =>
      hasLinks(selection, id) &&
      isAllowed(selection, id) &&
      (!selection.search || hasTexts(id, bySearch(selection.search))) &&
      (!selection.query || hasTexts(id, byQuery(selection.query))),
  }
}
export type EventChecks = ReturnType<typeof openEventChecks>
