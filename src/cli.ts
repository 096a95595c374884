import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import { buildApp, VERSION } from './app.ts'
import { readConfig } from './config.ts'
import { buildDocument, downgrade, print } from './http/openapi.ts'
import { ROLES, type Role } from './roles.ts'
import { serve } from './server.ts'
import { openDb } from './store/db.ts'
import { openStore, type Store } from './store/store.ts'

/** The world that a command runs in; tests bring their own. */
export type Shell = {
  env: Record<string, string | undefined>
  print(text: string): void
  complain(text: string): void
  /** Standard output is a terminal. */
  terminal: boolean
}

/** Runs one command; gives the exit code: 0 done, 1 failed, 2 wrong usage. A server that was started goes on. */
export async function run(args: string[], shell: Shell): Promise<number> {
  const program = buildProgram(shell)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    const { code, message, unusable } = error as Error & { code?: string; unusable?: boolean }
    if (code?.startsWith('commander.'))
      return code === 'commander.helpDisplayed' || code === 'commander.help' || code === 'commander.version'
        ? 0
        : 2
    shell.complain(
      unusable || FORESEEN.includes(code ?? '') ? `almanac: ${message}\n` : `${(error as Error).stack}\n`,
    )
    return 1
  }
}

/** Failures of the system that need no stack: the message says it all. */
const FORESEEN = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES']

function buildProgram(shell: Shell): Command {
  const program = new Command('almanac')
    .description(
      'Almanac, an event calendar REST service. Settings come from environment variables, see the README.',
    )
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: shell.print, writeErr: shell.complain })

  program
    .command('serve', { isDefault: true })
    .description('start the service (the default)')
    .action(async () => {
      const app = await serve(readConfig(shell.env), shell.print, shell.terminal)
      stopOnSignals(app)
    })

  const user = program.command('user').description('manage users')
  user
    .command('add')
    .description('add a user and print a new application password')
    .argument('<login>', 'name to sign in with', readLogin)
    .addOption(new Option('--role <role>', 'what the user may do').choices(ROLES).makeOptionMandatory())
    .option('--json', 'print JSON')
    .action((login: string, { role, json }: { role: Role; json?: boolean }) =>
      withStore(shell, async ({ users }) => {
        const added = await users.add(login, role)
        if (!added) throw Object.assign(new Error(`there is a user "${login}" already`), { unusable: true })
        const { id, password } = added
        shell.print(
          json
            ? `${JSON.stringify({ id, login: added.login, role, password })}\n`
            : `Added ${added.login} (${role}).\nApplication password, shown this once: ${password}\n`,
        )
      }),
    )
  user
    .command('list')
    .description('list the users')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      withStore(shell, async ({ users }) => {
        const all = (await users.list()).map(({ id, login, role, disabled }) => ({
          id,
          login,
          role,
          disabled,
        }))
        if (json) shell.print(`${JSON.stringify(all)}\n`)
        else
          for (const one of all)
            shell.print(
              `${String(one.id).padStart(4)}  ${one.login.padEnd(24)} ${one.role}${one.disabled ? ' (disabled)' : ''}\n`,
            )
      }),
    )

  program
    .command('openapi')
    .description('print the OpenAPI document')
    .option('--older', 'as OpenAPI 3.0.3 instead of 3.1')
    .option('--output <file>', 'write it to this file')
    .action(async ({ older, output }: { older?: boolean; output?: string }) => {
      const config = readConfig({ ...shell.env, DATABASE: ':memory:', MEDIA_DIR: tmpdir() })
      const app = await buildApp({ config })
      const document = buildDocument(app, `/${config.namespace}`)
      await app.close()
      const text = print(older ? downgrade(document) : document).toString()
      if (output) await writeFile(output, text)
      else shell.print(text)
    })

  program
    .command('migrate')
    .description('bring the database up to date (the service does so by itself at start)')
    .action(() => withStore(shell, async () => shell.print('The database is up to date.\n')))

  return program
}

function readLogin(login: string): string {
  if (!/^[\w.@-]{1,60}$/.test(login))
    throw new InvalidArgumentError('A login has 1 to 60 letters, digits, and . _ - @.')
  return login
}

/** Opens the configured database for one command. */
async function withStore(shell: Shell, work: (store: Store) => Promise<void>) {
  const config = readConfig(shell.env)
  const db = openDb(config.database, config.durability)
  try {
    await work(
      openStore(db, {
        clock: Date.now,
        zone: config.timezone,
        currency: config.currency,
        languages: config.languages,
      }),
    )
  } finally {
    db.close()
  }
}

/** The first SIGTERM or SIGINT lets running requests finish, the second ends at once. */
function stopOnSignals(app: { close(): Promise<unknown> }) {
  let stopping = false
  const stop = () => {
    if (stopping) process.exit(1)
    stopping = true
    void app.close().then(() => process.exit(0))
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
}
