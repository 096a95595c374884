import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Status } from '../../../schemas/common.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { type Changes, EVERYTHING } from '../../kernel/database/changes.ts'
import type { Db } from '../../kernel/database/db.ts'
import { insert, placeIn, sorted } from '../../kernel/sorting.ts'
import type { Task } from '../../kernel/tasks/scheduler.ts'
import { hasTerm, type Term, wordsOf } from '../../kernel/text/search.ts'
import { fold } from '../../kernel/text/text.ts'
import { LINK_KINDS, type LinkKind } from '../records/rows.ts'
import { canRead, canReadTerm } from '../rights.ts'
import { openSpellings } from './corrections.ts'

/** A venue, organizer, category or tag, by what it is called. */
export type NamedRecord = {
  kind: LinkKind
  id: number
  name: string
  slug: string
  language: string
  group: number | null
  /** Of a category: the one that it is in. */
  parent: number | null
  /** Of a venue; "" elsewhere. */
  city: string
  /** Who sees it. Terms have no status. */
  status: Status | 'hidden'
  author_id: number
  /** Of a term: the number of its published events. */
  count: number
  /** Its name and its town, folded. */
  lines: string[]
}

/** Tables of records with names. */
const TABLES = ['venue', 'organizer', 'term'] as const
type Table = (typeof TABLES)[number]

const POST = 'p.id, p.title, p.slug, p.language, p.translation_group, p.status, p.author_id, 0, null'
const TERM = `t.taxonomy, t.id, t.name, t.slug, t.language, t.translation_group, case when t.hidden then 'hidden' else 'publish' end, 0, t.count, t.parent_id, ''`
/** Names of each kind, from tables that hold little else: those of events are many. */
const SELECTS: Record<Table, { select: string; key: string }> = {
  venue: {
    select: `select 'venue', ${POST}, v.city from venues v join posts p on p.id = v.post_id`,
    key: 'v.post_id',
  },
  organizer: {
    select: `select 'organizer', ${POST}, '' from organizers o join posts p on p.id = o.post_id`,
    key: 'o.post_id',
  },
  term: { select: `select ${TERM} from terms t`, key: 't.id' },
}
const tableOf = (kind: LinkKind): Table => (kind === 'category' || kind === 'tag' ? 'term' : kind)

type Columns = [
  ...[kind: LinkKind, id: number, name: string, slug: string, language: string, group: number | null],
  ...[status: NamedRecord['status'], author_id: number, count: number, parent: number | null, city: string],
]

function recordOf(columns: Columns): NamedRecord {
  const [kind, id, name, slug, language, group, status, author_id, count, parent, city] = columns
  return {
    kind,
    id,
    name,
    slug,
    language,
    group,
    status,
    author_id,
    count,
    parent,
    city,
    lines: [fold(name), fold(city)].filter(Boolean),
  }
}

/** The next `most` records of a table after this ID, by ID. */
function nextNamed({ rows }: Pick<Db, 'rows'>, table: Table, after: number, most: number): NamedRecord[] {
  const { select, key } = SELECTS[table]
  const query = `${select} where ${key} > ? order by ${key} limit ?`
  return rows<Columns>(query, after, most).map(recordOf)
}

/** Those of these records of a kind that exist, by ID. */
function readNamed({ rows }: Pick<Db, 'rows'>, kind: LinkKind, ids: number[]): Map<number, NamedRecord> {
  const { select, key } = SELECTS[tableOf(kind)]
  const query = `${select} where ${key} in (select value from json_each(?))`
  return new Map(rows<Columns>(query, JSON.stringify(ids)).map((row) => [row[1], recordOf(row)]))
}

/** The records that have a term in their names, by kind. As JSON, a digest: two with the same digest are the same. */
export type LinkTargets = {
  links: Partial<Record<LinkKind, number[]>>
  has(kind: LinkKind, id: number): boolean
  toJSON(): string
}

/** Records that one step reads. */
const STEP = 1_000
/** Written records that one step reads. */
const FOLLOWED = 100
/** Changes after which all names are read again. */
const MOST_CHANGES = 1_000
/** Answers that are cached until a name changes. */
const MOST_CACHED = 500

/** The order of words, of which no two are the same. */
const byText = (a: string, b: string) => (a < b ? -1 : 1)
const wordsIn = ({ lines }: NamedRecord) => new Set(lines.flatMap(wordsOf))
/** Whether two differ in nothing but the number of their events. */
const isSameBut = (one: NamedRecord, other: NamedRecord) =>
  JSON.stringify({ ...one, count: 0 }) === JSON.stringify({ ...other, count: 0 })

