import { rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Store } from '../calendar/store.ts'
import { fail, type Shell } from '../commands/shell.ts'
import type { Config } from '../config.ts'
import { FIRST_PASSWORD, PRIVATE } from '../kernel/database/file.ts'
import type { Site } from '../kernel/site.ts'

const LOGIN = 'admin'

/**
 * Prints the URL of the service. If there are no users yet, it creates an administrator. The password is printed to a terminal. Output
 * that may be a log does not get it: there it goes to a file that only its owner can read. If that
 * file can not be written, it throws and creates no user.
 */
export async function greet(
  { users, site }: Store,
  config: Config,
  { print, terminal, logged = false }: Pick<Shell, 'print' | 'terminal' | 'logged'>,
) {
  const api = `${config.baseUrl}/${config.namespace}`
  const answers = `Almanac answers at ${api}/ - documentation: ${api}/doc\n${factsOf(config, site)}\n`
  if ((await users.count()) > 0) return print(answers)
  if (terminal && !logged) {
    const { password } = (await users.add(LOGIN, 'administrator'))!
    return print(answers + welcome(password, config, api))
  }
  const file = passwordFileOf(config)
  await users.add(LOGIN, 'administrator', { hand: (password) => keep(file, password) })
  print(
    `${answers}A user was created: ${LOGIN}. Its password is in ${file}; delete this file after reading it.\n`,
  )
}

/** What an operator should see at once if it is not as intended. */
function factsOf({ database, baseUrl }: Config, { zone, languages }: Site): string {
  const file = database === ':memory:' ? 'in memory' : resolve(database)
  return `Database: ${file}; time zone: ${zone}; languages: ${languages.join(', ')}; public address: ${baseUrl}`
}

/** Path of the file with the first password: next to the database, or where it would be. */
function passwordFileOf({ database, mediaDir }: Config): string {
  return resolve(dirname(database === ':memory:' ? mediaDir : database), FIRST_PASSWORD)
}

/** Replaces an older file, which belonged to another database. */
function keep(file: string, password: string) {
  try {
    rmSync(file, { force: true })
    writeFileSync(file, noteOf(password), { flag: 'wx', mode: PRIVATE.file })
  } catch (error) {
    throw fail(`can not write the password of the first user: ${(error as Error).message}`)
  }
}

const noteOf = (password: string) => `Almanac has created its first user, an administrator:

  login                 ${LOGIN}
  application password  ${password}

The password is stored nowhere else. Keep it in a safe place, and delete this file.
If you lose it, \`almanac user password ${LOGIN}\` makes another one.
`

const welcome = (password: string, { baseUrl, desk }: Config, api: string) => `
A user was created:    ${LOGIN}
Application password:  ${password}

It is shown only once.${desk ? ` Write events in a browser: ${baseUrl}/desk/` : ''} Or try it here:

  curl -u '${LOGIN}:${password}' -H 'Content-Type: application/json' \\
    -d '{"title":"First event","start_date":"tomorrow","end_date":"tomorrow","all_day":true}' \\
    ${api}/events

`
