import { type Command, InvalidArgumentError } from 'commander'
import type { ImportRun, RecordKind } from '../../../calendar/store.ts'
import { fail, type Shell, tell, withStore } from '../../../commands/shell.ts'
import { table } from '../../../kernel/cli.ts'
import { type Undone, undoImport } from '../runs/undo.ts'
import { PLURALS } from '../site/source.ts'
import { writerOf } from './context.ts'

/** Records that are named; of the others only the number is told. */
const SHOWN = 50
const HEAD = ['RUN', 'BEGAN (UTC)', 'FROM', 'CREATED', 'CHANGED', 'NOT TAKEN', 'UNDONE']

/** The number of an import, as the command line has it. */
export function readRun(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('must be the number of an import, which `almanac imports` lists.')
}

/** `imports`: what was imported, the latest first. */
export function addImportsCommand(command: Command, shell: Shell) {
  command
    .description('list the imports, the latest first; `import --undo <run>` takes one back')
    .option('--limit <number>', 'greatest number of imports', readRun, SHOWN)
    .option('--json', 'print JSON')
    .action(({ limit, json }: { limit: number; json?: boolean }) =>
      withStore(shell, async ({ imports }) => {
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

/** How an import is taken back that made something. */
export const undoWords = (run: number, created: number) =>
  run > 0 && created > 0 ? [`almanac import --undo ${run} takes back what this import made.`] : []

/** Takes back what an import made, and tells what stays. */
export const undo = (shell: Shell, run: number, json: boolean | undefined) =>
  withStore(shell, async (store) => {
    const undone = await undoImport(store, await writerOf(shell, store, {}), run)
    if (undone === undefined) throw fail(`there is no import ${run}; \`almanac imports\` lists them`)
    tell(shell, json, undone, words(undone))
  })

function words({ run, source, counts, stayed }: Undone): string {
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
