import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { extend, LanguageSelector } from '../../../schemas/common.ts'
import { FeedQuery } from '../../../schemas/feed.ts'
import { openEventList } from '../../calendar/routes/event-list.ts'
import type { Store } from '../../calendar/store.ts'
import { many, quiet } from '../../commands/database.ts'
import { fail, type Shell, tell, withStore } from '../../commands/shell.ts'
import { readConfig } from '../../config.ts'
import { openShare } from '../../database.ts'
import { withBar } from '../../kernel/cli.ts'
import { SHARED } from '../../kernel/database/modes.ts'
import { refuse } from '../../kernel/errors.ts'
import { parseQuery, readQuery } from '../../kernel/input/query.ts'
import { noteIn } from '../audit/command.ts'
import type { Format } from '../feeds/formats/format.ts'
import { icalendar } from '../feeds/icalendar/icalendar.ts'
import { openRepeating } from '../feeds/repeating.ts'
import { csv } from './csv.ts'
import { printEvents } from './events.ts'
import { exists, openCopying, writeWhole } from './folder.ts'
import { exportLines } from './lines.ts'

type Options = {
  format: 'jsonl' | 'ics' | 'csv'
  where?: string
  force?: boolean
  media: boolean
  json?: boolean
}

/** The file of an export in its folder, and the folder of its pictures. */
export const LINES = 'calendar.jsonl'
export const PICTURES = 'media'

/** `export`: everything as JSON Lines with the pictures beside it, or events as iCalendar or CSV. */
export function addExportCommand(command: Command, shell: Shell) {
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
      if (format !== 'jsonl') return exportEvents(shell, place, format === 'ics' ? icalendar : csv, options)
      if (place === undefined) throw fail('name a folder, or write events as --format ics or csv')
      if (where !== undefined)
        throw fail('--where is for --format ics or csv; without it, everything is exported')
      return exportAll(shell, place, options)
    })
}

async function exportAll(shell: Shell, folder: string, { force, media, json }: Options) {
  const config = readConfig(shell.env)
  const file = join(folder, LINES)
  if (!force && (await exists(file))) throw fail(`${file} exists; name another folder, or use --force`)
  const share = openShare(config)
  const bring = openCopying(resolve(config.mediaDir), join(folder, PICTURES), share)
  try {
    await withStore(shell, async (store) => {
      await mkdir(folder, { recursive: true, mode: SHARED.folder })
      const picture = media ? (name: string) => bring(store, name) : async () => true
      const done = await withBar(quiet(shell, json), 'Exporting', (progress) =>
        writeWhole(file, (write) => exportLines(store, { write, picture }, progress)),
      )
      await noteIn(shell, { url: config.postgres, file: config.database }, 'data_exported', {
        ...{ command: 'export', to: resolve(file) },
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
  const select = openEventList({ store, site: store.site, language: () => language } as never)
  const { selection } = await select(value as never, { caller: ADMINISTRATOR, given } as never)
  return (await store.lists.list(selection, { page: 1, per_page: Number.MAX_SAFE_INTEGER })).ids
}
/** Who runs a command sees everything. */
const ADMINISTRATOR = { id: 0, role: 'administrator' as const }

async function exportEvents(
  shell: Shell,
  file: string | undefined,
  format: Format,
  { where, force, json }: Options,
) {
  const config = readConfig(shell.env)
  if (file !== undefined && !force && (await exists(file)))
    throw fail(`${file} exists; name another file, or use --force`)
  await withStore(shell, async (store) => {
    const ids = await idsOf(store, where)
    const base = config.baseUrl
    const repeating = openRepeating(store, ADMINISTRATOR, { single: false, ids } as never, format)
    const print = (write: (text: string) => unknown) =>
      printEvents(
        store,
        { base, title: store.settings.chosen().name ?? config.siteName, caller: ADMINISTRATOR, repeating },
        format,
        ids,
        write,
      )
    if (file === undefined) return print(shell.print)
    await writeWhole(file, print)
    await noteIn(shell, { url: config.postgres, file: config.database }, 'data_exported', {
      ...{ command: 'export', to: resolve(file), where },
    })
    tell(
      shell,
      json,
      { file: resolve(file), events: ids.length },
      `${file} holds ${many(ids.length, 'event')}.`,
    )
  })
}
