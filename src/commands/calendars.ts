import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AuditCode } from '../../schemas/audit-codes.ts'
import type { Config } from '../calendar/config.ts'
import { resolveSettings } from '../calendar/settings.ts'
import { openStore, type Store } from '../calendar/store.ts'
import { readConfig } from '../config.ts'
import { noteAt, openDatabase, openShare, type Place } from '../database.ts'
import type { Tools } from '../features/host.ts'
import { prepareCopy } from '../features/nodes/copy.ts'
import { FEATURES } from '../features.ts'
import type { Details } from '../kernel/access/audit-log.ts'
import type { User } from '../kernel/access/users.ts'
import { fail, operatorOf, type Shell } from '../kernel/shell.ts'

/** Whether the configured database is still to be created. */
export const isMissing = ({ database }: Pick<Config, 'database'>) =>
  database !== ':memory:' && !existsSync(database)

/** Throws unless the configured database exists. */
export function mustExist(config: Pick<Config, 'database'>) {
  if (isMissing(config))
    throw fail(
      `${resolve(config.database)}: does not exist; set DATABASE to the path of the database, or create one there by starting the service`,
    )
}

/** Returns the user with this login. Throws if there is none. */
export async function mustFind({ users }: Store, login: string): Promise<User> {
  const user = await users.byLogin(login)
  if (!user) throw fail(`there is no user "${login}"`)
  return user
}

/** Throws unless the configured database exists; a node has its copy taken, or brought up to date. */
export async function mustBeReady(shell: Shell, config: Config) {
  const { postgres: url, database: file } = config
  if (url === undefined) return mustExist(config)
  await prepareCopy({ url, file }, { print: shell.complain, progress() {} })
}

/** Opens the configured database for the duration of one command. Throws if it is missing, unless it should be created. */
export async function withStore(
  shell: Shell,
  work: (store: Store) => Promise<void>,
  missing: 'refuse' | 'create' = 'refuse',
) {
  const config = readConfig(shell.env)
  if (config.postgres !== undefined || missing === 'refuse') await mustBeReady(shell, config)
  const db = await openDatabase(config)
  try {
    const { timezone: zone, currency, languages } = resolveSettings(db, config)
    const occurrenceDays = config.seriesDays
    await work(openStore(db, { clock: Date.now, zone, currency, languages, occurrenceDays }, FEATURES))
  } finally {
    db.close()
  }
}

/** Tells the audit log what a command did with a whole calendar. If that fails, the command has succeeded nevertheless. */
export async function noteIn(shell: Shell, place: Place, code: AuditCode, details: Details) {
  try {
    await noteAt(place, operatorOf(shell), code, details)
  } catch (error) {
    shell.complain(`almanac: the audit log was not told of this: ${(error as Error).message}\n`)
  }
}

/** What the commands of features work with. */
export const openTools = (shell: Shell): Tools => ({
  ...shell,
  config: () => readConfig(shell.env),
  inEnvironment: (env) => openTools({ ...shell, env }),
  isMissing,
  mustBeReady: (config) => mustBeReady(shell, config),
  mustFind,
  withStore: (work, missing) => withStore(shell, work, missing),
  openShare,
  noteIn: (place, code, details) => noteIn(shell, place, code, details),
})
