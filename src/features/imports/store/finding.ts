import { and, asc, desc, eq, isNotNull } from 'drizzle-orm'
import { import_runs, imports } from '../../../../drizzle/tables.ts'
import type { Db } from '../../../kernel/database/db.ts'

type Kind = typeof imports.$inferSelect.kind

/** The kinds that have pages at a site of WordPress, which numbers its posts together. */
const POSTS = ['event', 'venue', 'organizer'] as const
type Numbered = { kind: (typeof POSTS)[number]; id: number }

const OF_SOURCES = `select kind, record_id from import_sources join imports on source_id = import_sources.id
  where url like 'http%' and kind in ('${POSTS.join("', '")}') and remote_id = ? and not gone order by source_id limit 1`
/** The sources are found one after the other in the index, which begins with them. */
const OF_OTHERS = `with recursive named(source) as (select min(source) from externals where kind = 'event' union all
  select (select min(source) from externals where kind = 'event' and source > named.source) from named where source is not null)
  select 'event', post_id from named join externals using (source) where kind = 'event' and external_id = ? limit 2`

/** Finds what was taken from a source, in committed data. */
export function openFinding({ read, rows }: Pick<Db, 'read' | 'rows'>) {
  const one = async (source: number, kind: Kind, column: 'record_id' | 'remote_id', id: number) => {
    const [row] = await read
      .select()
      .from(imports)
      .where(and(eq(imports.source_id, source), eq(imports.kind, kind), eq(imports[column], id)))
      // of records that came again under another ID, the one that is there
      .orderBy(asc(imports.gone))
      .limit(1)
    return row
  }
  return {
    /** What is remembered of a record here; undefined if it did not come from this source. */
    ofHere: (source: number, kind: Kind, record: number) => one(source, kind, 'record_id', record),
    /** What is remembered of a record of a source; undefined if it was not taken. */
    ofThere: (source: number, kind: Kind, remote: number) => one(source, kind, 'remote_id', remote),
    /**
     * The record that a site had under this number before it moved here: the one that was imported from a site, else the only event that
     * any other system calls so; undefined if there is none.
     */
    formerly(number: number): Numbered | undefined {
      const [imported] = rows<[kind: Numbered['kind'], id: number]>(OF_SOURCES, number)
      const others = imported ? [] : rows<[kind: 'event', id: number]>(OF_OTHERS, String(number))
      const [kind, id] = imported ?? (others.length === 1 ? others[0]! : [])
      return kind && id !== undefined ? { kind, id } : undefined
    },
    /** The last import from a source that came to its end; undefined if there is none. */
    async lastRun(source: number): Promise<number | undefined> {
      const [run] = await read
        .select({ id: import_runs.id })
        .from(import_runs)
        .where(and(eq(import_runs.source_id, source), isNotNull(import_runs.ended_utc)))
        .orderBy(desc(import_runs.id))
        .limit(1)
      return run?.id
    },
  }
}
