import { sql } from 'drizzle-orm'
import { settings } from '../../../../drizzle/tables.ts'
import type { Db } from '../../../kernel/database/db.ts'
import type { Site } from '../../../kernel/site.ts'
import { openAdding } from './adding.ts'
import { countLines, readLines, type Take } from './reading.ts'
import type { Given } from './state.ts'

/** What distinguishes a calendar: its name in the settings that a database keeps, and what it looks like. */
const IDENTITY = 'site_id'
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** All records of a calendar as lines, out of it and into it. */
export const openTransfer = (db: Db, site: Site) => ({
  /** How many lines of each kind there are. */
  count: () => countLines(db.read),
  /** Gives every record as a line, of one state of the database: for commands, because no other reads leave that state meanwhile. */
  read: (take: Take) => readLines(db, take),
  /** Takes lines. Where there are no records, all keep their IDs. */
  add: (given: Given) => openAdding(db, site, given),
  /** Gives this calendar the identity of another one, which it continues. */
  async continue(identity: unknown): Promise<void> {
    if (typeof identity !== 'string' || !UUID.test(identity)) return
    await db.write(async (tx) => {
      await tx
        .insert(settings)
        .values({ name: IDENTITY, value: identity })
        .onConflictDoUpdate({ target: settings.name, set: { value: sql`${identity}` } })
    })
  },
})

export type { Additions } from './adding.ts'
export type { Line, LineKind } from './shapes.ts'
export { LINE_KINDS } from './shapes.ts'
export type { Files, Given, Taken } from './state.ts'
