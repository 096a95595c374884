import { eq, sql } from 'drizzle-orm'
import { posts, terms } from '../../../drizzle/tables.ts'
import { type Actor, type Audited, differences, record, SERVICE } from '../../kernel/access/audit-log.ts'
import { type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { unusable } from '../../kernel/database/file.ts'
import {
  DERIVATION,
  holdsRecords,
  readStoredSettings,
  writeStoredSettings,
} from '../../kernel/database/stored-settings.ts'
import type { StoredSettings } from '../../kernel/site.ts'
import { toEpoch, toWall } from '../../kernel/time/dates.ts'

/** The settings of the environment. `given` names the variables that are set; the others have their defaults. */
export type Wanted = StoredSettings & { database: string; given: readonly string[] }

/** The variables of the settings that the database keeps. */
export const KEPT = { TIMEZONE: 'timezone', LANGUAGES: 'languages', CURRENCY: 'currency' } as const
type Name = keyof typeof KEPT
export const KEPT_NAMES = Object.keys(KEPT) as Name[]

/** A setting as it is written in the environment. */
export const textOf = (stored: StoredSettings, name: Name): string => String(stored[KEPT[name]])

/** Whether two values mean the same. The order of languages after the first does not matter. */
function isSame(one: StoredSettings, other: StoredSettings, name: Name): boolean {
  const plain = (stored: StoredSettings) => {
    const [first, ...rest] = stored.languages
    return name === 'LANGUAGES' ? [first, ...rest.sort()].join() : textOf(stored, name)
  }
  return plain(one) === plain(other)
}

/** What the environment says otherwise than the database, as the end of a sentence; undefined if nothing. */
export function conflictOf(stored: StoredSettings, wanted: Wanted): string | undefined {
  const names = KEPT_NAMES.filter((name) => wanted.given.includes(name) && !isSame(stored, wanted, name))
  if (names.length === 0) return undefined
  const pairs = (of: StoredSettings) => names.map((name) => `${name}=${textOf(of, name)}`).join(' ')
  return `its records were written with ${pairs(stored)}, but the environment says ${pairs(wanted)}; correct or unset ${names.join(', ')}, or change the database: stop the service and run \`almanac config set ${pairs(wanted)}\``
}

/**
 * The settings in effect: what the database keeps, where it does. Throws `unusable` if the environment says otherwise. While there
 * are no records, nothing depends on the settings, and the environment decides.
 */
export function settle<W extends Wanted>(db: Db, wanted: W): W {
  const stored = readStoredSettings(db)
  if (!stored) return wanted
  const { derivation: _, ...settings } = stored
  if (!holdsRecords(db)) {
    const given = KEPT_NAMES.filter((name) => wanted.given.includes(name)).map((name) => KEPT[name])
    return { ...wanted, ...settings, ...Object.fromEntries(given.map((key) => [key, wanted[key]])) }
  }
  const conflict = conflictOf(settings, wanted)
  if (conflict) throw unusable(wanted.database, conflict)
  return { ...wanted, ...settings }
}

/**
 * Stores the settings in effect at a start. Returns `adopted` if an earlier program wrote the records: then these are the settings
 * that it is assumed to have had.
 */
export async function keep(
  db: Db,
  settled: StoredSettings,
  clock: () => number = Date.now,
): Promise<'adopted' | undefined> {
  const stored = readStoredSettings(db)
  const held = holdsRecords(db)
  if (stored && (held || KEPT_NAMES.every((name) => isSame(stored, settled, name)))) return undefined
  await db.write(async (tx) => {
    await writeStoredSettings(tx, settled, held ? 0 : DERIVATION)
    await tell({ tx, site: { clock }, by: SERVICE }, stored, settled)
  })
  return held ? 'adopted' : undefined
}

/** Tells the audit log which settings changed, if any. */
async function tell(w: Audited, before: StoredSettings | undefined, after: StoredSettings) {
  const textsOf = (stored: StoredSettings) =>
    Object.fromEntries(KEPT_NAMES.map((name) => [name, textOf(stored, name)]))
  const told = before ? differences(textsOf(before), textsOf(after)) : textsOf(after)
  if (Object.keys(told).length > 0) await record(w, 'settings_changed', undefined, told)
}

/** Whether there are records, and nobody knows with which settings they were written. */
export const isUnknown = (db: Db): boolean => !readStoredSettings(db) && holdsRecords(db)

/** Throws `unusable` if derived data can not be compared, because nobody knows with which settings it was made. */
export function mustKnow(db: Db, database: string) {
  if (!isUnknown(db)) return
  throw unusable(
    database,
    'does not keep its settings yet, because an earlier version wrote it; start the service with them, or name them: `almanac config set TIMEZONE=... LANGUAGES=... CURRENCY=...`',
  )
}

/**
 * Changes the settings that the database keeps. The publication dates and modification dates of all records move to the new time
 * zone, as the same moments. Afterwards all data has to be derived again.
 */
export async function changeSettings(db: Db, next: StoredSettings, by: Actor = SERVICE) {
  const stored = readStoredSettings(db)
  await db.write(async (tx) => {
    if (stored && stored.timezone !== next.timezone) moveDates(tx, stored.timezone, next.timezone)
    await writeStoredSettings(tx, next, 0)
    await tell({ tx, site: { clock: Date.now }, by }, stored, next)
  })
}

const DATES = { id: posts.id, date: posts.date, date_utc: posts.date_utc, modified_utc: posts.modified_utc }
const moved = prepared((db) =>
  db
    .update(posts)
    .set({ date: sql`${sql.placeholder('date')}`, modified: sql`${sql.placeholder('modified')}` })
    .where(eq(posts.id, sql.placeholder('id')))
    .prepare(),
)

/** A date may differ from its UTC twin, or have none; then it is read in the old zone. */
function moveDates(tx: Queries, from: string, to: string) {
  const move = (date: string, utc: string) => {
    const at = utc === '' ? undefined : toEpoch(utc, 'UTC')
    return toWall(at !== undefined && toWall(at, from) === date ? at : toEpoch(date, from), to)
  }
  for (const { id, date, date_utc, modified_utc } of tx.select(DATES).from(posts).all())
    moved(tx).run({ id, date: move(date, date_utc), modified: toWall(toEpoch(modified_utc, 'UTC'), to) })
}

/** The number of records and terms in languages that are not among these. */
export function inOtherLanguages(db: Db, languages: readonly string[]): number {
  const list = sql.join(
    languages.map((language) => sql`${language}`),
    sql`, `,
  )
  return db.read.get<{ count: number }>(
    sql`SELECT (SELECT count(*) FROM ${posts} WHERE language NOT IN (${list})) + (SELECT count(*) FROM ${terms} WHERE language NOT IN (${list})) AS count`,
  ).count
}
