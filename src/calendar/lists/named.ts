import type { Status } from '../../../schemas/common.ts'
import type { Db } from '../../kernel/database/db.ts'
import { fold } from '../../kernel/text/text.ts'
import type { LinkKind } from '../records/links.ts'

/** A venue, organizer, category or tag, by what it is called. */
export type Named = {
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
export const TABLES = ['venue', 'organizer', 'term'] as const
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
  ...[status: Named['status'], author_id: number, count: number, parent: number | null, city: string],
]

function namedOf(columns: Columns): Named {
  const [kind, id, name, slug, language, group, status, author_id, count, parent, city] = columns
  return {
    ...{ kind, id, name, slug, language, group, status, author_id, count, parent, city },
    lines: [fold(name), fold(city)].filter(Boolean),
  }
}

/** The next `most` records of a table after this ID, by ID. */
export function nextNamed({ rows }: Pick<Db, 'rows'>, table: Table, after: number, most: number): Named[] {
  const { select, key } = SELECTS[table]
  const query = `${select} where ${key} > ? order by ${key} limit ?`
  return rows<Columns>(query, after, most).map(namedOf)
}

/** Those of these records of a kind that exist, by ID. */
export function readNamed({ rows }: Pick<Db, 'rows'>, kind: LinkKind, ids: number[]): Map<number, Named> {
  const { select, key } = SELECTS[tableOf(kind)]
  const query = `${select} where ${key} in (select value from json_each(?))`
  return new Map(rows<Columns>(query, JSON.stringify(ids)).map((row) => [row[1], namedOf(row)]))
}
