import { and, asc, count, desc, eq, gt, inArray, isNotNull, ne, type SQL, sql } from 'drizzle-orm'
import {
  changes,
  events,
  externals,
  type ImportedPage,
  import_runs,
  import_sources,
  imports,
  links,
  occurrences,
  posts,
  terms,
  type Version,
} from '../../../drizzle/tables.ts'
import { postRows } from '../../calendar/records/rows.ts'
import { type Actor, record } from '../../kernel/access/audit-log.ts'
import { columnsOf, type Db, excludedOf, prepared, type Queries } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import { toWall } from '../../kernel/time/dates.ts'

export type { ImportedPage, Version }
/** A calendar that records are imported from. */
export type ImportSource = typeof import_sources.$inferSelect
/** Which record here a record of a source is. */
export type Imported = typeof imports.$inferSelect
export type RecordKind = Imported['kind']
/** An import, and the address or the file that it was from. */
export type ImportRun = Omit<typeof import_runs.$inferSelect, 'source_id'> & { source: string }
/** The source and the import that a record is noted for. */
export type Provenance = { source: number; run: number }
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

const versionsOf = prepared((db) =>
  db
    .select({ versions: externals.versions })
    .from(externals)
    .innerJoin(posts, eq(posts.id, externals.post_id))
    .where(and(eq(externals.post_id, sql.placeholder('id')), ne(posts.status, 'trash')))
    .prepare(),
)
const merged = sql`json_patch(${externals.versions}, ${sql.placeholder('versions')})`
const mergeVersions = prepared((db) =>
  db
    .update(externals)
    .set({ versions: merged })
    .where(and(eq(externals.post_id, sql.placeholder('id')), ne(externals.versions, merged)))
    .prepare(),
)

const isTerm = (kind: RecordKind) => kind === 'category' || kind === 'tag'

/** The state of a record; undefined if there is none with this ID. */
async function stateOf(tx: Queries, kind: RecordKind, id: number): Promise<State | undefined> {
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
}

async function seriesOf(tx: Queries, event: number): Promise<number | undefined> {
  const [row] = await tx
    .select({ series: occurrences.series_id })
    .from(occurrences)
    .where(eq(occurrences.post_id, event))
  return row?.series
}

/** A row of what a file made: it is its own name there. */
const rowOf = ({ source, run }: Provenance, kind: RecordKind, id: number) => ({
  source_id: source,
  kind,
  remote_id: id,
  record_id: id,
  digest: '',
  made_run: run,
  run_id: run,
  gone: false,
})

/** Notes the state that a record has by now, if its row fulfils a condition. */
async function refresh(tx: Queries, kind: RecordKind, id: number, condition: SQL | undefined) {
  const state = await stateOf(tx, kind, id)
  if (state !== undefined)
    await tx
      .update(imports)
      .set({ version: state.version })
      .where(and(eq(imports.kind, kind), eq(imports.record_id, id), condition))
}

const runsIn = (tx: Queries) =>
  tx
    .select({
      id: import_runs.id,
      began_utc: import_runs.began_utc,
      ended_utc: import_runs.ended_utc,
      counts: import_runs.counts,
      source: import_sources.url,
    })
    .from(import_runs)
    .innerJoin(import_sources, eq(import_sources.id, import_runs.source_id))

async function findRun(tx: Queries, id: number): Promise<ImportRun | undefined> {
  const [run] = await runsIn(tx).where(eq(import_runs.id, id))
  return run
}

