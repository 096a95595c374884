import { resolve } from 'node:path'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { type App, buildApp } from '../app.ts'
import { greet } from '../commands/greeting.ts'
import type { Shell } from '../commands/shell.ts'
import type { Config } from '../config.ts'
import { listenForMetrics } from '../http/plugins/metrics.ts'
import { openMediaFolder } from '../media-folder.ts'
import { type Difference, LASTING } from '../store/check/difference.ts'
import { check } from '../store/check/inspection.ts'
import { exposureOf } from '../store/sqlite/file.ts'

/**
 * One JSON line a request; on a terminal readable text, with the process where there are several. Query strings may hold
 * passwords: only the path is logged.
 */
export const loggerOf = (level: string, terminal: boolean, several = false) => ({
  level,
  ...(terminal && {
    transport: {
      target: 'pino-pretty',
      options: {
        translateTime: 'HH:MM:ss',
        ignore: `${several ? '' : 'pid,'}hostname,reqId,req.remoteAddress`,
        singleLine: true,
      },
    },
  }),
  serializers: {
    req: (request: FastifyRequest) => ({
      method: request.method,
      path: request.originalUrl.split('?')[0],
      remoteAddress: request.ip,
    }),
  },
})

/** Starts listening, in this one process. */
export async function serve(config: Config, shell: Pick<Shell, 'print' | 'terminal'>) {
  const app = await buildApp({ config, logger: loggerOf(config.logLevel, shell.terminal) })
  try {
    warnAtStart(config, app.log)
    if (config.check) await checkAtStart(app, config)
    await listen(app, config)
    await greet(app.store, config, shell)
  } catch (error) {
    await app.close()
    throw error
  }
  return app
}

/** Tells of what is allowed and seldom meant: settings, and a database that others can read. It has to exist. */
export function warnAtStart({ trustProxy, database }: Config, log: FastifyBaseLogger) {
  const mode = database === ':memory:' ? undefined : exposureOf(database)
  if (mode)
    log.warn(
      `${database} has the mode ${mode}: others than its owner may read it, with all hashes of passwords; chmod 600 it, and the files -wal and -shm beside it`,
    )
  if (trustProxy === true)
    log.warn(
      'TRUST_PROXY=on believes whoever sends X-Forwarded-For: limits do not hold for clients that reach the service directly; name the addresses of your proxies instead',
    )
}

async function listen(app: App, { host, port, metricsPort }: Config) {
  await app.listen({ host, port })
  if (metricsPort === undefined) return
  const server = await listenForMetrics(app.metrics!, metricsPort)
  app.server.once('close', () => server.close())
}

const DERIVED = 'derived data differs; `almanac rebuild` corrects it'
/** What is said of differences that are not derived. */
const ADVICE: Partial<Record<Difference['kind'], string>> = {
  picture: 'image files are missing; restore them from the backup of MEDIA_DIR',
  file: 'files were left behind that no picture has; the next start deletes them, or `almanac rebuild`',
}

/** Tells what differs; a database that is damaged beyond what can be derived anew is not served. */
export async function checkAtStart(
  { store: { db, site }, log }: Pick<App, 'store' | 'log'>,
  { mediaDir }: Pick<Config, 'mediaDir'>,
) {
  const began = performance.now()
  let records = 0
  const damages: string[] = []
  await check(db, site, openMediaFolder(resolve(mediaDir)), {
    found(difference) {
      if (LASTING.some((kind) => kind === difference.kind)) damages.push(difference.what)
      else
        log[difference.kind === 'file' ? 'warn' : 'error']({ difference }, ADVICE[difference.kind] ?? DERIVED)
    },
    progress: (done) => {
      records = done
    },
  })
  if (damages.length > 0)
    throw Object.assign(new Error(`the database is damaged; restore a backup: ${damages[0]}`), {
      unusable: true,
    })
  log.info({ records, milliseconds: Math.round(performance.now() - began) }, 'the database was verified')
}

/** Stops accepting and lets running requests finish, for so many seconds. */
export async function finish(app: App, stopTimeout: number) {
  setInterval(() => app.server.closeIdleConnections(), 100) // those that were answered meanwhile
  setTimeout(() => app.server.closeAllConnections(), stopTimeout * 1_000)
  await app.close()
}

/** The first SIGTERM or SIGINT stops in order, the second ends at once. */
export function guard(log: FastifyBaseLogger, stop: () => Promise<void>) {
  let stopping = false
  const end = async () => {
    if (stopping) process.exit(1)
    stopping = true
    await stop()
    process.exit(0)
  }
  process.on('SIGTERM', end).on('SIGINT', end)
  watch(log)
}

/** A mistake that nothing caught is logged and costs nobody else their request: what was written is in transactions. */
export function watch(log: FastifyBaseLogger) {
  const survive = (err: unknown) => log.error({ err }, 'a mistake that nothing caught')
  process.on('uncaughtException', survive).on('unhandledRejection', survive)
}
