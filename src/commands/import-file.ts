import { createReadStream, readFileSync, statSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Command, Option } from 'commander'
import { STATUSES, type Status } from '../../schemas/common.ts'
import { readConfig } from '../config.ts'
import { openBodies } from '../http/input/bodies.ts'
import { importEvents } from '../imports/files/events.ts'
import { type Head, importLines, readHead } from '../imports/files/lines.ts'
import { openPictureFolder } from '../imports/files/pictures.ts'
import type { Report } from '../imports/files/report.ts'
import { decode } from '../imports/files/text.ts'
import { openPictures } from '../media/pictures.ts'
import { VERSION } from '../package.ts'
import { readZone } from '../rules/time/dates.ts'
import { keep } from '../store/check/settings.ts'
import { openShare } from '../store/open.ts'
import { peekStoredSettings } from '../store/sqlite/stored-settings.ts'
import type { Store, User } from '../store/store.ts'
import { openMediaFolder } from '../support/media-folder.ts'
import { many, quiet } from './database.ts'
import { LINES, PICTURES } from './export.ts'
import { withBar } from './terminal/progress.ts'
import { reportWords } from './terminal/report.ts'
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

type Options = {
  format?: 'jsonl' | 'ics' | 'csv'
  author?: string
  source?: string
  language?: string
  timezone?: string
  status?: Status
  media: boolean
  dryRun?: boolean
  json?: boolean
}

/** `import-file`: records from an export, or events from iCalendar or CSV. */
export function addImportFileCommand(command: Command, shell: Shell) {
  command
    .description(
      'take records from an export of Almanac (a folder or its file), or events from iCalendar or CSV',
    )
    .argument('<file>')
    .addOption(
      new Option('--format <format>', 'what the file is; default: by its ending').choices([
        'jsonl',
        'ics',
        'csv',
      ]),
    )
    .option('--author <login>', 'who owns what has no owner here; default: the first administrator')
    .option('--source <name>', 'of ics and csv: the name under which their IDs are kept; default: the format')
    .option('--language <code>', 'of ics and csv: language of the events; default: the first of LANGUAGES')
    .option('--timezone <zone>', 'of ics and csv: zone of times that have none; default: TIMEZONE')
    .addOption(
      new Option('--status <status>', 'of ics and csv: status of new events').choices(
        STATUSES.filter((status) => status !== 'trash'),
      ),
    )
    .option('--no-media', 'of ics and csv: do not download pictures')
    .option('--dry-run', 'only tell what would come')
    .option('--json', 'print JSON')
    .action((file: string, options: Options) => {
      const isFolder = statSync(file).isDirectory()
      const path = isFolder ? join(file, LINES) : file
      const form = options.format ?? formOf(path)
      return form === 'jsonl' ? importExport(shell, path, options) : importTable(shell, path, form, options)
    })
}

/** What a file is by its ending. */
function formOf(file: string): 'jsonl' | 'ics' | 'csv' {
  const ending = extname(file).slice(1).toLowerCase()
  if (ending === 'jsonl' || ending === 'ics' || ending === 'csv') return ending
  throw fail(`${file}: say what it is with --format jsonl, ics or csv`)
}

async function importExport(shell: Shell, file: string, { author, dryRun = false, json }: Options) {
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
        const by = { ...operatorOf(shell), ...(owner && { caller }) }
        const report = await withBar(quiet(shell, json), 'Importing', (progress) =>
          importLines(store, linesOf(file), { caller, by, dry: dryRun, users: true, files, progress }),
        )
        conclude(shell, report, { dryRun, json })
      },
      dryRun ? 'refuse' : 'create',
    )
  } finally {
    share?.close()
  }
}

async function importTable(shell: Shell, file: string, form: 'ics' | 'csv', options: Options) {
  const { author, source = form, language, timezone, status, media, dryRun = false, json } = options
  const config = readConfig(shell.env)
  const share = openShare(config)
  const text = decode(readFileSync(file))
  const zone = timezone === undefined ? undefined : readZone(timezone)
  if (timezone !== undefined && zone === undefined)
    throw fail(`"${timezone}" is no time zone such as Europe/Madrid`)
  try {
    await withStore(shell, async (store) => {
      const { languages } = store.site
      if (language !== undefined && !languages.includes(language))
        throw fail(`"${language}" is none of the languages of this calendar: ${languages.join(', ')}`)
      const owner = await ownerIn(store, author)
      if (!owner)
        throw fail(
          'there is no administrator who could own the events; add one: almanac user add <login> --role administrator',
        )
      const { id, role } = owner
      const pictures = openPictures(store.media, {
        ...{
          folder: openMediaFolder(resolve(config.mediaDir), share),
          base: config.baseUrl,
          clock: store.site.clock,
        },
        download: { allow: config.downloadAllow, userAgent: `Almanac/${VERSION}` },
      })
      const writer = { caller: { id, role }, by: operatorOf(shell), language: language ?? languages[0]! }
      const read = openBodies(languages)
      const report = await withBar(quiet(shell, json), 'Importing', (progress) =>
        importEvents(store, text, {
          ...{ form, media, zone, read, pictures, writer, source, status, dry: dryRun, progress },
        }),
      )
      conclude(shell, report, { dryRun, json })
    })
  } finally {
    share?.close()
  }
}

/** Tells what came; fails if something could not be taken. */
function conclude(
  shell: Shell,
  report: Report,
  { dryRun, json }: { dryRun: boolean; json: boolean | undefined },
) {
  tell(shell, json, { dry_run: dryRun, ...report }, reportWords(report, dryRun))
  const refused = Object.values(report.counts).reduce((sum, counts) => sum + counts.refused, 0)
  if (refused > 0 && !dryRun) throw fail(`${many(refused, 'record')} could not be taken`)
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
