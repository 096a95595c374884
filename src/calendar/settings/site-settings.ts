import { eq, sql } from 'drizzle-orm'
import { media, settings } from '../../../drizzle/tables.ts'
import { type Actor, type Details, differences, record } from '../../kernel/access/audit-log.ts'
import { type Changes, openFollowing } from '../../kernel/database/changes.ts'
import { type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { recordChange } from '../../kernel/database/log.ts'
import {
  DERIVATION,
  HELD,
  readStoredSettings,
  writeStoredSettings,
} from '../../kernel/database/stored-settings.ts'
import { invalid } from '../../kernel/errors.ts'
import type { Site, StoredSettings } from '../../kernel/site.ts'
import { KEPT } from './settings.ts'

/** The name under which the database keeps what administrators chose, as JSON. */
const NAME = 'site'
/** How its changes are noted in the log of changes. */
export const SETTINGS_CHANGE = { kind: 'settings', id: 1 } as const

export type SiteLink = { text: string; url: string }
/** What administrators chose. What is absent is as the environment says, or the default. */
export type Chosen = {
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

const toldOf = ({ name, color, logo, links }: Chosen, stored: StoredSettings): Details => ({
  ...{ name: name ?? '', color: color ?? '', logo: logo ?? '' },
  links: (links ?? []).map(({ text, url }) => `${text} ${url}`),
  ...{ TIMEZONE: stored.timezone, LANGUAGES: stored.languages, CURRENCY: stored.currency },
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
  const heard: (() => void)[] = []
  const tell = () => {
    for (const hear of heard) hear()
  }
  db.onApplied(['site'], tell)

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
    onStored: (hear: () => void) => void heard.push(hear),
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
          const told = differences(toldOf(before, stored), toldOf(after, next))
          if (Object.keys(told).length > 0)
            await record({ tx, site, by }, 'settings_changed', undefined, told)
          return names.length > 0
        }),
      )
      if (isMoved) tell()
    },
  }
}
export type SiteSettings = ReturnType<typeof openSiteSettings>
