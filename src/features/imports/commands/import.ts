import { type Command, InvalidArgumentError, Option } from 'commander'
import { STATUSES } from '../../../../schemas/common.ts'
import { DATE_ORDERS } from '../../../../schemas/imports.ts'
import { table } from '../../../kernel/cli.ts'
import { fail, tell } from '../../../kernel/shell.ts'
import type { Tools } from '../../host.ts'
import { type Undone, undoImport } from '../importing.ts'
import { PLURALS } from '../site/source.ts'
import type { ImportRun, RecordKind } from '../store.ts'
import { writerOf } from './context.ts'
import { type FileOptions, importFile } from './file.ts'
import { importSite, type SiteOptions } from './site.ts'

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

/** Records that are named; of the others only the number is told. */
const SHOWN = 50
const HEAD = ['RUN', 'BEGAN (UTC)', 'FROM', 'CREATED', 'CHANGED', 'NOT TAKEN', 'UNDONE']

/** The number of an import, as the command line has it. */
function readRun(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('must be the number of an import, which `almanac imports` lists.')
}

/** `imports`: what was imported, the latest first. */
export function addImportsCommand(command: Command, shell: Tools) {
  command
    .description('list the imports, the latest first; `import --undo <run>` takes one back')
    .option('--limit <number>', 'greatest number of imports', readRun, SHOWN)
    .option('--json', 'print JSON')
    .action(({ limit, json }: { limit: number; json?: boolean }) =>
      shell.withStore(async ({ imports }) => {
        const { rows, total } = await imports.runs({ page: 1, per_page: limit })
        tell(shell, json, { total, imports: rows }, listed(rows))
      }),
    )
}

function listed(rows: ImportRun[]): string {
  if (rows.length === 0) return 'Nothing was imported.'
  const cell = (value: number | undefined) => (value === undefined ? '' : String(value))
  const lines = rows.map(({ id, began_utc, source, counts }) => [
    ...[String(id), began_utc, source.replace(/^file:/, '')],
    ...[cell(counts.created), cell(counts.changed), cell(counts.refused), cell(counts.undone)],
  ])
  return table([HEAD, ...lines])
}

/** Takes back what an import made, and tells what stays. */
const undo = (shell: Tools, run: number, json: boolean | undefined) =>
  shell.withStore(async (store) => {
    const undone = await undoImport(store, await writerOf(shell, store, {}), run)
    if (undone === undefined) throw fail(`there is no import ${run}; \`almanac imports\` lists them`)
    tell(shell, json, undone, undoneWords(undone))
  })

function undoneWords({ run, source, counts, stayed }: Undone): string {
  const kinds = Object.entries(counts) as [RecordKind, { trashed: number }][]
  const gone = kinds
    .filter(([, { trashed }]) => trashed > 0)
    .map(([kind, { trashed }]) => `  ${PLURALS[kind].padEnd(12)}${trashed.toLocaleString('en')}`)
  const rest = stayed.slice(0, SHOWN).map(({ kind, id, name, why }) => `  ${kind} ${id} "${name}": ${why}`)
  return [
    `Took back import ${run} from ${source.replace(/^file:/, '')}:`,
    ...(gone.length > 0 ? gone : ['  nothing']),
    ...(stayed.length > 0 ? ['These stay:', ...rest] : []),
    ...(stayed.length > SHOWN ? [`  and ${stayed.length - SHOWN} more, which --json names`] : []),
  ].join('\n')
}
