import { eq, sql } from 'drizzle-orm'
import { media, posts, settings, terms } from '../../drizzle/tables.ts'
import {
  type Actor,
  type Audited,
  type Details,
  differences,
  record,
  SERVICE,
} from '../kernel/access/audit-log.ts'
import { type Changes, openFollowing, recordChange } from '../kernel/database/changes.ts'
import { type Db, prepared, type Queries } from '../kernel/database/db.ts'
import { unusable } from '../kernel/database/file.ts'
import {
  DERIVATION,
  HELD,
  holdsRecords,
  readStoredSettings,
  writeStoredSettings,
} from '../kernel/database/stored-settings.ts'
import { invalid } from '../kernel/errors.ts'
import type { Site, StoredSettings } from '../kernel/site.ts'
import { toEpoch, toWall } from '../kernel/time/dates.ts'

/** The settings of the environment. `given` names the variables that are set; the others have their defaults. */
type Wanted = StoredSettings & { database: string; given: readonly string[] }

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
export function resolveSettings<W extends Wanted>(db: Db, wanted: W): W {
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
export async function storeSettings(
  db: Db,
  effective: StoredSettings,
  clock: () => number = Date.now,
): Promise<'adopted' | undefined> {
  const stored = readStoredSettings(db)
  const held = holdsRecords(db)
  if (stored && (held || KEPT_NAMES.every((name) => isSame(stored, effective, name)))) return undefined
  await db.write(async (tx) => {
    await writeStoredSettings(tx, effective, held ? 0 : DERIVATION)
    await auditChange({ tx, site: { clock }, by: SERVICE }, stored, effective)
  })
  return held ? 'adopted' : undefined
}

/** Notes in the audit log which settings changed, if any. */
async function auditChange(w: Audited, before: StoredSettings | undefined, after: StoredSettings) {
  const textsOf = (stored: StoredSettings) =>
    Object.fromEntries(KEPT_NAMES.map((name) => [name, textOf(stored, name)]))
  const changed = before ? differences(textsOf(before), textsOf(after)) : textsOf(after)
  if (Object.keys(changed).length > 0) await record(w, 'settings_changed', undefined, changed)
}

/** Whether there are records, and nobody knows with which settings they were written. */
export const areSettingsUnknown = (db: Db): boolean => !readStoredSettings(db) && holdsRecords(db)

/** Throws `unusable` if derived data can not be compared, because nobody knows with which settings it was made. */
export function requireStoredSettings(db: Db, database: string) {
  if (!areSettingsUnknown(db)) return
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
    await auditChange({ tx, site: { clock: Date.now }, by }, stored, next)
  })
}

