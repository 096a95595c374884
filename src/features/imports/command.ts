import { createReadStream, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { STATUSES, type Status } from '../../../schemas/common.ts'
import { DATE_ORDERS, type DateOrder } from '../../../schemas/imports.ts'
import type { Config } from '../../calendar/config.ts'
import { openMediaFolder } from '../../calendar/media/folder.ts'
import { openPictures, type Pictures } from '../../calendar/media/pictures.ts'
import { storeSettings } from '../../calendar/settings.ts'
import type { Store, User, Writer } from '../../calendar/store.ts'
import { interruptible, withBar } from '../../kernel/cli.ts'
import { peekStoredSettings } from '../../kernel/database/stored-settings.ts'
import { fail, many, operatorOf, quiet, tell } from '../../kernel/shell.ts'
import { finish } from '../../kernel/tasks/scheduler.ts'
import { readZone } from '../../kernel/time/dates.ts'
import { LINES, PICTURES } from '../exports/export.ts'
import type { Tools } from '../host.ts'
import { discover, importFeed } from './feeds/feed-import.ts'
import { decode, importEvents } from './files/event-files.ts'
import type { Report } from './files/items.ts'
import { type Head, importLines, openPictureFolder, readHead } from './files/jsonl.ts'
import { firstAdministrator } from './mirror/mirror.ts'
import { undoImport } from './removals.ts'
import {
  countOf,
  countsText,
  feedWords,
  reportWords,
  runsTable,
  siteWords,
  undoneWords,
  undoWords,
} from './report-text.ts'
import { webAddress } from './settings.ts'
import { importCalendar, type SiteImportOptions } from './site/site-import.ts'
import { readRoot } from './site/source.ts'
import { authorizationFor, openWeb, USER_AGENT, webTo } from './site/web.ts'

const IS_ADDRESS = /^(https?|webcals?):\/\//i
/** The options that one of both kinds of sources alone has, by their names in the result of commander. */
const OF_FILES = ['format', 'source', 'timezone', 'dateOrder', 'status']
const OF_SITES = ['credentials', 'series', 'keep', 'force']

/** `import`: imports the records of another calendar, or of a file. */
export function addImportCommand(command: Command, shell: Tools) {
  command
    .description(
      'take the records of another calendar by its API, the events of a feed, an export of Almanac, or events from iCalendar or CSV; also while the service runs',
    )
    .argument(
      '[source]',
      'the URL of an API, such as https://old.example/wp-json/tribe/events/v1, of a site, or of a feed of iCalendar, RSS or Atom; a folder or a file',
    )
    .option(
      '--undo <run>',
      'instead: take back what an import made, but for what was edited here since',
      readRun,
    )
    .option('--dry-run', 'only tell what would come')
    .option('--author <login>', 'user who owns what is imported; default: the first administrator')
    .option(
      '--language <code>',
      'language of records that do not tell theirs; default: the first of LANGUAGES',
    )
    .option('--no-media', 'do not download pictures')
    .option('--json', 'print JSON')
    .option('--credentials <file>', 'of a site: file with login:password or a token for it')
    .option('--series', 'of a site: make series of events that look like dates of one')
    .option('--keep', 'of a site: leave what is gone there')
    .option('--force', 'of a site: move what is gone there to the trash even if that is much')
    .addOption(
      new Option('--format <format>', 'of a file: what it is; default: by its ending').choices([
        'jsonl',
        'ics',
        'csv',
      ]),
    )
    .option('--source <name>', 'of ics and csv: the name under which their IDs are kept; default: the format')
    .option('--timezone <zone>', 'of ics and csv: zone of times that have none; default: TIMEZONE')
    .addOption(
      new Option(
        '--date-order <order>',
        'of csv: whether the day or the month of 05/06/2027 is first; default: as the dates tell',
      ).choices(DATE_ORDERS),
    )
    .addOption(
      new Option('--status <status>', 'of ics and csv: status of new events').choices(
        STATUSES.filter((status) => status !== 'trash'),
      ),
    )
    .action(async (source: string | undefined, options: SiteOptions & FileOptions & { undo?: number }) => {
      if (options.undo !== undefined && source === undefined) return undo(shell, options.undo, options.json)
      if (options.undo !== undefined) throw fail('--undo takes the number of an import, and no source')
      if (source === undefined)
        throw fail('name what to import: the address of a calendar, a folder or a file')
      const isSite = IS_ADDRESS.test(source)
      const given = (isSite ? OF_FILES : OF_SITES).find((name) => name in options)
      const other = given?.replace(/[A-Z]/g, (sign) => `-${sign.toLowerCase()}`)
      if (other !== undefined)
        throw fail(
          isSite
            ? `--${other} is for files, and ${source} is a site`
            : `--${other} is for sites, whose addresses begin with https://, and ${source} is none`,
        )
      return isSite ? importSite(shell, source, options) : importFile(shell, source, options)
    })
}

/** The number of an import, as the command line has it. */
function readRun(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('must be the number of an import, which `almanac imports` lists.')
}

/** `imports`: what was imported, the latest first. */
export function addImportsCommand(command: Command, shell: Tools) {
  command
    .description('list the imports, the latest first; `import --undo <run>` takes one back')
    .option('--limit <number>', 'greatest number of imports', readRun, 50)
    .option('--json', 'print JSON')
    .action(({ limit, json }: { limit: number; json?: boolean }) =>
      shell.withStore(async ({ imports }) => {
        const { rows, total } = await imports.runs({ page: 1, per_page: limit })
        tell(shell, json, { total, imports: rows }, runsTable(rows))
      }),
    )
}

/** As whom an import writes: a user or else the first administrator, and the language of what tells none. Throws if there is none of them. */
async function writerOf(
  shell: Tools,
  store: Store,
  { author, language }: { author?: string | undefined; language?: string | undefined },
): Promise<Writer & { caller: Pick<User, 'id' | 'role'> }> {
  const { languages } = store.site
  if (language !== undefined && !languages.includes(language))
    throw fail(`"${language}" is none of the languages of this calendar: ${languages.join(', ')}`)
  const owner = await findOwner(shell, store, author)
  if (!owner)
    throw fail(
      'there is no administrator who could own the records; add one: almanac user add <login> --role administrator',
    )
  const { id, role } = owner
  return { caller: { id, role }, by: operatorOf(shell), language: language ?? languages[0]! }
}

/** The user of that login, else the first administrator; undefined if there is none yet. Throws if nobody has the login. */
const findOwner = async (shell: Tools, store: Store, login: string | undefined): Promise<User | undefined> =>
  login === undefined ? firstAdministrator(store) : shell.mustFind(store, login)

/** Opens the calendar with what an import into it works with. */
async function withCalendar(
  shell: Tools,
  as: Parameters<typeof writerOf>[2],
  work: (calendar: {
    store: Store
    config: Config
    writer: Awaited<ReturnType<typeof writerOf>>
    pictures: Pictures
  }) => Promise<void>,
) {
  const config = shell.config()
  const share = shell.openShare(config)
  try {
    await shell.withStore(async (store) => {
      const writer = await writerOf(shell, store, as)
      const pictures = openPictures(store.media, {
        folder: openMediaFolder(resolve(config.mediaDir), share),
        base: config.baseUrl,
        clock: Date.now,
        download: { allow: config.downloadAllow, userAgent: USER_AGENT },
      })
      await work({ store, config, writer, pictures })
    })
  } finally {
    share?.close()
  }
}

/** Takes back what an import made, and tells what stays. */
const undo = (shell: Tools, run: number, json: boolean | undefined) =>
  shell.withStore(async (store) => {
    const undone = await undoImport(store, await writerOf(shell, store, {}), run)
    if (undone === undefined) throw fail(`there is no import ${run}; \`almanac imports\` lists them`)
    tell(shell, json, undone, undoneWords(undone))
  })

type FileOptions = {
  format?: 'jsonl' | 'ics' | 'csv'
  author?: string
  source?: string
  language?: string
  timezone?: string
  dateOrder?: DateOrder
  status?: Status
  media: boolean
  dryRun?: boolean
  json?: boolean
}

/** Imports an export of Almanac, which is a folder or its file, or events from iCalendar or CSV. */
async function importFile(shell: Tools, file: string, options: FileOptions) {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) throw fail(`${file}: there is no such file or folder`)
  const path = found.isDirectory() ? join(file, LINES) : file
  const form = options.format ?? formOf(path)
  return form === 'jsonl' ? importExport(shell, path, options) : importTable(shell, path, form, options)
}

