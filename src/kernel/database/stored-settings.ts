import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { settings, site } from '../../../drizzle/tables.ts'
import { VERSION } from '../../package.ts'
import type { StoredSettings } from '../site.ts'
import { type Db, prepared, type Queries } from './db.ts'
import { checkOurs, connectTo, explain } from './file.ts'
import { checkKnown } from './migrations.ts'

/**
 * Which way of deriving data this program has. Raise it when documents, rows for lists, counts or search texts come out differently
 * for the same records: the next start then derives all of them again.
 */
export const DERIVATION = 8

/** The settings that the database keeps, and how its derived data was made; undefined before the first start on it. */
export const readStoredSettings = (
  db: Pick<Db, 'read'>,
): (StoredSettings & { derivation: number }) | undefined =>
  db.read
    .select({
      timezone: site.timezone,
      languages: site.languages,
      currency: site.currency,
      derivation: site.derivation,
    })
    .from(site)
    .get()

/** Stores the settings, in the caller's transaction. */
export async function writeStoredSettings(
  tx: Queries,
  { timezone, languages, currency }: StoredSettings,
  derivation: number,
) {
  const set = { timezone, languages, currency, derivation }
  await tx
    .insert(site)
    .values({ id: 1, ...set })
    .onConflictDoUpdate({ target: site.id, set })
}

/** Notes that all derived data is as this program derives it. */
export const noteDerived = (db: Db) => db.local(async (tx) => tx.update(site).set({ derivation: DERIVATION }))

/** Gives 1 if there is anything that was written with the settings. */
export const HELD = 'SELECT EXISTS (SELECT 1 FROM posts) OR EXISTS (SELECT 1 FROM terms)'

/** Whether there is anything that was written with the settings. */
export const holdsRecords = (db: Db): boolean => db.rows<[number]>(HELD)[0]![0] === 1

/**
 * The settings that a database file keeps, and whether it holds records, without upgrading it. Undefined if it keeps none. Throws
 * `unusable` if it is not a database of this or an earlier Almanac.
 */
export function peekStoredSettings(file: string): (StoredSettings & { held: boolean }) | undefined {
  try {
    return keptOf(file)
  } catch (error) {
    throw explain(error as Error, file)
  }
}

function keptOf(file: string) {
  const db = connectTo(file, { readonly: true, timeout: 1_000 })
  try {
    checkOurs(db, file)
    checkKnown(db, file)
    const exists = db.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'site'").pluck().get()
    const row = exists && db.prepare('SELECT timezone, languages, currency FROM site').get()
    if (!row) return undefined
    const { languages, ...stored } = row as StoredSettings & { languages: string }
    return { ...stored, languages: JSON.parse(languages), held: db.prepare(HELD).pluck().get() === 1 }
  } finally {
    db.close()
  }
}

/** A value that is made when it is first needed, and that the database keeps from then on, under this name. */
export function openOnce(db: Db, name: string, make: () => string) {
  const stored = async () => (await db.read.select().from(settings).where(eq(settings.name, name)))[0]?.value
  let known: string | undefined
  return async (): Promise<string> => {
    known ??= await stored()
    if (known !== undefined) return known
    await db.write(async (tx) => {
      await tx.insert(settings).values({ name, value: make() }).onConflictDoNothing()
    })
    return (await stored())!
  }
}

/** The name under which the database keeps the last render version, and since when it is. */
const NAME = 'manner'

/** The settings of the environment that every answer shows. */
type Shown = { baseUrl: string; namespace: string; compatPrefixes: string[] }

/**
 * The version in which answers are rendered from the same records: a digest of the program, of the names and clocks that it has of ICU and of the tz database,
 * and of the settings that answers show.
 */
export function renderVersionOf({ baseUrl, namespace, compatPrefixes }: Shown, more: unknown[]): string {
  const { icu, tz } = process.versions
  const all = JSON.stringify([VERSION, icu, tz, baseUrl, namespace, compatPrefixes, ...more])
  return createHash('sha256').update(all).digest('base64url').slice(0, 16)
}

const storedVersion = prepared((db) => db.select().from(settings).where(eq(settings.name, NAME)).prepare())

function readStoredVersion(db: Db): { renderVersion: string; at: number } | undefined {
  const row = storedVersion(db.read).get()
  if (!row) return undefined
  const [renderVersion, at] = row.value.split(' ') as [string, string]
  return { renderVersion, at: Number(at) }
}

/** Stores from when on answers have this render version, unless the last ones had it; for all processes and copies. */
export async function storeRenderVersion(db: Db, renderVersion: string, at: number) {
  if (readStoredVersion(db)?.renderVersion === renderVersion) return
  const value = `${renderVersion} ${at}`
  await db.write((tx) =>
    tx
      .insert(settings)
      .values({ name: NAME, value })
      .onConflictDoUpdate({ target: settings.name, set: { value } }),
  )
}

/** Since when answers have this render version, in Unix milliseconds: as the database keeps it, or else since `at`. */
export function openRenderVersion(db: Db, renderVersion: string, at: number): () => number {
  let seen = Number.NaN
  let since = at
  const readSince = () => {
    const now = db.version()
    if (now !== seen) {
      seen = now
      const last = readStoredVersion(db)
      if (last?.renderVersion === renderVersion) since = last.at
    }
    return since
  }
  readSince() // before another process keeps its own
  return readSince
}
