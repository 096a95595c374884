import { existsSync } from 'node:fs'
import { type Config, readConfig } from '../config.ts'
import { settle } from '../store/check/settings.ts'
import type { User } from '../store/records/users.ts'
import { openDb } from '../store/sqlite/db.ts'
import { openStore, type Store } from '../store/store.ts'

/** The environment that a command runs in. Tests pass their own. */
export type Shell = {
  env: Record<string, string | undefined>
  print(text: string): void
  complain(text: string): void
  /** Whether standard output is a terminal. */
  terminal: boolean
}

/** Prints a result, as JSON or in words. */
export const tell = (shell: Shell, json: boolean | undefined, record: object, words: string) =>
  shell.print(json ? `${JSON.stringify(record)}\n` : `${words}\n`)

/** An error that is reported by its message, without a stack. */
export const fail = (message: string) => Object.assign(new Error(message), { unusable: true })

/** Throws unless the configured database exists. */
export function mustExist({ database }: Pick<Config, 'database'>) {
  if (database !== ':memory:' && !existsSync(database)) throw fail(`${database}: does not exist`)
}

/** Returns the user with this login. Throws if there is none. */
export async function mustFind({ users }: Store, login: string): Promise<User> {
  const user = await users.byLogin(login)
  if (!user) throw fail(`there is no user "${login}"`)
  return user
}

/** Opens the configured database for the duration of one command. */
export async function withStore(shell: Shell, work: (store: Store) => Promise<void>) {
  const config = readConfig(shell.env)
  const db = openDb(config.database, config.durability)
  try {
    const { timezone: zone, currency, languages } = settle(db, config)
    await work(openStore(db, { clock: Date.now, zone, currency, languages }))
  } finally {
    db.close()
  }
}
