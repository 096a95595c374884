import { getTableName } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  doublePrecision,
  json,
  type PgColumnBuilderBase,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as sqlite from './tables.ts'

/**
 * What PostgreSQL keeps: the tables of truth, under the same names and columns as in SQLite, and what puts their writes in order.
 * The rules between rows (references, unique values) are held by the copy in which every write runs, so there are only primary keys
 * here.
 */
export const almanac = pgSchema('almanac')

/** Columns that tell of one copy only. */
const LOCAL_COLUMNS: Record<string, readonly string[]> = { site: ['derivation'] }

/** The columns of a table of truth, and those that identify its rows. */
export function truthOf(table: SQLiteTable) {
  const { columns, primaryKeys } = getTableConfig(table)
  const name = getTableName(table)
  return {
    name,
    columns: columns.filter((column) => !LOCAL_COLUMNS[name]?.includes(column.name)),
    keys: columns.filter((column) => column.primary || primaryKeys[0]?.columns.includes(column as never)),
  }
}

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

const TYPES: Record<string, () => PgColumnBuilderBase> = {
  SQLiteInteger: () => bigint({ mode: 'number' }),
  SQLiteBoolean: () => boolean(),
  SQLiteReal: () => doublePrecision(),
  SQLiteText: () => text(),
  // not jsonb, which would write the text in another way
  SQLiteTextJson: () => json(),
}

/** A column as PostgreSQL has it. Times are texts as in SQLite: wall clocks, of which some are empty. */
function columnOf({ columnType, notNull, primary }: SQLiteColumn, alone: boolean) {
  const column = TYPES[columnType]!() as ReturnType<typeof text>
  if (primary && alone) return column.primaryKey()
  return notNull ? column.notNull() : column
}

function mirrored(table: SQLiteTable) {
  const { name, columns, keys } = truthOf(table)
  const alone = keys.length === 1
  const own = Object.fromEntries(columns.map((column) => [column.name, columnOf(column, alone)]))
  return almanac.table(name, own, (t) =>
    alone ? [] : [primaryKey({ columns: keys.map((key) => t[key.name]!) as never })],
  )
}

export const settings = mirrored(sqlite.settings)
export const site = mirrored(sqlite.site)
export const users = mirrored(sqlite.users)
export const application_passwords = mirrored(sqlite.application_passwords)
export const sign_ins = mirrored(sqlite.sign_ins)
export const tickets = mirrored(sqlite.tickets)
export const tokens = mirrored(sqlite.tokens)
export const media = mirrored(sqlite.media)
export const posts = mirrored(sqlite.posts)
export const events = mirrored(sqlite.events)
export const series = mirrored(sqlite.series)
export const occurrences = mirrored(sqlite.occurrences)
export const externals = mirrored(sqlite.externals)
export const venues = mirrored(sqlite.venues)
export const organizers = mirrored(sqlite.organizers)
export const terms = mirrored(sqlite.terms)
export const links = mirrored(sqlite.links)
export const changes = mirrored(sqlite.changes)
export const webhooks = mirrored(sqlite.webhooks)
export const webhook_deliveries = mirrored(sqlite.webhook_deliveries)
export const marks = mirrored(sqlite.marks)
export const kept_answers = mirrored(sqlite.kept_answers)
export const audit = mirrored(sqlite.audit)
export const revisions = mirrored(sqlite.revisions)
export const import_sources = mirrored(sqlite.import_sources)
export const import_runs = mirrored(sqlite.import_runs)
export const imports = mirrored(sqlite.imports)
export const mails = mirrored(sqlite.mails)
export const submissions = mirrored(sqlite.submissions)
export const digests = mirrored(sqlite.digests)

/** One row: the last group of writes. Whoever writes holds its lock. */
export const head = almanac.table('head', {
  id: bigint({ mode: 'number' }).primaryKey(),
  seq: bigint({ mode: 'number' }).notNull(),
  /** A random ID of that group, by which another history is told apart. */
  commit_id: uuid().notNull(),
  /** A random ID of these tables, made with them. */
  origin: uuid().notNull(),
  /** The number of migrations of these tables. */
  version: bigint({ mode: 'number' }).notNull(),
  /** The greatest ID that each table ever gave: none is given again. */
  counters: json().$type<Record<string, number>>().notNull(),
})

/** A row a group: what it inserted, changed and deleted. Old ones are removed, never the last. */
export const log = almanac.table('log', {
  seq: bigint({ mode: 'number' }).primaryKey(),
  commit_id: uuid().notNull(),
  at: timestamp({ withTimezone: true }).notNull(),
  node: text().notNull(),
  rows: json().$type<Record<string, { set?: object[]; gone?: object[] }>>().notNull(),
})

/** The nodes that follow, as they told last. */
export const nodes = almanac.table('nodes', {
  id: uuid().primaryKey(),
  name: text().notNull(),
  address: text().notNull(),
  version: text().notNull(),
  started: timestamp({ withTimezone: true }).notNull(),
  /** When it told this, and which group it had then. */
  seen: timestamp({ withTimezone: true }).notNull(),
  seq: bigint({ mode: 'number' }).notNull(),
  /** How its copy stands: follows, stale or outdated. */
  state: text().notNull(),
  /** Groups that it lacked then. */
  lag: bigint({ mode: 'number' }).notNull(),
  /** Milliseconds by which PostgreSQL's clock was ahead of its own. */
  clock: bigint({ mode: 'number' }),
})

/** Work that one node does for all, until a time: it renews that, and another takes over if it does not. */
export const leases = almanac.table('leases', {
  name: text().primaryKey(),
  node: uuid().notNull(),
  until: timestamp({ withTimezone: true }).notNull(),
})

/** The files of pictures, by their paths below MEDIA_DIR. */
export const files = almanac.table('files', {
  name: text().primaryKey(),
  bytes: bytea().notNull(),
  at: timestamp({ withTimezone: true }).notNull(),
})
