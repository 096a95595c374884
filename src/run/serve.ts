import { resolve } from 'node:path'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { type App, buildApp } from '../app.ts'
import { type Difference, LASTING, remedy } from '../calendar/check/difference.ts'
import { check } from '../calendar/check/inspection.ts'
import { openMediaFolder } from '../calendar/media/folder.ts'
import { prepare } from '../commands/prepare.ts'
import type { Shell } from '../commands/shell.ts'
import type { Config } from '../config.ts'
import { openShare } from '../database.ts'
import { renewCopy } from '../features/nodes/copy/preparation.ts'
import { exposed } from '../kernel/database/file.ts'
import { listenForMetrics } from '../kernel/server/metrics.ts'
import { greet } from './greeting.ts'

/** A path without the key in it, with which whoever knows it looks at an event or corrects it. */
const withoutKey = (path: string) => path.replace(/(\/(?:events\/submit|preview)\/)[^/]+/, '$1…')

/**
 * The logger: JSON lines, or readable text on a terminal, which names the process if there are several. Only the path of a request is
 * logged, because query strings may contain passwords, and that without keys.
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
      path: withoutKey(request.originalUrl.split('?')[0]!),
      remoteAddress: request.ip,
    }),
  },
})

/** A running service. */
export type Service = { log: FastifyBaseLogger; stop(): Promise<void> }

/**
 * Runs the service in this process; `listening` gets it before anybody is told that it answers. A node whose copy can not be followed any more takes
 * it anew and starts on that. Where an administrator sets the time zone, the currency or the languages, it starts anew with them.
 */
export async function keepServing(
  config: Config,
  shell: Starting,
  listening: (service: Service) => void,
  again = 5_000,
): Promise<Service> {
  let app: App
  let stopping = false
  const service: Service = {
    get log() {
      return app.log
    },
    stop() {
      stopping = true
      return finish(app, config.stopTimeout)
    },
  }
  const renew = async (why: string) => {
    const { log } = app
    try {
      await renewCopy({ url: config.postgres!, file: config.database }, log, async () => {
        await finish(app, config.stopTimeout)
      })
      if (!stopping) follow(await serve(config, shell))
    } catch (err) {
      log.error({ err, why }, 'the copy could not be taken anew; this is tried again')
      if (!stopping) setTimeout(renew, again, why)
    }
  }
  const restart = async () => {
    const { log } = app
    log.warn(SETTINGS_SET)
    try {
      await finish(app, config.stopTimeout)
      if (!stopping) follow(await serve(config, shell))
    } catch (err) {
      log.error({ err }, 'the service could not start anew; this is tried again')
      setTimeout(restart, again)
    }
  }
  const follow = (started: App) => {
    app = started
    started.store.db.node?.onStale((why) => void renew(why))
    started.store.settings.onStored(() => void restart())
  }
  const first = await serve(config, shell, (started) => {
    app = started
    listening(service)
  })
  follow(first)
  return service
}

/** What is logged before a service starts anew. */
export const SETTINGS_SET =
  'the time zone, the currency or the languages of the site were set; the service starts anew with them'

type Starting = Pick<Shell, 'print' | 'terminal' | 'logged'>

/** Starts the service once; `listening` gets it before it is told that it answers. */
export async function serve(
  config: Config,
  shell: Starting,
  listening: (app: App) => void = () => {},
): Promise<App> {
  await prepare(config, shell)
  const app = await buildApp({ config, logger: loggerOf(config.logLevel, shell.terminal) })
  try {
    warnAtStart(config, app.log)
    if (config.check) await checkAtStart(app, config)
    await listen(app, config)
    listening(app)
    await greet(app.store, config, shell)
  } catch (error) {
    await app.close()
    throw error
  }
  return app
}