/** The names as of a number of `changes`. */
function openState(at: number) {
  const records = new Map<string, NamedRecord>()
  const words = new Map<string, Set<NamedRecord>>()
  const spellings = openSpellings()
  /** In order, once all are read. */
  let ordered: string[] | undefined

  function addWord(word: string, named: NamedRecord) {
    const those = words.get(word)
    if (those) those.add(named)
    else {
      words.set(word, new Set([named]))
      spellings.add(word)
      if (ordered) insert(ordered, word, byText)
    }
  }
  function removeWord(word: string, named: NamedRecord) {
    const those = words.get(word)!
    those.delete(named)
    if (those.size > 0) return
    words.delete(word)
    spellings.delete(word)
    ordered!.splice(
      placeIn(ordered!, (other) => other < word),
      1,
    )
  }

  const state = {
    at,
    cached: new LRUCache<string, object>({ max: MOST_CACHED }),
    all: () => records.values(),
    near: spellings.near,
    of: (word: string): Iterable<NamedRecord> => words.get(word) ?? [],
    /** Words that begin with a text, in order. */
    *startingWith(text: string): Iterable<string> {
      for (let at = placeIn(ordered!, (word) => word < text); ordered![at]?.startsWith(text); at++)
        yield ordered![at]!
    },
    /** Puts the words in order, when all records are there. */
    *order(): Task<void> {
      ordered = yield* sorted([...words.keys()], byText)
    },
    /** Puts a record in the place of what it was; one that nobody is shown is only removed. What is kept stays if none but its count is another. */
    put(kind: LinkKind, id: number, named: NamedRecord | undefined) {
      const key = `${kind} ${id}`
      const before = records.get(key)
      if (before && named && isSameBut(before, named)) {
        before.count = named.count
        return
      }
      state.cached.clear()
      if (before) for (const word of wordsIn(before)) removeWord(word, before)
      records.delete(key)
      if (!named || named.status === 'trash') return
      records.set(key, named)
      for (const word of wordsIn(named)) addWord(word, named)
    },
  }
  return state
}
type State = ReturnType<typeof openState>

const NONE = createHash('sha1').update('').digest('base64url')

function targetsOf(found: Iterable<NamedRecord>): LinkTargets {
  const links: LinkTargets['links'] = {}
  for (const { kind, id } of found) {
    const own = links[kind] ?? []
    own.push(id)
    links[kind] = own
  }
  const sets = new Map<LinkKind, Set<number>>()
  for (const kind of LINK_KINDS)
    if (links[kind]) {
      links[kind].sort((a, b) => a - b)
      sets.set(kind, new Set(links[kind]))
    }
  const digest =
    sets.size === 0
      ? NONE
      : createHash('sha1')
          .update(JSON.stringify(LINK_KINDS.map((kind) => links[kind])))
          .digest('base64url')
  return { links, has: (kind, id) => sets.get(kind)?.has(id) ?? false, toJSON: () => digest }
}

/** Whether a caller sees a record where an event shows it. */
const sees = (caller: Caller, { id, kind, status, author_id }: NamedRecord) =>
  kind === 'venue' || kind === 'organizer'
    ? canRead(caller, { id, status, author_id })
    : canReadTerm(caller, { hidden: status === 'hidden' })

/**
 * The names of venues, organizers, categories and tags, and the towns of venues, in memory: they are few beside events, and say which links
 * have a word. So a change of a name changes one entry, not the events that are linked. They are read when they are first asked for, and follow the writes of
 * all processes.
 */
