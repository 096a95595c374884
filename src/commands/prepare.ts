import type { Command } from 'commander'
import { derive } from '../calendar/check/inspection.ts'
import type { Config } from '../calendar/config.ts'
import {
  areSettingsUnknown,
  KEPT_NAMES,
  resolveSettings,
  storeSettings,
  textOf,
} from '../calendar/settings.ts'
import { readConfig } from '../config.ts'
import { mustBeOwn, openDatabase, sharedAt } from '../database.ts'
import { withBar } from '../kernel/cli.ts'
import { type Db, openDb } from '../kernel/database/db.ts'
import { explain, noRoom } from '../kernel/database/file.ts'
import { DERIVATION, readStoredSettings } from '../kernel/database/stored-settings.ts'
import { number, type Shell } from '../kernel/shell.ts'
import type { StoredSettings } from '../kernel/site.ts'
import { mustExist } from './tools.ts'

/** `migrate`. */
export function addMigrateCommand(program: Command, shell: Shell) {
  program
    .command('migrate')
    .description('upgrade the database; the service also does so at its start')
    .action(async () => {
      const config = readConfig(shell.env)
      if (config.postgres === undefined) mustExist(config)
      await prepare(config, shell, false)
      shell.print('The database is up to date.\n')
    })
}

/** Where long work is told: in lines, and on a terminal with a bar. */
export type Telling = Pick<Shell, 'print' | 'terminal'>

/** Records between two lines where there is no bar. */
const STEP = 20_000

const seconds = (began: number) => `${((performance.now() - began) / 1000).toFixed(1)} s`
/** Settings as they are written in the environment. */
export const named = (stored: StoredSettings) =>
  KEPT_NAMES.map((name) => `${name}=${textOf(stored, name)}`).join(' ')

/**
 * Makes the database ready for this program: upgrades it, stores the settings that it keeps, and derives data again that another
 * program or other settings derived. The settings of a database of an earlier version are those of `config`, if that `adopts` them.
 */
export async function prepare(config: Config, told: Telling, adopts = true) {
  const { database, durability, postgres } = config
  if (postgres !== undefined) return prepareNode(config, postgres, told)
  if (database === ':memory:') return
  const began = performance.now()
  let steps = 0
  const db = openDb(database, {
    durability,
    onMigration({ tag, number, of }) {
      steps = of
      told.print(`Upgrading ${database}: step ${number} of ${of} (${tag}).\n`)
    },
  })
  mustBeOwn(db, database)
  try {
    const settled = resolveSettings(db, config)
    if (!adopts && areSettingsUnknown(db))
      told.print('The next start of the service derives its data again.\n')
    else {
      if ((await storeSettings(db, settled)) === 'adopted')
        told.print(
          `From now on, ${database} keeps the settings that its records depend on: ${named(settled)}.\n`,
        )
      await deriveAgain(db, settled, told)
    }
    if (steps > 0) told.print(`${database} was upgraded in ${seconds(began)}.\n`)
  } finally {
    const kept = db.close()
    const why = kept ? explain(kept, database) : db.isTight ? noRoom(database) : undefined
    if (why) told.print(`${why.message}. It can be read.\n`)
  }
}

/** Makes PostgreSQL and the copy of this node ready, and stores the settings that the records depend on. */
async function prepareNode(config: Config, url: string, told: Telling) {
  await withBar(told, 'Taking a copy', (progress) =>
    sharedAt(url).prepare({ url, file: config.database }, { print: told.print, progress }),
  )
  const db = await openDatabase(config)
  try {
    await storeSettings(db, resolveSettings(db, config))
  } finally {
    db.close()
  }
}

/** Derives all data again if it was derived in another way, and returns the number of records and of differences. */
export async function deriveAgain(
  db: Db,
  { timezone: zone, languages, currency }: StoredSettings,
  told: Telling,
  step = STEP,
) {
  const result = { records: 0, corrected: 0 }
  if (readStoredSettings(db)?.derivation === DERIVATION) return result
  const began = performance.now()
  await withBar(told, 'Deriving data', (progress) =>
    derive(
      db,
      { clock: Date.now, zone, languages, currency },
      {
        found: () => void result.corrected++,
        progress(done, total) {
          if (!told.terminal && Math.floor(done / step) > Math.floor(result.records / step))
            told.print(`Deriving data again: ${number(done)} of ${number(total)} records.\n`)
          result.records = done
          progress(done, total)
        },
      },
    ),
  )
  if (result.records > 0)
    told.print(
      `Documents, lists, counts and search texts of ${number(result.records)} records were checked in ${seconds(began)}; ${number(result.corrected)} differences were corrected.\n`,
    )
  return result
}
