import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { settle } from '../calendar/settings/settings.ts'
import { openStore, type Store } from '../calendar/store.ts'
import { type Config, readConfig } from '../config.ts'
import { openDatabase } from '../database.ts'
import { prepareCopy } from '../features/nodes/copy/preparation.ts'
import { FEATURES } from '../features.ts'
import type { Actor } from '../kernel/access/audit-log.ts'
import type { User } from '../kernel/access/users.ts'

/** The environment that a command runs in. Tests pass their own. */
export type Shell = {
  env: Record<string, string | undefined>
  print(text: string): void
  complain(text: string): void
  /** Whether standard output is a terminal. */
  terminal: boolean
  /** Whether what is printed may be stored, although it goes to a terminal: the log of a container keeps what its first process prints. */
  logged?: boolean
  /** The file of this program, by which a command starts further processes of it; without it, commands work alone. */
  program?: string
}

/** Whoever runs a command, as the audit log names them: the user of the operating system and the host. */
export const operatorOf = ({ env }: Pick<Shell, 'env'>): Actor => ({
  origin: 'command',
  address: `${env.SUDO_USER ?? env.USER ?? `uid ${process.getuid!()}`}@${hostname()}`,
})

/** Prints a result, as JSON or in words. */
export const tell = (shell: Shell, json: boolean | undefined, record: object, words: string) =>
  shell.print(json ? `${JSON.stringify(record)}\n` : `${words}\n`)

/** An error that is reported by its message, without a stack. */
export const fail = (message: string) => Object.assign(new Error(message), { unusable: true })

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
    const { timezone: zone, currency, languages } = settle(db, config)
    const horizon = config.seriesDays
    await work(openStore(db, { clock: Date.now, zone, currency, languages, horizon }, FEATURES))
  } finally {
    db.close()
  }
}