export function openNames(db: Db, changes: Changes) {
  let state: State | undefined

  function* load(at: number): Task<State> {
    const made = openState(at)
    for (const table of TABLES)
      for (let after = 0, isMore = true; isMore; ) {
        const all = nextNamed(db, table, after, STEP)
        for (const named of all) made.put(named.kind, named.id, named)
        after = all.at(-1)?.id ?? 0
        isMore = all.length === STEP
        yield
      }
    yield* made.order()
    return made
  }

  /** Reads records again that were written. */
  function* read(known: State, kind: LinkKind, ids: number[]): Task<void> {
    for (let from = 0; from < ids.length; from += FOLLOWED) {
      const some = ids.slice(from, from + FOLLOWED)
      const found = readNamed(db, kind, some)
      for (const id of some) known.put(kind, id, found.get(id))
      yield
    }
  }

  /** Brings everything to the committed state. */
  function* follow(): Task<void> {
    for (let { seq } = changes.latest(); state?.at !== seq; { seq } = changes.latest()) {
      const known = state
      const rows =
        known && changes.reaches(known.at)
          ? changes.rows(known.at, seq, [...LINK_KINDS, EVERYTHING], MOST_CHANGES)
          : undefined
      if (!known || !rows || rows.length === MOST_CHANGES || rows.some(({ kind }) => kind === EVERYTHING)) {
        state = yield* load(seq)
        continue
      }
      for (const kind of LINK_KINDS) {
        const ids = new Set(rows.filter((row) => row.kind === kind).map(({ id }) => id))
        yield* read(known, kind, [...ids])
      }
      known.at = seq
    }
  }

  function* withTerm(known: State, { text, how }: Term): Iterable<NamedRecord> {
    if (how === 'beginning') for (const word of known.startingWith(text)) yield* known.of(word)
    else if (how === 'whole') {
      const [first] = wordsOf(text)
      for (const named of known.of(first!))
        if (first === text || named.lines.some((line) => hasTerm(line, { text, how }))) yield named
    } else for (const named of known.all()) if (named.lines.some((line) => line.includes(text))) yield named
  }

  /** What is worked out from the names as they are, once until a name changes. */
  function once<T extends object>(key: string, work: (known: State) => T): T {
    const { cached } = state!
    const own = (cached.get(key) as T | undefined) ?? work(state!)
    cached.set(key, own)
    return own
  }
  const keyOf = (caller: Caller) =>
    caller ? `${caller.id} ${caller.role} ${caller.limits ? JSON.stringify(caller.limits) : ''}` : ''

  /** Categories by the one that they are in. */
  const children = () =>
    once('children', (known) => {
      const found = new Map<number, NamedRecord[]>()
      for (const named of known.all())
        if (named.parent !== null) found.set(named.parent, [...(found.get(named.parent) ?? []), named])
      return found
    })

  /** Records with all categories below them, as filters by category take them. */
  function withDescendants(found: Iterable<NamedRecord>): Set<NamedRecord> {
    const all = new Set(found)
    // a set also visits what is added meanwhile
    for (const { kind, id } of all)
      if (kind === 'category') for (const child of children().get(id) ?? []) all.add(child)
    return all
  }

  return {
    follow,
    /** The records whose names have a term, of those that the caller sees, with all below these. All that follows is as of the last `follow`. */
    targets: (term: Term, caller: Caller): LinkTargets =>
      once(`targets ${keyOf(caller)} ${term.how} ${term.text}`, (known) =>
        targetsOf(withDescendants([...withTerm(known, term)].filter((named) => sees(caller, named)))),
      ),
    /** The IDs of the venues in a town of this name, and of their translations, of those that the caller sees. */
    inTown: (town: string, caller: Caller): number[] =>
      once(`town ${keyOf(caller)} ${fold(town)}`, (known) => {
        const [first = ''] = wordsOf(fold(town))
        const isSeen = (named: NamedRecord) => named.kind === 'venue' && sees(caller, named)
        const found = [...known.of(first)].filter((one) => isSeen(one) && fold(one.city) === fold(town))
        const groups = new Set(found.flatMap(({ group }) => group ?? []))
        const isTranslation = (one: NamedRecord) => one.group !== null && groups.has(one.group) && isSeen(one)
        const all = new Set(groups.size > 0 ? [...found, ...[...known.all()].filter(isTranslation)] : found)
        return [...all].map(({ id }) => id).sort((a, b) => a - b)
      }),
    /** Words of names that the caller sees, with the fewest errors of typing first, of at most so many. */
    near: (word: string, most: number, caller: Caller): Map<string, number> =>
      once(`near ${keyOf(caller)} ${word}`, (known) => {
        const found = known.near(word, most)
        for (const other of found.keys())
          if (![...known.of(other)].some((named) => sees(caller, named))) found.delete(other)
        return found
      }),
    /** The records that everybody sees whose names have all of these terms. */
    matching: (terms: Term[]): NamedRecord[] =>
      [...new Set(withTerm(state!, terms.at(-1)!))].filter(
        (named) =>
          sees(undefined, named) && terms.every((term) => named.lines.some((line) => hasTerm(line, term))),
      ),
  }
}
export type Names = ReturnType<typeof openNames>
