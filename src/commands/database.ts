import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { type Difference, KINDS, LASTING, remedy } from '../calendar/check/derived.ts'
import { check, rebuild } from '../calendar/check/inspection.ts'
import { openMediaFolder } from '../calendar/media/folder.ts'
import { requireStoredSettings } from '../calendar/settings.ts'
import { readConfig } from '../config.ts'
import { openShare } from '../database.ts'
import { withBar } from '../kernel/cli.ts'
import type { Db } from '../kernel/database/db.ts'
import { fail, many, number, quiet, type Shell, tell } from '../kernel/shell.ts'
import { mustExist, withStore } from './calendars.ts'
import { INSPECTOR, inspectorsFor, openInspectors, serveInspections } from './inspectors.ts'
import { prepare } from './prepare.ts'

/** Differences that are reported one by one; the others are only counted. */
const TOLD = 1_000
const SHOWN = 50

/** `migrate`, `check` and `rebuild`. */
export function addDatabaseCommands(program: Command, shell: Shell) {
  program
    .command('migrate')
    .description('upgrade the database; the service also does so at its start')
    .action(async () => {
      const config = readConfig(shell.env)
      if (config.postgres === undefined) mustExist(config)
      await prepare(config, shell, false)
      shell.print('The database is up to date.\n')
    })
  program
    .command('check')
    .description(
      'verify the database, its derived data and the image files; exit code 1 if there is a difference',
    )
    .option('--json', 'print JSON')
    .option(
      '--processes <number>',
      'how many processes read at the same time, by default one for each core if the file is large',
      readProcesses,
    )
    .action(async ({ json, processes }: { json?: boolean; processes?: number }) => {
      const { report, damaged } = await inspect(
        shell,
        json,
        'Checking',
        check,
        ({ database }) => processes ?? inspectorsFor(database),
      )
      tell(shell, json, { ok: report.total === 0, ...report }, words(report, 'differs'))
      if (report.total > 0) throw fail(advice(report, damaged))
    })
  program.command(INSPECTOR, { hidden: true }).action(() => serveInspections(shell))
  program
    .command('rebuild')
    .description(
      'recreate derived data that differs (documents, lists, counts, search texts); delete orphaned image files',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { report, damaged } = await inspect(shell, json, 'Rebuilding', rebuild)
      const left = lasting(report, damaged)
      tell(shell, json, { ok: !left, ...report }, words(report, 'had to be changed'))
      if (left) throw fail(left)
    })
}

function readProcesses(text: string): number {
  if (!/^([1-9]|[1-5]\d|6[0-4])$/.test(text)) throw new InvalidArgumentError('Use a number from 1 to 64.')
  return Number(text)
}

type Report = {
  records: number
  total: number
  kinds: Record<Difference['kind'], number>
  differences: Difference[]
}
/** A report, and what helps against damage. */
type Inspected = { report: Report; damaged: string }

async function inspect(
  shell: Shell,
  json: boolean | undefined,
  label: string,
  how: typeof rebuild,
  processesFor: (sizes: ReturnType<Db['sizes']>) => number = () => 0,
): Promise<Inspected> {
  const config = readConfig(shell.env)
  const share = openShare(config)
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Report['kinds']
  const report: Report = { records: 0, total: 0, kinds, differences: [] }
  let damaged = ''
  let inspectors: ReturnType<typeof openInspectors> | undefined
  await withStore(shell, ({ db, site }) => {
    requireStoredSettings(db, config.database)
    damaged = remedy(db)
    const processes = processesFor(db.sizes())
    if (shell.program !== undefined && processes > 0)
      inspectors = openInspectors(shell.program, shell.env, processes)
    return withBar(quiet(shell, json), label, (progress) =>
      how(db, site, openMediaFolder(resolve(config.mediaDir), share), {
        found(difference) {
          report.total++
          kinds[difference.kind]++
          if (report.differences.length < TOLD) report.differences.push(difference)
        },
        progress(done, total) {
          report.records = done
          progress(done, total)
        },
        inspectors,
      }),
    )
  }).finally(async () => {
    await inspectors?.close()
    await share?.close()
  })
  return { report, damaged }
}

function words({ records, total, differences }: Report, what: string): string {
  const checked = many(records, 'record')
  if (total === 0) return `Nothing ${what} in ${checked}.`
  const lines = differences.slice(0, SHOWN).map(({ kind, what }) => `  ${kind.padEnd(10)}${what}`)
  const rest = total > SHOWN ? [`  and ${number(total - SHOWN)} more`] : []
  return [`In ${checked} ${what}:`, ...lines, ...rest].join('\n')
}

const isDamaged = ({ kinds }: Report) => LASTING.some((kind) => kinds[kind] > 0)
/** A copy whose rows differ may have lost fields and references with them; whether they come back is seen after a rebuild. */
const isMendable = ({ kinds }: Report) =>
  LASTING.every((kind) => kinds[kind] === 0) || (kinds.copy > 0 && kinds.integrity === 0)

/** What a rebuild can not correct and what to do about it; empty if there is nothing. */
function lasting(report: Report, damaged: string): string {
  if (isDamaged(report)) return damaged
  return report.kinds.picture > 0 ? 'image files are missing; restore them from the backup of MEDIA_DIR' : ''
}

function advice(report: Report, damaged: string): string {
  const mendable = isMendable(report)
  const others = mendable ? report.total - report.kinds.picture : 0
  const rebuilt = `${many(others, 'difference')}; \`almanac rebuild\` corrects ${others === 1 ? 'it' : 'them'}`
  const rest = mendable ? { ...report, kinds: { ...report.kinds, reference: 0, record: 0 } } : report
  return [others > 0 && rebuilt, lasting(rest, damaged)].filter(Boolean).join('; ')
}
