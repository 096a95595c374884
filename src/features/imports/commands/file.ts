import { createReadStream, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Status } from '../../../../schemas/common.ts'
import type { DateOrder } from '../../../../schemas/imports.ts'
import { openBodies } from '../../../calendar/bodies.ts'
import { openMediaFolder } from '../../../calendar/media/folder.ts'
import { storeSettings } from '../../../calendar/settings.ts'
import { table, withBar } from '../../../kernel/cli.ts'
import { peekStoredSettings } from '../../../kernel/database/stored-settings.ts'
import { fail, many, operatorOf, quiet, tell } from '../../../kernel/shell.ts'
import { finish } from '../../../kernel/tasks/scheduler.ts'
import { readZone } from '../../../kernel/time/dates.ts'
import { LINES, PICTURES } from '../../exports/export.ts'
import type { Tools } from '../../host.ts'
import { importEvents } from '../files/import.ts'
import { type Head, importLines, openPictureFolder, readHead } from '../files/jsonl.ts'
import type { Entry, Report } from '../files/report.ts'
import { decode } from '../files/text.ts'
import { findOwner, picturesOf, writerOf } from './context.ts'

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
export async function importFile(shell: Tools, file: string, options: FileOptions) {
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

async function importTable(shell: Tools, file: string, form: 'ics' | 'csv', options: FileOptions) {
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
  const config = shell.config()
  const share = shell.openShare(config)
  const text = finish(decode(readFileSync(file)))
  const zone = timezone === undefined ? undefined : readZone(timezone)
  if (timezone !== undefined && zone === undefined)
    throw fail(`"${timezone}" is no time zone such as Europe/Madrid`)
  try {
    await shell.withStore(async (store) => {
      const writer = await writerOf(shell, store, { author, language })
      const pictures = picturesOf(store, config, share)
      const read = openBodies(store.site.languages)
      const report = await withBar(quiet(shell, json), 'Importing', (progress) =>
        importEvents(store, text, {
          form,
          media,
          zone,
          read,
          pictures,
          writer,
          source,
          status,
          order,
          dry: dryRun,
          progress,
          file: basename(file),
        }),
      )
      conclude(shell, report, { dryRun, json })
    })
  } finally {
    share?.close()
  }
}

/** Tells what came; fails if something could not be imported. */
function conclude(
  shell: Tools,
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

/** Records that are told one by one in each part. */
const SHOWN = 50

/** What may become of a record, in the words of its column. */
const OUTCOMES = {
  added: 'added',
  updated: 'updated',
  unchanged: 'same as here',
  present: 'left alone',
  refused: 'refused',
} satisfies Record<Entry['outcome'], string>
const names = Object.keys(OUTCOMES) as Entry['outcome'][]

/** What properties and components hold that have no place here. */
const PARTS: Record<string, string> = {
  ATTACH: 'attached files',
  ATTENDEE: 'guests',
  GEO: 'coordinates',
  PRIORITY: 'priorities',
  TRANSP: 'free or busy',
  VALARM: 'reminders',
}

const entryText = ({ line, kind, name, reason, remarks }: Entry) =>
  `  line ${line}, ${kind} ${name || '(no title)'}: ${[...(reason === undefined ? [] : [reason]), ...remarks].join('; ')}`

/** Records that are told, under a title. */
function section(title: string, entries: Entry[]): string[] {
  if (entries.length === 0) return []
  const rest = entries.length > SHOWN ? [`  and ${entries.length - SHOWN} more`] : []
  return [title, ...entries.slice(0, SHOWN).map(entryText), ...rest]
}

/** What became of a file, in words: what could not be imported, and apart from it what was left alone, or taken in another way than it stands there. */
export function reportWords(
  { counts, told: entries, troubles, left_out = {} }: Report,
  dry: boolean,
): string {
  const rows = Object.entries(counts)
    .filter(([kind, of]) => kind !== 'line' || of.refused > 0)
    .map(([kind, of]) => [kind, ...names.map((name) => String(of[name]))])
  const lost = Object.entries(left_out).map(
    ([name, count]) => `${PARTS[name] === undefined ? name : `${PARTS[name]} (${name})`} ${count}`,
  )
  const of = (...outcomes: Entry['outcome'][]) => entries.filter(({ outcome }) => outcomes.includes(outcome))
  const remarks = of('present')
    .filter(({ kind }) => kind === 'line')
    .flatMap((entry) => entry.remarks)
  const unnamed = troubles - entries.length
  const head = dry ? 'This would come:' : 'This came:'
  return [
    ...(rows.length === 0
      ? ['Nothing came: no event of the file has a date, and there is no other record.']
      : [head, table([['', ...Object.values(OUTCOMES)], ...rows])]),
    ...remarks.map((remark) => `Of the whole file: ${remark}`),
    ...section('Could not be taken:', of('refused')),
    ...section(
      'Left alone:',
      of('present').filter(({ kind }) => kind !== 'line'),
    ),
    ...section('Taken, with remarks:', of('added', 'updated', 'unchanged')),
    ...(unnamed > 0 ? [`And ${unnamed} more that are not named here.`] : []),
    ...(lost.length > 0 ? [`Left out, as it is not kept here: ${lost.join(', ')}`] : []),
    ...(!dry && of('refused').length > 0
      ? ['Correct in the file what could not be taken, and import it again: what was taken is not doubled.']
      : []),
  ].join('\n')
}

/** How an import is taken back that made something. */
export const undoWords = (run: number, created: number) =>
  run > 0 && created > 0 ? [`almanac import --undo ${run} takes back what this import made.`] : []
