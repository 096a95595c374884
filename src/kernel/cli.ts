import { Presets, SingleBar } from 'cli-progress'
import { InvalidArgumentError } from 'commander'
import { reasonOf } from './database/file.ts'
import { ApiError } from './errors.ts'

type Failure = Error & {
  code?: string
  unusable?: boolean
  path?: string
  port?: number
  address?: string
  hostname?: string
}

/** Why a file or folder can not be used. */
const FILES: Record<string, string> = {
  EACCES: 'the user that runs Almanac has no permission',
  EPERM: 'the user that runs Almanac has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'part of the path is a file, not a folder',
  EEXIST: 'a file of this name is in the way',
  EISDIR: 'it is a folder, not a file',
  ENOENT: 'the folder does not exist',
}
const REBUILD = 'where Almanac is installed, run: npm rebuild better-sqlite3'

/**
 * What failed and what to do about it, in one sentence, for everything that may go wrong without a fault of the program; undefined
 * for faults. `metricsPort` is as it was set.
 */
export function explainFailure(error: unknown, metricsPort?: string): string | undefined {
  const { code = '', message, unusable } = error as Failure
  if (unusable || error instanceof ApiError) return message
  if (code === 'ERR_DLOPEN_FAILED')
    return `the compiled part of SQLite does not fit Node.js ${process.version} on this machine; ${REBUILD}`
  if (message.startsWith('Could not locate the bindings file'))
    return `the compiled part of SQLite is missing, as after npm ci --ignore-scripts; ${REBUILD}`
  if (code.startsWith('SQLITE_')) {
    const reason = reasonOf({ code })
    return reason && `the database ${reason}`
  }
  return explainListening(error as Failure, metricsPort) ?? explainFile(error as Failure)
}

function explainListening({ code, port, address, hostname }: Failure, metricsPort?: string) {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `HOST ${hostname} is not known (${code}); set HOST to an address such as 127.0.0.1`
  if (port === undefined) return undefined
  const name = String(port) === metricsPort ? 'METRICS_PORT' : 'PORT'
  if (code === 'EADDRINUSE')
    return `port ${port} of ${address} is in use (${code}); stop what listens there, or set ${name} to another port`
  if (code === 'EADDRNOTAVAIL')
    return `HOST ${address} is not an address of this machine (${code}); set HOST to 127.0.0.1, or 0.0.0.0 for all addresses`
  if (code === 'EACCES')
    return `port ${port} is for administrators only (${code}); set ${name} to 1024 or more`
  return undefined
}

function explainFile({ code = '', path }: Failure) {
  const why = FILES[code]
  return why && (path === undefined ? `${why} (${code})` : `${path}: ${why} (${code})`)
}

/** Rows of cells as lines with aligned columns. */
export function table(rows: string[][]): string {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A reader of an option that has the bounds of the member which sets the same in the API. */
export const within =
  ({ minLength = 0, maxLength }: { minLength?: number; maxLength?: number }) =>
  (text: string): string => {
    const { length } = [...text]
    if (length < minLength || length > maxLength!)
      throw new InvalidArgumentError(`It has to have ${minLength} to ${maxLength} characters.`)
    return text
  }

/** Runs work that the first SIGINT, SIGTERM or SIGHUP interrupts. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const interrupt = () => controller.abort()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, interrupt)
  try {
    return await work(controller.signal)
  } finally {
    for (const signal of signals) process.off(signal, interrupt)
  }
}

/** Shows a progress bar, with `more` behind it, while `work` runs, if the output is a terminal. */
export async function withBar<T>(
  { terminal }: { terminal: boolean },
  label: string,
  work: (progress: (done: number, total: number, more?: string) => void) => Promise<T>,
): Promise<T> {
  if (!terminal) return work(() => {})
  const bar = new SingleBar(
    {
      format: `${label} {bar} {percentage} %, {eta_formatted} to go{more}`,
      hideCursor: true,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  )
  bar.start(1, 0, { more: '' })
  try {
    return await work((done, total, more = '') => {
      bar.setTotal(total)
      bar.update(done, { more })
    })
  } finally {
    bar.stop()
  }
}