/** Warns about settings that are allowed but rarely intended, and about a database that other users can read. The file must exist. */
export function warnAtStart({ trustProxy, database, warnings }: Config, log: FastifyBaseLogger) {
  for (const warning of warnings) log.warn(warning)
  for (const [file, mode] of database === ':memory:' ? [] : exposed(database))
    log.warn(
      `${file} has the mode ${mode}: others than its owner may read it, with passwords or their hashes; chmod 600 it`,
    )
  if (trustProxy === true)
    log.warn(
      'TRUST_PROXY=on believes whoever sends X-Forwarded-For: limits do not hold for clients that reach the service directly; name the addresses of your proxies instead',
    )
}

/** What it listens on. For `localhost`, Fastify would open a second server for IPv6, without the limits of connections. */
export const placeOf = ({ host, port }: Pick<Config, 'host' | 'port'>) => ({
  host: host === 'localhost' ? '127.0.0.1' : host,
  port,
})

async function listen(app: App, config: Config) {
  await app.listen(placeOf(config))
  const { metricsPort } = config
  if (metricsPort === undefined) return
  const server = await listenForMetrics(app.metrics!, metricsPort)
  app.server.once('close', () => server.close())
}

const DERIVED = 'derived data differs; `almanac rebuild` corrects it'
/** Messages about differences that are not in derived data. */
const ADVICE: Partial<Record<Difference['kind'], string>> = {
  copy: 'the copy of this node differs from PostgreSQL; `almanac rebuild` corrects it',
  picture: 'image files are missing; restore them from the backup of MEDIA_DIR',
  file: 'files were left behind that no picture has; the next start deletes them, or `almanac rebuild`',
}

/** Logs every difference. Throws if the database is damaged beyond derived data. */
export async function checkAtStart(
  { store: { db, site }, log }: Pick<App, 'store' | 'log'>,
  { mediaDir, postgres }: Pick<Config, 'mediaDir' | 'postgres'>,
) {
  const began = performance.now()
  let records = 0
  const damages: string[] = []
  const share = openShare({ postgres })
  await check(db, site, openMediaFolder(resolve(mediaDir), share), {
    found(difference) {
      if (LASTING.some((kind) => kind === difference.kind)) damages.push(difference.what)
      else
        log[difference.kind === 'file' ? 'warn' : 'error']({ difference }, ADVICE[difference.kind] ?? DERIVED)
    },
    progress: (done) => {
      records = done
    },
    unreachable: (why) => log.warn({ why }, 'the copy of this node was not compared with PostgreSQL'),
  }).finally(() => share?.close())
  if (damages.length > 0)
    throw Object.assign(new Error(`${remedy(db)}: ${damages[0]}`), {
      unusable: true,
    })
  log.info({ records, milliseconds: Math.round(performance.now() - began) }, 'the database was verified')
}

const NOT_CLOSED =
  'the service ends, but could not put its files in order, as on a full disk: what was written is in them, and the next start goes on from there'

/** Stops accepting connections, and gives running requests so many seconds to finish. What can not be closed is logged. */
export async function finish(app: App, stopTimeout: number) {
  const idle = setInterval(() => app.server.closeIdleConnections(), 100) // connections whose request has finished
  const late = setTimeout(() => app.server.closeAllConnections(), stopTimeout * 1_000)
  await app.close().catch((err) => app.log.error({ err }, NOT_CLOSED))
  clearInterval(idle)
  clearTimeout(late)
}

/** The first SIGTERM or SIGINT stops gracefully, the second ends the process at once. A closed terminal sends SIGHUP, often twice. */
export function guard(log: FastifyBaseLogger, stop: () => Promise<void>) {
  let stopping = false
  const end = async () => {
    if (stopping) process.exit(1)
    stopping = true
    await stop()
    process.exit(0)
  }
  process.on('SIGTERM', end).on('SIGINT', end)
  process.on('SIGHUP', () => stopping || end())
  watch(log)
}

/** Logs uncaught errors and continues; writes are safe, because they are in transactions. */
export function watch(log: FastifyBaseLogger) {
  const survive = (err: unknown) => log.error({ err }, 'a mistake that nothing caught')
  process.on('uncaughtException', survive).on('unhandledRejection', survive)
}
