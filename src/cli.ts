import cluster from 'node:cluster'
import { Command, CommanderError } from 'commander'
import { addBackupCommands } from './commands/backup.ts'
import { addConfigCommand } from './commands/config.ts'
import { addDatabaseCommands } from './commands/database.ts'
import { addOpenApiCommand } from './commands/openapi.ts'
import type { Shell } from './commands/shell.ts'
import { readConfig } from './config.ts'
import { addAuditCommand } from './features/audit/command.ts'
import { addExportCommand } from './features/files/command.ts'
import { addImportCommand } from './features/imports/commands/import.ts'
import { addImportsCommand } from './features/imports/commands/runs.ts'
import { addMoveCommand } from './features/nodes/commands/move.ts'
import { addNodesCommand } from './features/nodes/commands/nodes.ts'
import { addWordsCommand } from './features/pages/command.ts'
import { addTokenCommands } from './features/people/commands/tokens.ts'
import { addUserCommands } from './features/people/commands/users.ts'
import { explainFailure } from './kernel/cli.ts'
import { lockDatabase } from './kernel/database/lock.ts'
import { VERSION } from './package.ts'
import { guard, keepServing } from './run/serve.ts'
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
      await keepServing(config, shell, ({ log, stop }) => guard(log, stop))
    })

  addUserCommands(program.command('user').description('manage users'), shell)
  addTokenCommands(program.command('token').description('manage Bearer tokens'), shell)

  addOpenApiCommand(program.command('openapi'), shell)
  addWordsCommand(program.command('words'), shell)

  addDatabaseCommands(program, shell)
  addBackupCommands(program, shell)
  addNodesCommand(program, shell)
  addMoveCommand(program.command('move'), shell)
  addImportCommand(program.command('import'), shell)
  addImportsCommand(program.command('imports'), shell)
  addExportCommand(program.command('export'), shell)
  addConfigCommand(program.command('config'), shell)
  addAuditCommand(program.command('audit'), shell)

  return program
}
