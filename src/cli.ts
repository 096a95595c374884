import cluster from 'node:cluster'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Command, CommanderError } from 'commander'
import { buildApp } from './app.ts'
import { addBackupCommands } from './commands/backup.ts'
import { addCheckCommands } from './commands/check.ts'
import { addConfigCommand } from './commands/config.ts'
import { addMigrateCommand } from './commands/prepare.ts'
import { openTools } from './commands/tools.ts'
import { readConfig } from './config.ts'
import { FEATURES } from './features.ts'
import { explainFailure } from './kernel/cli.ts'
import { lockDatabase } from './kernel/database/file.ts'
import { buildDocument, downgrade, print } from './kernel/openapi/document.ts'
import { prefixOf } from './kernel/server/mounts.ts'
import type { Shell } from './kernel/shell.ts'
import { VERSION } from './package.ts'
import { keepServing, stopOnSignals } from './run/serve.ts'
import { serveByWorkers } from './run/workers.ts'

/** Runs one command and returns the exit code: 0 success, 1 failure, 2 wrong usage. A server that it started keeps running. */
export async function run(args: string[], shell: Shell): Promise<number> {
  const program = buildProgram(shell)
  try {
    await program.parseAsync(args.length === 0 ? [DEFAULT] : args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const told = explainFailure(error, shell.env.METRICS_PORT)
    shell.complain(told ? `almanac: ${told}\n` : `${(error as Error).stack}\n`)
    return 1
  }
}

/** The command without arguments. It is not a default of commander, which would take an unknown command as its argument. */
const DEFAULT = 'serve'

function buildProgram(shell: Shell): Command {
  const program = new Command('almanac')
    .description(
      'Almanac, an event calendar REST service. It is configured by environment variables; see docs/reference/settings.md.',
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('`almanac --help` lists the commands, `almanac <command> --help` explains one.')
    .configureOutput({ writeOut: shell.print, writeErr: shell.complain })

  program
    .command(DEFAULT)
    .description('start the service (the default)')
    .action(async () => {
      const config = readConfig(shell.env)
      if (cluster.isPrimary) await lockDatabase(config, shell)
      if (config.workers > 1) return serveByWorkers(config, shell)
      // whoever is told that it answers may end it from then on
      await keepServing(config, shell, ({ log, stop }) => stopOnSignals(log, stop))
    })

  addOpenApiCommand(program.command('openapi'), shell)
  addMigrateCommand(program, shell)
  addCheckCommands(program, shell)
  addBackupCommands(program, shell)
  addConfigCommand(program.command('config'), shell)
  const tools = openTools(shell)
  for (const { addCommands } of FEATURES) addCommands?.(program, tools)

  return program
}

type DocumentOptions = { older?: boolean; output?: string }

/** `openapi`: prints the document. */
function addOpenApiCommand(command: Command, shell: Shell) {
  command
    .description('print the OpenAPI document')
    .option('--older', 'print OpenAPI 3.0.3 instead of 3.1')
    .option('--output <file>', 'write to this file')
    .action(async ({ older, output }: DocumentOptions) => {
      const config = readConfig({ ...shell.env, DATABASE: ':memory:', MEDIA_DIR: tmpdir() })
      const app = await buildApp({ config })
      const document = buildDocument(app, `${prefixOf(config.baseUrl)}/${config.namespace}`)
      await app.close()
      const text = print(older ? downgrade(document) : document).toString()
      if (output) await writeFile(output, text)
      else shell.print(text)
    })
}
