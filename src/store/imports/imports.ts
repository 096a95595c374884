import { and, count, eq, inArray, sql } from 'drizzle-orm'
import {
  type ImportedPage,
  import_runs,
  import_sources,
  imports,
  links,
  occurrences,
  posts,
  terms,
} from '../../../drizzle/tables.ts'
import type { Site } from '../../rules/site.ts'
import { toWall } from '../../rules/time/dates.ts'
import { columnsOf, type Db, excludedOf, prepared, type Queries } from '../sqlite/db.ts'

export type { ImportedPage }
/** A calendar that records are taken from. */
export type ImportSource = typeof import_sources.$inferSelect
/** Which record here a record of a source is. */
export type Imported = typeof imports.$inferSelect
export type RecordKind = Imported['kind']
/** What tells whether a record was written since, the time of its last change; its name, and if it is no term its status and slug. */
type State = { version: string; name: string; status?: string; slug?: string }

const upsert = prepared((db) =>
  db
    .insert(imports)
    .values(columnsOf(imports))
    .onConflictDoUpdate({
      target: [imports.source_id, imports.kind, imports.remote_id],
      set: excludedOf(imports),
    })
    .prepare(),
)

const isTerm = (kind: RecordKind) => kind === 'category' || kind === 'tag'

/** What was taken from other calendars, and when. */
export function openImports(db: Db, site: Site) {
  const now = () => toWall(site.clock(), 'UTC')

  /** Whether there is no record and no term. */
  async function isEmpty(): Promise<boolean> {
    const [found] = await db.read.select({ rows: count() }).from(posts)
    const [named] = await db.read.select({ rows: count() }).from(terms)
    return found!.rows + named!.rows === 0
  }

  return {
    /** The source with this address; one that is not known yet has the ID 0, and is not stored. */
    async source(url: string): Promise<ImportSource> {
      const [known] = await db.read.select().from(import_sources).where(eq(import_sources.url, url))
      return known ?? { id: 0, url, keeps_ids: await isEmpty(), pages: {} }
    },
    /** Begins an import, or goes on with one; returns its ID, and the source as it is stored by now. */
    async begin(source: ImportSource, goesOn?: number): Promise<{ run: number; source: ImportSource }> {
      if (goesOn !== undefined) return { run: goesOn, source }
      return db.write(async (tx) => {
        const { id, ...values } = source
        const [made] = id === 0 ? await tx.insert(import_sources).values(values).returning() : [source]
        const [run] = await tx
          .insert(import_runs)
          .values({ source_id: made!.id, began_utc: now(), counts: {} })
          .returning({ id: import_runs.id })
        return { run: run!.id, source: made! }
      })
    },
    /** Ends an import, or notes how far it came if it `isBroken` off. */
    end: (
      run: number,
      pages: Record<string, ImportedPage>,
      counts: Record<string, number>,
      isBroken: boolean,
    ) =>
      db.write(async (tx) => {
        const [ended] = await tx
          .update(import_runs)
          .set({ counts, ended_utc: isBroken ? null : now() })
          .where(eq(import_runs.id, run))
          .returning({ source: import_runs.source_id })
        await tx.update(import_sources).set({ pages }).where(eq(import_sources.id, ended!.source))
      }),
    /** All that was taken from a source. */
    of: (source: number): Promise<Imported[]> =>
      db.read
        .select()
        .from(imports)
        .where(eq(imports.source_id, source))
        .orderBy(imports.kind, imports.remote_id),
    /** Notes which record a record of a source is. */
    note: async (tx: Queries, row: Imported) => upsert(tx).execute(row),
    /** The state of a record; undefined if there is none with this ID. */
    async state(tx: Queries, kind: RecordKind, id: number): Promise<State | undefined> {
      if (isTerm(kind)) {
        const [term] = await tx
          .select({ version: terms.modified_utc, name: terms.name })
          .from(terms)
          .where(and(eq(terms.id, id), eq(terms.taxonomy, kind as 'tag')))
        return term
      }
      const [post] = await tx
        .select({ version: posts.modified_utc, name: posts.title, status: posts.status, slug: posts.slug })
        .from(posts)
        .where(and(eq(posts.id, id), eq(posts.kind, kind as 'event')))
      return post
    },
    /** Whether no record, and for a kind of term no term, has this ID. */
    async isFree(tx: Queries, kind: RecordKind, id: number): Promise<boolean> {
      const table = isTerm(kind) ? terms : posts
      return (await tx.select({ id: table.id }).from(table).where(eq(table.id, id))).length === 0
    },
    /** The last ID that a record got. */
    async lastId(tx: Queries): Promise<number> {
      const [row] = await tx.values<[number]>(
        sql`select coalesce(max(seq), 0) from sqlite_sequence where name = 'posts'`,
      )
      return row![0]
    },
    /** Whether an event has this term. */
    isUsed: async (tx: Queries, kind: 'category' | 'tag', id: number): Promise<boolean> =>
      (
        await tx
          .select({ id: links.event_id })
          .from(links)
          .where(and(eq(links.kind, kind), eq(links.target_id, id)))
          .limit(1)
      ).length > 0,
    /** Whether a record of a source was noted, by whatever import. */
    isNoted: async (tx: Queries, source: number, kind: RecordKind, remote: number): Promise<boolean> =>
      (
        await tx
          .select({ id: imports.record_id })
          .from(imports)
          .where(and(eq(imports.source_id, source), eq(imports.kind, kind), eq(imports.remote_id, remote)))
      ).length > 0,
    /** The events that a series has, each with its date; with `date` that of one. */
    dates: (
      tx: Queries,
      series: number,
      date?: string,
    ): Promise<{ id: number; date: string; version: string }[]> =>
      tx
        .select({ id: posts.id, date: occurrences.recurrence_id, version: posts.modified_utc })
        .from(occurrences)
        .innerJoin(posts, eq(posts.id, occurrences.post_id))
        .where(
          and(
            eq(occurrences.series_id, series),
            date === undefined ? undefined : eq(occurrences.recurrence_id, date),
          ),
        ),
    /** Which of these records are in the trash, or not there. */
    async missing(tx: Queries, kind: 'venue' | 'organizer', ids: number[]): Promise<number[]> {
      const found = await tx
        .select({ id: posts.id, status: posts.status })
        .from(posts)
        .where(and(eq(posts.kind, kind), inArray(posts.id, ids)))
      const usable = found.filter(({ status }) => status !== 'trash').map(({ id }) => id)
      return ids.filter((id) => !usable.includes(id))
    },
  }
}
