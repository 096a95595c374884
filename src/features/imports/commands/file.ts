import { createReadStream, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Status } from '../../../../schemas/common.ts'
import type { DateOrder } from '../../../../schemas/imports.ts'
import { openBodies } from '../../../calendar/input/bodies.ts'
import { openMediaFolder } from '../../../calendar/media/folder.ts'
import { keep } from '../../../calendar/settings/settings.ts'
import { many, quiet } from '../../../commands/database.ts'
import {
  fail,
  isMissing,
  mustBeReady,
  operatorOf,
  type Shell,
  tell,
  withStore,
} from '../../../commands/shell.ts'
import { readConfig } from '../../../config.ts'
import { openShare } from '../../../database.ts'
import { withBar } from '../../../kernel/cli.ts'
import { peekStoredSettings } from '../../../kernel/database/stored-settings.ts'
import { finish } from '../../../kernel/tasks/scheduler.ts'
import { readZone } from '../../../kernel/time/dates.ts'
import { LINES, PICTURES } from '../../files/command.ts'
import { importEvents } from '../files/events.ts'
import { type Head, importLines, readHead } from '../files/lines.ts'
import { openPictureFolder } from '../files/pictures.ts'
import type { Report } from '../files/report.ts'
import { decode } from '../files/text.ts'
import { findOwner, picturesOf, writerOf } from './context.ts'
import { reportWords } from './report.ts'
import { undoWords } from './runs.ts'

export type FileOptions = {
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
export async function importFile(shell: Shell, file: string, options: FileOptions) {
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

async function importExport(shell: Shell, file: string, { author, dryRun = false, json }: FileOptions) {
  const config = readConfig(shell.env)
  const share = openShare(config)
  try {
    const env = { ...shell.env, ...(await settingsFrom(shell, file)) }
    await withStore(
      { ...shell, env },
      async (store) => {
        const { db, site } = store
        const owner = await findOwner(store, author)
        if (!dryRun)
          await keep(db, { timezone: site.zone, languages: [...site.languages], currency: site.currency })
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

async function importTable(shell: Shell, file: string, form: 'ics' | 'csv', options: FileOptions) {
  const {
    author,
    source = form,
    language,
    timezone,
    dateOrder: order,
    status,
    media,
    dryRun = false,
    json,
  } = options
  const config = readConfig(shell.env)
  const share = openShare(config)
  const text = finish(decode(readFileSync(file)))
  const zone = timezone === undefined ? undefined : readZone(timezone)
  if (timezone !== undefined && zone === undefined)
    throw fail(`"${timezone}" is no time zone such as Europe/Madrid`)
  try {
    await withStore(shell, async (store) => {
      const writer = await writerOf(shell, store, { author, language })
      const pictures = picturesOf(store, config, share)
      const read = openBodies(store.site.languages)
      const report = await withBar(quiet(shell, json), 'Importing', (progress) =>
        importEvents(store, text, {
          ...{ form, media, zone, read, pictures, writer, source, status, order, dry: dryRun, progress },
          file: basename(file),
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
  report: Report & { run?: number },
  { dryRun, json }: { dryRun: boolean; json: boolean | undefined },
) {
  const added = Object.values(report.counts).reduce((sum, counts) => sum + counts.added, 0)
  const lines = [reportWords(report, dryRun), ...undoWords(report.run ?? 0, added)]
  tell(shell, json, { dry_run: dryRun, ...report }, lines.join('\n'))
  const refused = Object.values(report.counts).reduce((sum, counts) => sum + counts.refused, 0)
  if (refused > 0 && !dryRun) throw fail(`${many(refused, 'record')} could not be taken`)
}

const linesOf = (file: string) =>
  createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })

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