/** What a file is by its ending. */
function formOf(file: string): 'jsonl' | 'ics' | 'csv' {
  const ending = extname(file).slice(1).toLowerCase()
  if (ending === 'jsonl' || ending === 'ics' || ending === 'csv') return ending
  throw fail(`${file}: say what it is with --format jsonl, ics or csv`)
}

async function importExport(shell: Tools, file: string, { author, dryRun = false, json }: FileOptions) {
  const config = shell.config()
  const share = shell.openShare(config)
  try {
    const env = { ...shell.env, ...(await settingsFrom(shell, file)) }
    await shell.inEnvironment(env).withStore(
      async (store) => {
        const { db, site } = store
        const owner = await findOwner(shell, store, author)
        if (!dryRun)
          await storeSettings(db, {
            timezone: site.zone,
            languages: [...site.languages],
            currency: site.currency,
          })
        const caller = { id: owner?.id ?? 0, role: 'administrator' as const }
        const folder = openMediaFolder(resolve(config.mediaDir), share)
        const files = openPictureFolder(join(dirname(file), PICTURES), store.media, folder)
        const by = { ...operatorOf(shell), ...(owner && { caller }) }
        const report = await withBar(quiet(shell, json), 'Importing', (progress) =>
          importLines(store, linesOf(file), { caller, by, dry: dryRun, users: true, files, progress }),
        )
        if (!dryRun) await store.audit.note(by, 'data_imported', undefined, { from: resolve(file) })
        conclude(shell, report, { dryRun, json })
      },
      dryRun ? 'refuse' : 'create',
    )
  } finally {
    share?.close()
  }
}

