import { getTableColumns } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  events,
  externals,
  media,
  occurrences,
  organizers,
  posts,
  revisions,
  series,
  terms,
  users,
  venues,
} from '../../../../drizzle/tables.ts'

/** The kinds of lines of an export, in their order: what a line names comes before it. */
export const LINE_KINDS = [
  ...(['user', 'media', 'category', 'tag', 'venue', 'organizer', 'series', 'event', 'revision'] as const),
] as const
export type LineKind = (typeof LINE_KINDS)[number]
/** A record as an export has it: the columns of its tables by name, without what is derived from others. */
export type Line = { kind: LineKind; id: number } & Record<string, unknown>

const ROWS = {
  user: { own: users },
  media: { own: media },
  category: { own: terms },
  tag: { own: terms },
  venue: { post: posts, own: venues },
  organizer: { post: posts, own: organizers },
  series: { post: posts, own: events, rule: series },
  event: { post: posts, own: events },
  revision: { own: revisions },
} satisfies Record<LineKind, Record<string, SQLiteTable>>

/** Rows that only some records have; they are there if a line has the first of their columns. */
const OPTIONAL = { occurrence: ['series_id', occurrences], external: ['source', externals] } as const

/** Columns that an import makes anew, or that say to which record a row belongs. */
const DERIVED = new Set([
  ...['post_id', 'kind', 'taxonomy', 'folded', 'folded_title', 'folded_name', 'count'],
])

type Columns = [name: string, column: SQLiteColumn][]
/** The columns of a table that lines have. */
const shownOf = (table: SQLiteTable): Columns =>
  Object.entries(getTableColumns(table)).filter(([name]) => !DERIVED.has(name))

/** What a line of a kind may have: the columns of each of its rows. */
export const COLUMNS = Object.fromEntries(
  LINE_KINDS.map((kind) => [
    kind,
    Object.entries(ROWS[kind]).map(([part, table]) => [part, shownOf(table)] as const),
  ]),
) as Record<LineKind, [part: string, columns: Columns][]>

/** The columns of rows that only some records have, by the column that tells so. */
export const OPTIONAL_COLUMNS = Object.entries(OPTIONAL).map(
  ([part, [sign, table]]) => [part, sign, shownOf(table)] as const,
)

/** Those members of rows that a line has. */
export function shown(table: SQLiteTable, row: object): Record<string, unknown> {
  const values = row as Record<string, unknown>
  return Object.fromEntries(shownOf(table).map(([name]) => [name, values[name]]))
}

/** The members of a line that name other records of an event, and of what kind these are. */
export const LINKS = {
  venue: 'venue',
  organizer: 'organizer',
  categories: 'category',
  tags: 'tag',
} as const