const DATES = { id: posts.id, date: posts.date, date_utc: posts.date_utc, modified_utc: posts.modified_utc }
const updateDates = prepared((db) =>
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
    updateDates(tx).run({
      id,
      date: move(date, date_utc),
      modified: toWall(toEpoch(modified_utc, 'UTC'), to),
    })
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

/** The name under which the database keeps what administrators chose, as JSON. */
const NAME = 'site'
/** How its changes are noted in the log of changes. */
export const SETTINGS_CHANGE = { kind: 'settings', id: 1 } as const

export type SiteLink = { text: string; url: string }
/** What administrators chose. What is absent is as the environment says, or the default. */
type Chosen = {
  name?: string
  color?: string
  /** ID of a picture. */
  logo?: number
  links?: SiteLink[]
  /** Whether an administrator has looked at time zone, currency and languages. */
  confirmed?: true
}
/** What is chosen anew; null means the default. Time zone, languages and currency can be set while there are no records. */
export type SettingsChange = { [K in keyof Chosen]?: Chosen[K] | null } & Partial<StoredSettings>

/** What administrators chose, with the path of the picture. */
export type Choice = Chosen & { logo_file?: string }

const chosenRow = prepared((db) => db.select().from(settings).where(eq(settings.name, NAME)).prepare())
const chosenIn = (tx: Queries): Chosen => JSON.parse(chosenRow(tx).get()?.value ?? '{}')
const fileOf = prepared((db) =>
  db
    .select({ file: media.file })
    .from(media)
    .where(eq(media.id, sql.placeholder('id')))
    .prepare(),
)

type Guard = <T>(tx: Queries, work: () => Promise<T>) => Promise<T>

/** The choices after a change. */
function mergedOf(before: Chosen, change: SettingsChange): Chosen {
  const { name, color, logo, links, confirmed } = { ...before, ...change }
  return {
    ...(name && { name }),
    ...(color && { color }),
    ...(logo && { logo }),
    ...(links && links.length > 0 && { links }),
    ...(confirmed && { confirmed: true }),
  }
}

const auditedOf = ({ name, color, logo, links }: Chosen, stored: StoredSettings): Details => ({
  name: name ?? '',
  color: color ?? '',
  logo: logo ?? '',
  links: (links ?? []).map(({ text, url }) => `${text} ${url}`),
  TIMEZONE: stored.timezone,
  LANGUAGES: stored.languages,
  CURRENCY: stored.currency,
})

/** Throws 400 for each that can not be set any more, because records were written with it. */
function refuseHeld(names: (keyof StoredSettings)[]) {
  const variableOf = (name: string) => Object.entries(KEPT).find(([, member]) => member === name)![0]
  throw invalid(
    Object.fromEntries(
      names.map((name) => [
        name,
        `can not be changed here any more, because there are records: stop the service and run \`almanac config set ${variableOf(name)}=...\`.`,
      ]),
    ),
  )
}

/** What administrators choose for the whole site, which all processes and nodes follow. */
export function openSiteSettings(db: Db, changes: Changes, site: Site) {
  let known: Choice | undefined
  const forget = () => {
    known = undefined
  }
  const follow = openFollowing(changes, [SETTINGS_CHANGE.kind, 'media'], { on: forget, reset: forget })
  const listeners: (() => void)[] = []
  const notify = () => {
    for (const listener of listeners) listener()
  }
  db.onApplied(['site'], notify)

  return {
    /** What was chosen: the same object while nothing of it changes. No query while nothing is written. */
    chosen(): Choice {
      follow()
      if (known) return known
      const chosen = chosenIn(db.read)
      const file = chosen.logo === undefined ? undefined : fileOf(db.read).get({ id: chosen.logo })?.file
      known = { ...chosen, ...(file !== undefined && { logo_file: file }) }
      return known
    },
    /** The settings that stored data depends on, as the database keeps them; this process may have started with others. */
    stored: (): StoredSettings => {
      const { derivation: _, ...stored } = readStoredSettings(db)!
      return stored
    },
    /** Whether there are records, so that time zone, languages and currency stay as they are. */
    isHeld: (): boolean => db.rows<[number]>(HELD)[0]![0] === 1,
    /** Calls `hear` when the database keeps another time zone, languages or currency: the service has to start anew with them. */
    onStored: (listener: () => void) => void listeners.push(listener),
    /** Sets what is given. Throws 400 for what records depend on, if there are any. */
    async change(change: SettingsChange, by: Actor, guard: Guard): Promise<void> {
      const isMoved = await db.write((tx) =>
        guard(tx, async () => {
          const before = chosenIn(tx)
          const { derivation: _, ...stored } = readStoredSettings({ read: tx })!
          const after = mergedOf(before, change)
          const names = (Object.values(KEPT) as (keyof StoredSettings)[]).filter(
            (name) => change[name] !== undefined && String(change[name]) !== String(stored[name]),
          )
          const next = { ...stored, ...Object.fromEntries(names.map((name) => [name, change[name]])) }
          if (names.length > 0 && tx.get<{ held: 0 | 1 }>(sql.raw(`${HELD} AS held`)).held === 1)
            refuseHeld(names)
          const value = JSON.stringify(after)
          if (names.length === 0 && value === JSON.stringify(before)) return false
          await tx
            .insert(settings)
            .values({ name: NAME, value })
            .onConflictDoUpdate({ target: settings.name, set: { value } })
          if (names.length > 0) await writeStoredSettings(tx, next, DERIVATION)
          const now = site.clock()
          await recordChange(tx, { ...SETTINGS_CHANGE, operation: 'update', now, by: by.caller?.id })
          const changed = differences(auditedOf(before, stored), auditedOf(after, next))
          if (Object.keys(changed).length > 0)
            await record({ tx, site, by }, 'settings_changed', undefined, changed)
          return names.length > 0
        }),
      )
      if (isMoved) notify()
    },
  }
}
