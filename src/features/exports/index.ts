import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { extend, LanguageSelector } from '../../../schemas/common.ts'
import type { EventQuery } from '../../../schemas/event-query.ts'
import { FeedQuery } from '../../../schemas/feed.ts'
import { openEventSelection } from '../../calendar/routes/event-query.ts'
import type { Store } from '../../calendar/store.ts'
import { withBar } from '../../kernel/cli.ts'
import { SHARED } from '../../kernel/database/file.ts'
import { refuse } from '../../kernel/errors.ts'
import { parseQuery, readQuery } from '../../kernel/input/query.ts'
import { fail, many, quiet, tell } from '../../kernel/shell.ts'
import type { Format } from '../feeds/formats/format.ts'
import { icalendar } from '../feeds/formats/icalendar.ts'
import type { ServiceFeature, Tools } from '../host.ts'
import { csv } from './csv.ts'
import { exists, exportEvents, exportLines, LINES, openCopying, PICTURES, writeWhole } from './export.ts'

/** Exports: everything that a calendar holds, or events, as files. */
export const exports: ServiceFeature = {
  name: 'exports',
  needs: ['feeds'],
  addCommands: (program, tools) => addExportCommand(program.command('export'), tools),
  async plugin() {},
}

type Options = {
  format: 'jsonl' | 'ics' | 'csv'
  where?: string
  force?: boolean
  media: boolean
  json?: boolean
}

/** `export`: everything as JSON Lines with the pictures beside it, or events as iCalendar or CSV. */
function addExportCommand(command: Command, shell: Tools) {
  command
    .description(
      'write everything to a folder, as JSON Lines with the pictures beside it; or events to a file',
    )
    .argument('[place]', 'a folder; of ics and csv a file, by default standard output')
    .addOption(
      new Option('--format <format>', 'events as iCalendar or CSV instead')
        .choices(['jsonl', 'ics', 'csv'])
        .default('jsonl'),
    )
    .option(
      '--where <query>',
      'of ics and csv: only events that this query of /events finds, such as "categories=music"',
    )
    .option('--force', 'overwrite what is there')
    .option('--no-media', 'leave the files of pictures out')
    .option('--json', 'print JSON')
    .action((place: string | undefined, options: Options) => {
      const { format, where } = options
      if (format !== 'jsonl') return exportSome(shell, place, format === 'ics' ? icalendar : csv, options)
      if (place === undefined) throw fail('name a folder, or write events as --format ics or csv')
      if (where !== undefined)
        throw fail('--where is for --format ics or csv; without it, everything is exported')
      return exportAll(shell, place, options)
    })
}

async function exportAll(shell: Tools, folder: string, { force, media, json }: Options) {
  const config = shell.config()
  const file = join(folder, LINES)
  if (!force && (await exists(file))) throw fail(`${file} exists; name another folder, or use --force`)
  const share = shell.openShare(config)
  const bring = openCopying(resolve(config.mediaDir), join(folder, PICTURES), share)
  try {
    await shell.withStore(async (store) => {
      await mkdir(folder, { recursive: true, mode: SHARED.folder })
      const picture = media ? (name: string) => bring(store, name) : async () => true
      const done = await withBar(quiet(shell, json), 'Exporting', (progress) =>
        writeWhole(file, (write) => exportLines(store, { write, picture }, progress)),
      )
      await shell.noteIn({ url: config.postgres, file: config.database }, 'data_exported', {
        command: 'export',
        to: resolve(file),
      })
      const { event, venue, organizer } = done.counts
      const held = `${many(event, 'event')}, ${many(venue, 'venue')}, ${many(organizer, 'organizer')}`
      const files = media ? `, and ${join(folder, PICTURES)} ${many(done.files, 'file')} of pictures` : ''
      const lost =
        done.missing.length > 0
          ? `\n${many(done.missing.length, 'file')} of pictures were not there: ${done.missing.slice(0, 5).join(', ')}`
          : ''
      tell(shell, json, { file: resolve(file), ...done }, `${file} holds ${held}${files}.${lost}`)
    })
  } finally {
    share?.close()
  }
}

/** The events that a query of the API finds for an administrator, without one all that are published. */
async function idsOf(store: Store, where: string | undefined): Promise<number[]> {
  const given = parseQuery(where ?? 'when=all')
  const schema = extend(FeedQuery, LanguageSelector(store.site.languages))
  const { value, problems } = readQuery(schema, given)
  const unknown = Object.keys(given).filter((name) => !(name in schema.properties))
  refuse({ ...problems, ...Object.fromEntries(unknown.map((name) => [name, 'is no filter of events.'])) })
  value.status ??= ['publish']
  const language = value.i18n_language as string | undefined
  const select = openEventSelection({ store, site: store.site })
  const { selection } = await select(value as EventQuery, { caller: ADMINISTRATOR, given, language })
  return (await store.lists.list(selection, { page: 1, per_page: Number.MAX_SAFE_INTEGER })).ids
}
/** Who runs a command sees everything. */
const ADMINISTRATOR = { id: 0, role: 'administrator' as const }

async function exportSome(
  shell: Tools,
  file: string | undefined,
  format: Format,
  { where, force, json }: Options,
) {
  const config = shell.config()
  if (file !== undefined && !force && (await exists(file)))
    throw fail(`${file} exists; name another file, or use --force`)
  await shell.withStore(async (store) => {
    const ids = await idsOf(store, where)
    const title = store.settings.chosen().name ?? config.siteName
    const print = (write: (text: string) => unknown) =>
      exportEvents(store, { base: config.baseUrl, title, caller: ADMINISTRATOR }, format, ids, write)
    if (file === undefined) return print(shell.print)
    await writeWhole(file, print)
    await shell.noteIn({ url: config.postgres, file: config.database }, 'data_exported', {
      command: 'export',
      to: resolve(file),
      where,
    })
    tell(
      shell,
      json,
      { file: resolve(file), events: ids.length },
      `${file} holds ${many(ids.length, 'event')}.`,
    )
  })
}
