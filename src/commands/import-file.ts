import { createReadStream, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { type Head, importLines, readHead } from '../imports/files/lines.ts'
import { openPictureFolder } from '../imports/files/pictures.ts'
import type { Entry, Report } from '../imports/files/report.ts'
import { keep } from '../store/check/settings.ts'
import { openShare } from '../store/open.ts'
import { peekStoredSettings } from '../store/sqlite/stored-settings.ts'
import type { Store, User } from '../store/store.ts'
import { openMediaFolder } from '../support/media-folder.ts'
import { many, quiet } from './database.ts'
import { LINES, PICTURES } from './export.ts'
import { withBar } from './terminal/progress.ts'
import {
  fail,
  isMissing,
  mustBeReady,
  mustFind,
  operatorOf,
  type Shell,
  tell,
  withStore,
} from './terminal/shell.ts'
import { table } from './terminal/table.ts'

type Options = { author?: string; dryRun?: boolean; json?: boolean }

/** Records that are told one by one. */
const SHOWN = 50

/** `import-file`: records from a file. */
export function addImportFileCommand(command: Command, shell: Shell) {
  command
    .description('take records from an export of Almanac, a folder or its file')
    .argument('<file>')
    .option('--author <login>', 'who owns what has no owner here; default: the first administrator')
    .option('--dry-run', 'only tell what would come')
    .option('--json', 'print JSON')
    .action((file: string, options: Options) => importFile(shell, file, options))
}

async function importFile(shell: Shell, given: string, { author, dryRun = false, json }: Options) {
  const isFolder = statSync(given).isDirectory()
  const file = isFolder ? join(given, LINES) : given
  const config = readConfig(shell.env)
  const share = openShare(config)
  try {
    const env = { ...shell.env, ...(await settingsFrom(shell, file)) }
    await withStore(
      { ...shell, env },
      async (store) => {
        const { db, site } = store
        const owner = await ownerIn(store, author)
        if (!dryRun)
          await keep(db, { timezone: site.zone, languages: [...site.languages], currency: site.currency })
        const caller = { id: owner?.id ?? 0, role: 'administrator' as const }
        const folder = openMediaFolder(resolve(config.mediaDir), share)
        const files = openPictureFolder(join(dirname(file), PICTURES), store.media, folder)
        const report = await withBar(quiet(shell, json), 'Importing', (progress) =>
          importLines(store, linesOf(file), {
            ...{
              caller,
              by: { ...operatorOf(shell), ...(owner && { caller }) },
              dry: dryRun,
              users: true,
              files,
              progress,
            },
          }),
        )
        tell(shell, json, { dry_run: dryRun, ...report }, words(report, dryRun))
        const refused = Object.values(report.counts).reduce((sum, counts) => sum + counts.refused, 0)
        if (refused > 0 && !dryRun) throw fail(`${many(refused, 'record')} could not be taken`)
      },
      dryRun ? 'refuse' : 'create',
    )
  } finally {
    share?.close()
  }
}

const linesOf = (file: string) =>
  createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })

/** Who owns what has no owner here; undefined if there are no users yet. */
async function ownerIn(store: Store, login: string | undefined): Promise<User | undefined> {
  if (login !== undefined) return mustFind(store, login)
  const users = await store.users.list()
  return users.find(({ role, disabled }) => role === 'administrator' && !disabled)
}

/** The settings of the calendar that an export is of, for a database that has no records yet, as far as the environment names none. */
async function settingsFrom(shell: Shell, file: string): Promise<Record<string, string>> {
  const head = await headOf(file)
  const config = readConfig(shell.env)
  if (config.postgres !== undefined) await mustBeReady(shell, config)
  if (!isMissing(config) && peekStoredSettings(config.database)?.held) return {}
  const { timezone: TIMEZONE, languages, currency: CURRENCY } = head
  const own = Object.entries({ TIMEZONE, LANGUAGES: languages.join(','), CURRENCY })
  return Object.fromEntries(own.filter(([name]) => !config.given.includes(name)))
}

async function headOf(file: string): Promise<Head> {
  const lines = linesOf(file)
  for await (const line of lines) return readHead(line)
  return readHead('')
}

const told = ({ line, kind, name, reason, remarks }: Entry) =>
  `  line ${line}, ${kind} ${name}: ${[...(reason === undefined ? [] : [reason]), ...remarks].join('; ')}`

/** A report in words. */
function words({ counts, told: entries, troubles }: Report, dry: boolean): string {
  const names = ['added', 'updated', 'unchanged', 'present', 'refused'] as const
  const rows = Object.entries(counts).map(([kind, of]) => [kind, ...names.map((name) => String(of[name]))])
  const lines = entries.slice(0, SHOWN).map(told)
  const rest = troubles > SHOWN ? [`  and ${troubles - SHOWN} more`] : []
  const head = dry ? 'This would come:' : 'This came:'
  const trouble = troubles === 0 ? [] : ['Not all could be taken:', ...lines, ...rest]
  return [head, table([['', ...names], ...rows]), ...trouble].join('\n')
}
