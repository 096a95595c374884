import { rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { PRIVATE } from '../modes.ts'
import type { Store } from '../store/store.ts'
import { fail, type Shell } from './shell.ts'

const LOGIN = 'admin'

/**
 * Says where the service answers. The very first start without users makes an administrator: a terminal shows the password this once;
 * elsewhere, where output is kept as a log, it is written to a file that the owner alone can read. Throws, and makes
 * nobody, where that can not be written.
 */
export async function greet(
  { users }: Store,
  config: Config,
  { print, terminal }: Pick<Shell, 'print' | 'terminal'>,
) {
  const api = `${config.baseUrl}/${config.namespace}`
  const answers = `Almanac answers at ${api}/ - browse it at ${api}/doc\n`
  if ((await users.count()) > 0) return print(answers)
  if (terminal) {
    const { password } = (await users.add(LOGIN, 'administrator'))!
    return print(answers + welcome(password, api))
  }
  const file = passwordFileOf(config)
  await users.add(LOGIN, 'administrator', (password) => keep(file, password))
  print(
    `${answers}A user was made for you: ${LOGIN}. The password is in ${file}; delete that file once you know it.\n`,
  )
}

/** Where the first password is written: beside the database, or where one would lie. */
function passwordFileOf({ database, mediaDir }: Config): string {
  return resolve(dirname(database === ':memory:' ? mediaDir : database), 'first-password')
}

/** Whatever was there before belonged to another database. */
function keep(file: string, password: string) {
  try {
    rmSync(file, { force: true })
    writeFileSync(file, noteOf(password), { flag: 'wx', mode: PRIVATE.file })
  } catch (error) {
    throw fail(`the password of the first user can not be written: ${(error as Error).message}`)
  }
}

const noteOf = (password: string) => `Almanac made its first user, an administrator:

  login                 ${LOGIN}
  application password  ${password}

This is the only place where the password stands. Keep it elsewhere and delete this file.
Lost it? \`almanac user add <login> --role administrator\` makes another administrator.
`

const welcome = (password: string, api: string) => `
A user was made for you:  ${LOGIN}
Application password:     ${password}

It is shown this once. Try it:

  curl -u '${LOGIN}:${password}' -H 'Content-Type: application/json' \\
    -d '{"title":"First event","start_date":"tomorrow","end_date":"tomorrow","all_day":true}' \\
    ${api}/events

`
