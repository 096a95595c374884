import { and, asc, desc, eq, isNotNull } from 'drizzle-orm'
import { import_runs, imports } from '../../../drizzle/tables.ts'
import type { Db } from '../sqlite/db.ts'

type Kind = typeof imports.$inferSelect.kind

/** Finds what was taken from a source, in committed data. */
export function openFinding({ read }: Pick<Db, 'read'>) {
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