function importTable(shell: Tools, path: string, form: 'ics' | 'csv', options: FileOptions) {
  const { source = form, timezone, dateOrder: order, status, media, dryRun = false, json } = options
  const zone = timezone === undefined ? undefined : readZone(timezone)
  if (timezone !== undefined && zone === undefined)
    throw fail(`"${timezone}" is no time zone such as Europe/Madrid`)
  const text = finish(decode(readFileSync(path)))
  return withCalendar(shell, options, async ({ store, writer, pictures }) => {
    const how = { form, media, zone, pictures, writer, source, status, order, file: basename(path) }
    const report = await withBar(quiet(shell, json), 'Importing', (progress) =>
      importEvents(store, text, { ...how, dry: dryRun, progress }),
    )
    conclude(shell, report, { dryRun, json })
  })
}

/** Tells what came; fails if something could not be imported. */
function conclude(
  shell: Tools,
  report: Report & { run?: number },
  { dryRun, json }: { dryRun: boolean; json: boolean | undefined },
) {
  const lines = [reportWords(report, dryRun), ...undoWords(report.run ?? 0, countOf(report, 'added'))]
  tell(shell, json, { dry_run: dryRun, ...report }, lines.join('\n'))
  const refused = countOf(report, 'refused')
  if (refused > 0 && !dryRun) throw fail(`${many(refused, 'record')} could not be taken`)
}

const linesOf = (file: string) =>
  createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })

/** The settings of the calendar that an export is of, for a database that has no records yet, as far as the environment names none. */
async function settingsFrom(shell: Tools, file: string): Promise<Record<string, string>> {
  const head = await headOf(file)
  const config = shell.config()
  if (config.postgres !== undefined) await shell.mustBeReady(config)
  if (!shell.isMissing(config) && peekStoredSettings(config.database)?.held) return {}
  const { timezone: TIMEZONE, languages, currency: CURRENCY } = head
  const own = Object.entries({ TIMEZONE, LANGUAGES: languages.join(','), CURRENCY })
  return Object.fromEntries(own.filter(([name]) => !config.given.includes(name)))
}

async function headOf(file: string): Promise<Head> {
  const lines = linesOf(file)
  for await (const line of lines) return readHead(line)
  return readHead('')
}

type SiteOptions = SiteImportOptions & { credentials?: string; author?: string; json?: boolean }

/** Imports the calendar or the feed at an address. */
function importSite(shell: Tools, url: string, { credentials, author, json, ...options }: SiteOptions) {
  const address = webAddress(url)
  readRoot(address)
  const authorization =
    credentials === undefined ? undefined : authorizationFor(readFileSync(credentials, 'utf8'), credentials)
  return withCalendar(
    shell,
    { author, language: options.language },
    async ({ store, config, writer, pictures }) => {
      const { role } = writer.caller
      if (!['editor', 'administrator'].includes(role))
        throw fail(
          `${author} has the role ${role}; who owns what is imported has to be an editor or an administrator`,
        )
      const from = { store, writer, pictures }
      const report = await interruptible((signal) =>
        withBar(quiet(shell, json), 'Importing', async (progress) => {
          const web = {
            ...webTo(new URL(address).host, config.downloadAllow, Date.now, authorization),
            signal,
          }
          const feed = { address: address.replace(/#.*$/, ''), shown: url }
          const found = await discover(openWeb(web), feed)
          if (typeof found === 'object' && options.series)
            throw fail(`--series is for sites, and ${url} is a feed, whose rules become series anyway`)
          if (typeof found === 'object')
            return importFeed({ ...from, signal, progress, ...feed }, found.text, options)
          const tell = (done: number, total: number, counts: Record<string, number>) =>
            progress(done, total, `, ${countsText(counts)}`)
          return importCalendar({ ...from, web, root: found, progress: tell }, options)
        }),
      )
      if ('told' in report) {
        const { dryRun = false } = options
        tell(shell, json, { dry_run: dryRun, ...report }, feedWords(report, dryRun))
      } else tell(shell, json, report, siteWords(report))
    },
  )
}
