import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, constants, setPriority } from 'node:os'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { type Difference, type Found, KINDS, LASTING, remedy } from '../calendar/check/derived.ts'
import {
  check,
  type Inspectors,
  inspect as inspectPart,
  type Job,
  rebuild,
} from '../calendar/check/inspection.ts'
import { openMediaFolder } from '../calendar/media/folder.ts'
import { requireStoredSettings, resolveSettings } from '../calendar/settings.ts'
import { readConfig } from '../config.ts'
import { openBeside, openShare } from '../database.ts'
import { withBar } from '../kernel/cli.ts'
import type { Db } from '../kernel/database/db.ts'
import { fail, many, number, quiet, type Shell, tell } from '../kernel/shell.ts'
import { withStore } from './tools.ts'

/** Differences that are reported one by one; the others are only counted. */
const TOLD = 1_000
const SHOWN = 50

/** `check` and `rebuild`. */
export function addCheckCommands(program: Command, shell: Shell) {
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

/** The hidden command of a process that reads for `check`. */
const INSPECTOR = 'check-inspector'

/** Bytes of a file for which one more process is worth its start. */
const BYTES = 25_000_000
const MOST = 8

/** How many processes share the check of a file of so many bytes; none if it takes but a few seconds. */
export const inspectorsFor = (bytes: number) =>
  Math.min(Math.floor(bytes / BYTES), availableParallelism(), MOST)

type Answer = Found | { failed: string }
type Waiting = { job: Job; resolve(found: Found): void; reject(error: Error): void }

/** Starts processes of this program that do the jobs of a check; `close` waits until all have ended, and does not wait for jobs. */
function openInspectors(program: string, env: Shell['env'], count: number) {
  const waiting: Waiting[] = []
  const taken = new Map<ChildProcess, Waiting>()
  const free: (() => void)[] = []

  /** What is not done yet, and all of it is given at the beginning. */
  function lose(error: Error) {
    for (const { reject } of [...waiting, ...taken.values()]) reject(error)
  }

  const children = Array.from({ length: count }, () => {
    const child = fork(program, [INSPECTOR], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    /** Takes the next job, or waits for one. */
    function take() {
      const next = waiting.shift()
      if (!next) return void free.push(take)
      taken.set(child, next)
      child.send(next.job, () => {}) // its end is told below
      child.once('message', (answer: Answer) => {
        taken.delete(child)
        if ('failed' in answer) next.reject(fail(answer.failed))
        else next.resolve(answer)
        take()
      })
    }
    take()
    return {
      ended: once(child, 'exit').then(
        ([code, signal]) => lose(fail(`a process that reads for the check ended (${signal ?? code})`)),
        lose,
      ),
      end: () => (taken.has(child) ? child.kill() : child.connected && child.disconnect()),
    }
  })

  return {
    run: (job: Job) =>
      new Promise<Found>((resolve, reject) => {
        waiting.push({ job, resolve, reject })
        free.shift()?.()
      }),
    async close() {
      for (const { end } of children) end()
      await Promise.all(children.map(({ ended }) => ended))
    },
  } satisfies Inspectors & { close(): Promise<void> }
}

/** Does the jobs that the process above sends, until it ends. Whatever else the machine has to do comes first. */
async function serveInspections({ env }: Shell) {
  setPriority(constants.priority.PRIORITY_LOW)
  const config = readConfig(env)
  const db = openBeside(config)
  const { timezone: zone, currency, languages } = resolveSettings(db, config)
  const site = { clock: Date.now, zone, currency, languages }
  process.on('message', async (job: Job) => {
    const answer: Answer = await inspectPart(db, site, job).catch((error: Error) => ({
      failed: error.message,
    }))
    process.send!(answer, undefined, undefined, () => {}) // nobody waits for it if the check has ended
  })
  await once(process, 'disconnect')
  db.close()
}
