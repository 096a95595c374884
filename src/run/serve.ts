import { rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { type App, buildApp } from '../app.ts'
import { type Difference, LASTING, remedy } from '../calendar/check/derived.ts'
import { check } from '../calendar/check/inspection.ts'
import type { Config } from '../calendar/config.ts'
import { openMediaFolder } from '../calendar/media/folder.ts'
import type { Store } from '../calendar/store.ts'
import { prepare } from '../commands/prepare.ts'
import { openShare, sharedAt } from '../database.ts'
import { exposed, FIRST_PASSWORD, PRIVATE } from '../kernel/database/file.ts'
import { standardOutput } from '../kernel/server/log.ts'
import { listenForMetrics } from '../kernel/server/metrics.ts'
import { fail, type Shell } from '../kernel/shell.ts'
import type { Site } from '../kernel/site.ts'

/** The path of a URL without the key in it, with which whoever knows it looks at an event or corrects it. */
function pathOf(url: string): string {
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  return path.replace(/(\/(?:events\/submit|preview)\/)[^/]+/, '$1…')
}

/**
 * The logger: JSON lines, or readable text on a terminal, which names the process if there are several. Only the path of a request is
 * logged, because query strings may contain passwords, and that without keys.
 */
export const loggerOf = (level: string, terminal: boolean, several = false) => ({
  level,
  ...(terminal
    ? {
        transport: {
          target: 'pino-pretty',
          options: {
            translateTime: 'HH:MM:ss',
            ignore: `${several ? '' : 'pid,'}hostname,reqId,req.remoteAddress`,
            singleLine: true,
          },
        },
      }
    : { stream: standardOutput() }),
  serializers: {
    req: (request: FastifyRequest) => ({
      method: request.method,
      path: pathOf(request.originalUrl),
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
      return shutDown(app, config.stopTimeout)
    },
  }
  const renew = async (why: string) => {
    const { log } = app
    try {
      const url = config.postgres!
      await sharedAt(url).renew({ url, file: config.database }, log, () => shutDown(app, config.stopTimeout))
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
      await shutDown(app, config.stopTimeout)
      if (!stopping) follow(await serve(config, shell))
    } catch (err) {
      log.error({ err }, 'the service could not start anew; this is tried again')
      setTimeout(restart, again)
    }
  }
  const follow = (started: App) => {
    app = started
    started.store.db.replica?.onStale((why) => void renew(why))
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

/** Starts the service once; `listening` gets it before anybody reads that it answers. */
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
export const listenOptions = ({ host, port }: Pick<Config, 'host' | 'port'>) => ({
  host: host === 'localhost' ? '127.0.0.1' : host,
  port,
})

async function listen(app: App, config: Config) {
  await app.listen(listenOptions(config))
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
export async function shutDown(app: App, stopTimeout: number) {
  const idle = setInterval(() => app.server.closeIdleConnections(), 100) // connections whose request has finished
  const late = setTimeout(() => app.server.closeAllConnections(), stopTimeout * 1_000)
  await app.close().catch((err) => app.log.error({ err }, NOT_CLOSED))
  clearInterval(idle)
  clearTimeout(late)
}

/** The first SIGTERM or SIGINT stops gracefully, the second ends the process at once. A closed terminal sends SIGHUP, often twice. */
export function stopOnSignals(log: FastifyBaseLogger, stop: () => Promise<void>) {
  let stopping = false
  const end = async () => {
    if (stopping) process.exit(1)
    stopping = true
    await stop()
    process.exit(0)
  }
  process.on('SIGTERM', end).on('SIGINT', end)
  process.on('SIGHUP', () => stopping || end())
  logUncaught(log)
}

/** Logs uncaught errors and continues; writes are safe, because they are in transactions. */
export function logUncaught(log: FastifyBaseLogger) {
  const survive = (err: unknown) => log.error({ err }, 'a mistake that nothing caught')
  process.on('uncaughtException', survive).on('unhandledRejection', survive)
}

const LOGIN = 'admin'

/**
 * Prints the URL of the service. If there are no users yet, it creates an administrator. The password is printed to a terminal. Output
 * that may be a log does not get it: there it goes to a file that only its owner can read. If that
 * file can not be written, it throws and creates no user.
 */
export async function greet(
  { users, site }: Store,
  config: Config,
  { print, terminal, logged = false }: Pick<Shell, 'print' | 'terminal' | 'logged'>,
) {
  const api = `${config.baseUrl}/${config.namespace}`
  const answers = `Almanac answers at ${api}/ - documentation: ${api}/doc\n${factsOf(config, site)}\n`
  if ((await users.count()) > 0) return print(answers)
  if (terminal && !logged) {
    const { password } = (await users.add(LOGIN, 'administrator'))!
    return print(answers + welcome(password, config, api))
  }
  const file = passwordFileOf(config)
  await users.add(LOGIN, 'administrator', { hand: (password) => writePasswordFile(file, password) })
  print(
    `${answers}A user was created: ${LOGIN}. Its password is in ${file}; delete this file after reading it.\n`,
  )
}

/** What an operator should see at once if it is not as intended. */
function factsOf({ database, baseUrl }: Config, { zone, languages }: Site): string {
  const file = database === ':memory:' ? 'in memory' : resolve(database)
  return `Database: ${file}; time zone: ${zone}; languages: ${languages.join(', ')}; public address: ${baseUrl}`
}

/** Path of the file with the first password: next to the database, or where it would be. */
function passwordFileOf({ database, mediaDir }: Config): string {
  return resolve(dirname(database === ':memory:' ? mediaDir : database), FIRST_PASSWORD)
}

/** Replaces an older file, which belonged to another database. */
function writePasswordFile(file: string, password: string) {
  try {
    rmSync(file, { force: true })
    writeFileSync(file, noteOf(password), { flag: 'wx', mode: PRIVATE.file })
  } catch (error) {
    throw fail(`can not write the password of the first user: ${(error as Error).message}`)
  }
}

const noteOf = (password: string) => `Almanac has created its first user, an administrator:

  login                 ${LOGIN}
  application password  ${password}

The password is stored nowhere else. Keep it in a safe place, and delete this file.
If you lose it, \`almanac user password ${LOGIN}\` makes another one.
`

const welcome = (password: string, { baseUrl, desk }: Config, api: string) => `
A user was created:    ${LOGIN}
Application password:  ${password}

It is shown only once.${desk ? ` Write events in a browser: ${baseUrl}/desk/` : ''} Or try it here:

  curl -u '${LOGIN}:${password}' -H 'Content-Type: application/json' \\
    -d '{"title":"First event","start_date":"tomorrow","end_date":"tomorrow","all_day":true}' \\
    ${api}/events

`