/** What was imported from other calendars, and when. */
export function openImports(db: Db, site: Site) {
  const now = () => toWall(site.clock(), 'UTC')

  /** Whether there is no record and no term. */
  async function isEmpty(): Promise<boolean> {
    const [found] = await db.read.select({ rows: count() }).from(posts)
    const [named] = await db.read.select({ rows: count() }).from(terms)
    return found!.rows + named!.rows === 0
  }

  return {
    ...openFinding(db),
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
      by: Actor,
    ) =>
      db.write(async (tx) => {
        const [ended] = await tx
          .update(import_runs)
          .set({ counts, ended_utc: isBroken ? null : now() })
          .where(eq(import_runs.id, run))
          .returning({ source: import_runs.source_id })
        const [{ url } = { url: '' }] = await tx
          .update(import_sources)
          .set({ pages })
          .where(eq(import_sources.id, ended!.source))
          .returning({ url: import_sources.url })
        await record({ tx, site, by }, 'data_imported', undefined, { import: run, from: url, ...counts })
      }),
    /** Adds to the counts of an import what its undoing took back and what stayed. */
    undone: (run: number, counts: Record<string, number>, by: Actor) =>
      db.write(async (tx) => {
        const known = (await findRun(tx, run))!
        const own = { ...known.counts, ...counts }
        await tx.update(import_runs).set({ counts: own }).where(eq(import_runs.id, run))
        const details = { import: run, from: known.source, ...counts }
        await record({ tx, site, by }, 'import_undone', undefined, details)
      }),
    /** A page of the imports, the latest first, and how many there are. */
    async runs({ page, per_page }: { page: number; per_page: number }) {
      const rows = await runsIn(db.read)
        .orderBy(desc(import_runs.id))
        .limit(per_page)
        .offset((page - 1) * per_page)
      const [all] = await db.read.select({ total: count() }).from(import_runs)
      return { rows: rows as ImportRun[], total: all!.total }
    },
    /** The import with this number; undefined if there is none. */
    run: (id: number) => findRun(db.read, id),
    /** What an import made and was not taken back. */
    madeBy: (run: number): Promise<Imported[]> =>
      db.read
        .select()
        .from(imports)
        .where(and(eq(imports.made_run, run), eq(imports.gone, false)))
        .orderBy(imports.kind, imports.remote_id),
    /** The last row of the log, as a write sees it. */
    lastChange: async (tx: Queries): Promise<number> =>
      tx.get<{ seq: number }>(sql`select coalesce(max(seq), 0) as seq from changes`).seq,
    /** Notes what was made since a row of the log, but for dates of series, and the state of what this import wrote. */
    async noteMade(tx: Queries, { source, run }: Provenance, since: number) {
      const written = await tx
        .select({ kind: changes.kind, id: changes.record_id, operation: changes.operation })
        .from(changes)
        .where(and(gt(changes.seq, since), inArray(changes.operation, ['create', 'update', 'refresh'])))
      for (const { kind: name, id, operation } of written) {
        const kind = name as RecordKind
        if (operation === 'create') {
          if (kind === 'event' && (await seriesOf(tx, id)) !== undefined) continue
          const { version } = (await stateOf(tx, kind, id))!
          await upsert(tx).execute({ ...rowOf({ source, run }, kind, id), version })
        } else await refresh(tx, kind, id, eq(imports.made_run, run))
      }
    },
    /** Notes a date of a series that an import made, after it wrote it. */
    async noteDate(tx: Queries, of: Provenance, id: number) {
      const { version } = (await stateOf(tx, 'event', id))!
      await upsert(tx).execute({ ...rowOf(of, 'event', id), version })
    },
    /** Notes the state of a record that an import made and another one wrote, unless it was edited in between: `was` is its state before. */
    noteWritten: (tx: Queries, { source }: Provenance, kind: RecordKind, id: number, was: string) =>
      refresh(tx, kind, id, and(eq(imports.source_id, source), eq(imports.version, was))),
    /** The series that an event is a date of; undefined if it is none. */
    seriesOf: (tx: Queries, event: number) => seriesOf(tx, event),
    /** The dates of a series that differ from it. */
    ownDates: async (tx: Queries, series: number): Promise<{ id: number; version: string }[]> =>
      tx
        .select({ id: posts.id, version: posts.modified_utc })
        .from(occurrences)
        .innerJoin(posts, eq(posts.id, occurrences.post_id))
        .where(and(eq(occurrences.series_id, series), ne(occurrences.overrides, []))),
    /** Whether an event has this; with `shown` one that is not in the trash. */
    isHeld: async (tx: Queries, kind: RecordKind, id: number, shown = false): Promise<boolean> =>
      (
        await tx
          .select({ id: links.event_id })
          .from(links)
          .innerJoin(posts, eq(posts.id, links.event_id))
          .where(
            and(
              eq(links.kind, kind as 'tag'),
              eq(links.target_id, id),
              shown ? ne(posts.status, 'trash') : undefined,
            ),
          )
          .limit(1)
      ).length > 0,
    /** All that was imported from a source. */
    of: (source: number): Promise<Imported[]> =>
      db.read
        .select()
        .from(imports)
        .where(eq(imports.source_id, source))
        .orderBy(imports.kind, imports.remote_id),
    /**
     * What was imported from a source and has not ended at a time, a wall clock of UTC: single events, and series by their first date since then, which is
     * `next`. What is gone or in the trash is left out.
     */
    upcoming: (source: number, now: string) =>
      db.read
        .select({
          kind: imports.kind,
          id: imports.record_id,
          version: imports.version,
          name: posts.title,
          starts: sql<string>`min(${events.utc_start_date})`,
          // SQLite takes it from the row that has the minimum
          next: events.post_id,
        })
        .from(imports)
        .innerJoin(posts, and(eq(posts.id, imports.record_id), eq(posts.kind, imports.kind as never)))
        .leftJoin(occurrences, and(eq(imports.kind, 'series'), eq(occurrences.series_id, posts.id)))
        .innerJoin(events, eq(events.post_id, sql`coalesce(${occurrences.post_id}, ${posts.id})`))
        .where(
          and(
            eq(imports.source_id, source),
            eq(imports.gone, false),
            ne(posts.status, 'trash'),
            inArray(imports.kind, ['event', 'series']),
            gt(events.utc_end_date, now),
            sql`not (${imports.kind} = 'event' and exists (select 1 from occurrences o where o.post_id = ${posts.id}))`,
            sql`not exists (select 1 from posts p where p.id = ${events.post_id} and p.status = 'trash')`,
          ),
        )
        .groupBy(imports.kind, imports.record_id),
    /** Which versions of an event and of its dates were imported from files; none of one in the trash, which comes back as it is given. */
    versions: async (tx: Queries, id: number): Promise<Record<string, Version>> =>
      (await versionsOf(tx).execute({ id }))[0]?.versions ?? {},
    /** Notes versions of an event and of its dates beside those that are known. */
    noteVersions: async (tx: Queries, id: number, versions: Record<string, Version>) =>
      mergeVersions(tx).execute({ id, versions: JSON.stringify(versions) }),
    /** Notes which record a record of a source is. */
    note: async (tx: Queries, row: Imported) => upsert(tx).execute(row),
    /** The state of a record; undefined if there is none with this ID. */
    state: (tx: Queries, kind: RecordKind, id: number) => stateOf(tx, kind, id),
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
    /** The first date that a series has here, of one that has more than one may; else empty. */
    async since(tx: Queries, id: number): Promise<string> {
      return (await postRows.series.find(tx, id))!.since
    },
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

/** The kinds that have pages at a site of WordPress, which numbers its posts together. */
const POSTS = ['event', 'venue', 'organizer'] as const
type Numbered = { kind: (typeof POSTS)[number]; id: number }

const OF_SOURCES = `select kind, record_id from import_sources join imports on source_id = import_sources.id
  where url like 'http%' and kind in ('${POSTS.join("', '")}') and remote_id = ? and not gone order by source_id limit 1`
/** The sources are found one after the other in the index, which begins with them. */
const OF_OTHERS = `with recursive named(source) as (select min(source) from externals where kind = 'event' union all
  select (select min(source) from externals where kind = 'event' and source > named.source) from named where source is not null)
  select 'event', post_id from named join externals using (source) where kind = 'event' and external_id = ? limit 2`

/** Finds what was imported from a source, in committed data. */
function openFinding({ read, rows }: Pick<Db, 'read' | 'rows'>) {
  const one = async (tx: Queries, source: number, kind: RecordKind, own: SQL) => {
    const [row] = await tx
      .select()
      .from(imports)
      .where(and(eq(imports.source_id, source), eq(imports.kind, kind), own))
      // of records that came again under another ID, the one that is there
      .orderBy(asc(imports.gone))
      .limit(1)
    return row
  }
  return {
    /** What is remembered of a record here; undefined if it did not come from this source. */
    ofHere: (source: number, kind: RecordKind, id: number) =>
      one(read, source, kind, eq(imports.record_id, id)),
    /** What is remembered of a record of a source; undefined if it was not imported. */
    ofThere: (source: number, kind: RecordKind, id: number, tx: Queries = read) =>
      one(tx, source, kind, eq(imports.remote_id, id)),
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
