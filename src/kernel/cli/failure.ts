import { reasonOf } from '../database/file.ts'
import { ApiError } from '../errors.ts'

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
