import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../calendar/config.ts'
import {
  backupFolder,
  copyPictures,
  missingText,
  mustHavePictures,
  picturesOf,
} from '../calendar/media/folder.ts'
import { conflictOf } from '../calendar/settings.ts'
import { readConfig } from '../config.ts'
import { openDatabase, sharedAt } from '../database.ts'
import { withBar } from '../kernel/cli.ts'
import { backup, type Contents, restore } from '../kernel/database/backup.ts'
import { peekStoredSettings } from '../kernel/database/stored-settings.ts'
import { redacted } from '../kernel/settings.ts'
import { fail, many, quiet, type Shell, tell } from '../kernel/shell.ts'
import { mustBeReady, noteIn } from './tools.ts'

type Options = { force?: boolean; allowMissing?: boolean; json?: boolean }

const ALLOW = 'go on although files of pictures are missing'

/** `backup` and `restore`. */
export function addBackupCommands(program: Command, shell: Shell) {
  program
    .command('backup')
    .description(
      'copy the database to a file, also while the service runs; of a node with its pictures, to `media` beside the file',
    )
    .argument('<file>')
    .option('--force', 'overwrite the file')
    .option('--allow-missing', ALLOW)
    .option('--json', 'print JSON')
    .action(async (file: string, options: Options) => {
      const config = readConfig(shell.env)
      await mustBeReady(shell, config)
      return config.postgres === undefined
        ? backUpFile(shell, config, file, options)
        : backUpNode(shell, { ...config, postgres: config.postgres }, file, options)
    })
  program
    .command('restore')
    .description('replace the database with a backup and its pictures; stop the service first')
    .argument('<file>')
    .option('--force', 'overwrite the database that the last restore kept')
    .option('--allow-missing', ALLOW)
    .option('--json', 'print JSON')
    .action((file: string, options: Options) => restoreFile(shell, file, options))
}

const copyTo = (shell: Shell, { database }: Config, file: string, { json, ...options }: Options) =>
  withBar(quiet(shell, json), 'Backing up', (progress) => backup(database, file, { ...options, progress }))

const note = (shell: Shell, { database, postgres }: Config, file: string, { bytes }: Contents) =>
  noteIn(shell, { url: postgres, file: database }, 'data_exported', {
    ...{ command: 'backup', to: resolve(file), bytes },
  })

async function backUpFile(shell: Shell, config: Config, file: string, options: Options) {
  const contents = await copyTo(shell, config, file, options)
  await note(shell, config, file, contents)
  const told = `${file} holds ${holds(contents)} and was verified.\nImages are not included. Copy them now:\n  rsync -a ${resolve(config.mediaDir)}/ <folder>/`
  tell(shell, options.json, { file: resolve(file), ...contents }, told)
}

/** A node has in its folder only what it was asked for: all pictures come from PostgreSQL, as they are before the copy is made. */
async function backUpNode(
  shell: Shell,
  config: Config & { postgres: string },
  file: string,
  options: Options,
) {
  await bringUpToDate(shell, config)
  const pictures = await sharedAt(config.postgres).openPictures(config.postgres)
  let contents: Contents | undefined
  try {
    contents = await copyTo(shell, config, file, options)
    const folder = backupFolder(resolve(file))
    const { files, missing } = await withBar(quiet(shell, options.json), 'Copying pictures', (progress) =>
      pictures.bring({ names: picturesOf(file), folder, mediaDir: resolve(config.mediaDir) }, progress),
    )
    const record = { file: resolve(file), ...contents, media: folder, files, missing: missing.length }
    const told = `${file} holds ${holds(contents)} and was verified.\n${many(files, 'file')} of its pictures ${files === 1 ? 'is' : 'are'} in ${folder}.`
    tell(shell, options.json, record, told)
    if (missing.length > 0 && !options.allowMissing) throw fail(notWhole(missing, config))
  } finally {
    pictures.close()
    if (contents) await note(shell, config, file, contents) // also of a backup that lacks pictures
  }
}

const notWhole = (missing: string[], { mediaDir }: Config) =>
  `THE BACKUP IS NOT WHOLE: ${missingText(missing)} are neither in PostgreSQL nor in ${resolve(mediaDir)}; make it again when PostgreSQL answers, or accept it with --allow-missing`

/** A copy may be behind what the other nodes wrote: a backup has what there is when it begins. */
async function bringUpToDate(shell: Shell, config: Config) {
  const db = await openDatabase(config)
  const age = await db.fresh!()
  db.close()
  if (age > 0) shell.complain('almanac: PostgreSQL does not answer: the backup has what this node had last\n')
}

async function restoreFile(shell: Shell, file: string, { json, allowMissing, ...options }: Options) {
  const config = readConfig(shell.env)
  const { database, postgres, mediaDir } = config
  if (postgres !== undefined) throw fail(insteadOfRestore(postgres, file))
  const old = existsSync(database) ? `${database}.before-restore` : undefined
  let missing: string[] = []
  const verified = () => {
    const [from, to] = [backupFolder(resolve(file)), resolve(mediaDir)]
    missing = copyPictures(from, to, picturesOf(file))
    const where = `${to} and in ${from}`
    mustHavePictures(file, missing, { where, allowed: !!allowMissing, done: 'Nothing was restored' })
  }
  const contents = await withBar(quiet(shell, json), 'Restoring', (progress) =>
    restore(database, file, { ...options, progress, verified }),
  )
  const stored = peekStoredSettings(database)
  await noteIn(shell, { file: database }, 'data_restored', { from: resolve(file), bytes: contents.bytes })
  const lacks = missing.length > 0 ? `\n${missingText(missing)} are missing.` : ''
  const told = `${database} holds ${holds(contents)} and was verified.${old ? `\nThe previous database is ${old}.` : ''}${lacks}`
  const conflict = stored?.held && conflictOf(stored, config)
  const warned = conflict ? `\nThe service will not start on it: ${conflict}.` : ''
  const record = { database: resolve(database), before: old ?? '', ...contents, missing: missing.length }
  tell(shell, json, { ...record, conflict: conflict || '' }, told + warned)
}

const insteadOfRestore = (url: string, file: string) =>
  `restore replaces a database file, and here ${redacted(url)} keeps the truth for all nodes. Stop them, run ALTER SCHEMA almanac RENAME TO almanac_before there, and then: almanac move --from ${file} --to <URL>`

const holds = ({ events, venues, organizers, last_write_utc }: Contents) =>
  `${many(events, 'event')}, ${many(venues, 'venue')}, ${many(organizers, 'organizer')}${last_write_utc && `, last written at ${last_write_utc} UTC,`}`
