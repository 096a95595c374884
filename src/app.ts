import { mkdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fastifyStatic from '@fastify/static'
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import type { Config } from './config.ts'
import { addBodies, MAX_BODY } from './http/input/body.ts'
import { parseQuery } from './http/input/validation.ts'
import { addValidator } from './http/input/validator.ts'
import { addOpenApi } from './http/openapi/document.ts'
import { addAuth } from './http/plugins/auth.ts'
import { addAnswers } from './http/plugins/caching.ts'
import { addErrors, answerBrokenRequest, openErrors } from './http/plugins/errors.ts'
import { addHeaders } from './http/plugins/headers.ts'
import { addIntake } from './http/plugins/intake.ts'
import { addLimits } from './http/plugins/limits.ts'
import { addHearing, openAddresses, openIds, openLog } from './http/plugins/log.ts'
import { watchMethods } from './http/plugins/methods.ts'
import { isMeasured, type Metrics, openMetrics } from './http/plugins/metrics.ts'
import { buildMounts, buildRewrite, SITE } from './http/plugins/mounts.ts'
import { addPressure } from './http/plugins/overload.ts'
import { addProxyWarning } from './http/plugins/proxies.ts'
import { addMarks, addPassing, type Link } from './http/plugins/relay.ts'
import { addRights } from './http/plugins/rights.ts'
import { openWarnings } from './http/plugins/warnings.ts'
import { addDoc } from './http/routes/doc.ts'
import { addEvents } from './http/routes/events.ts'
import { addDirect, addHealth } from './http/routes/health.ts'
import { addLinked } from './http/routes/linked.ts'
import { addMedia } from './http/routes/media.ts'
import { addRoot } from './http/routes/namespace.ts'
import { addPasswords } from './http/routes/passwords.ts'
import { addPermalinks } from './http/routes/permalinks.ts'
import { openService } from './http/routes/service.ts'
import { addTerms } from './http/routes/terms.ts'
import { addTokens } from './http/routes/tokens.ts'
import { addUsers } from './http/routes/users.ts'
import { openPictures } from './media/pictures.ts'
import { SHARED } from './modes.ts'
import { fromRoot } from './package.ts'
import { openDb } from './store/sqlite/db.ts'
import { openStore, type Store } from './store/store.ts'

export const VERSION: string = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')).version

export type App = FastifyInstance

export type AppOptions = {
  config: Config
  /** Unix milliseconds (R6); the system's by default. */
  clock?: () => number
  logger?: FastifyServerOptions['logger']
  /** Where this is one of several processes on the database. */
  link?: Link | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    store: Store
    /** Where the settings ask for them. */
    metrics: Metrics | undefined
  }
}

/** Milliseconds, against clients that dawdle: for the headers, for the whole request (10 MiB over a slow line), without a byte. */
const HEADERS_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 120_000
const IDLE_TIMEOUT = 60_000

/** The whole service, ready for `listen` or `inject`; closing it closes its database. */
export async function buildApp({ config, clock = Date.now, logger = false, link }: AppOptions): Promise<App> {
  const db = openDb(config.database, config.durability)
  const site = { clock, zone: config.timezone, currency: config.currency, languages: config.languages }
  const store = openStore(db, site)
  const mounts = buildMounts(config.namespace, config.compatPrefixes, config.languages)
  const mediaDir = resolve(config.mediaDir)
  mkdirSync(mediaDir, { recursive: true, mode: SHARED.folder })

  const ids = openIds()
  const warnings = openWarnings()
  const sendError = openErrors(warnings)
  const app = Fastify({
    logger,
    genReqId: ids,
    logController: new LogController({ disableRequestLogging: true }), // src/http/plugins/log.ts writes one line instead of two
    return503OnClosing: false, // what still arrives while stopping is answered, and its connection closed
    trustProxy: config.trustProxy,
    bodyLimit: MAX_BODY,
    requestTimeout: REQUEST_TIMEOUT,
    connectionTimeout: IDLE_TIMEOUT,
    http: { headersTimeout: HEADERS_TIMEOUT, connectionsCheckingInterval: 1_000 },
    clientErrorHandler: answerBrokenRequest,
    rewriteUrl: buildRewrite(mounts),
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 2000,
      querystringParser: parseQuery as never,
    },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as never),
  }) as unknown as App
  app.decorate('store', store)
  app.addHook('onClose', async () => {
    warnings.close()
    db.close()
  })
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
  })

  addErrors(app, sendError)
  const metrics = isMeasured(config) ? await openMetrics(app, db, VERSION, link) : undefined
  app.decorate('metrics', metrics)
  const heard = [...openLog(app.log), ...(metrics ? [metrics.count] : [])]
  addHearing(app, heard)
  addProxyWarning(app, config.trustProxy)
  addDirect(app)
  addAnswers(app, store, {
    ...{ maxAge: config.maxAge, clock, limited: config.rateLimit !== undefined },
    ...{ ids, addressOf: openAddresses(config.trustProxy), heard },
  })
  if (link) link.writes ? addMarks(app) : addPassing(app, store, link)
  // what is kept costs less to send than to refuse
  addPressure(app, config.maxDelay)
  addValidator(app)
  await addHeaders(app, config.corsOrigins, config.baseUrl, clock)
  await addLimits(app, config.rateLimit)
  addAuth(app, store, clock, warnings)
  addIntake(app)
  addRights(app)
  // reads go on where nothing can be written
  app.addHook('onRequest', (request, _reply, done) => {
    if (!store.schedule.isDue()) return void done()
    store.schedule
      .settle()
      .catch((err) =>
        warnings.warn('schedule', request.log, { err }, 'scheduled records could not be published'),
      )
      .then(() => done())
  })

  await addOpenApi(app, VERSION)
  await addBodies(app)
  const pictures = openPictures(store.media, {
    dir: mediaDir,
    base: config.baseUrl,
    clock,
    download: { allow: config.downloadAllow, userAgent: `Almanac/${VERSION}` },
  })
  if (!link || link.writes)
    await pictures
      .sweep()
      .catch((err) => app.log.warn({ err }, 'files that were left behind could not be deleted'))
  const service = openService(store, pictures, config.baseUrl)
  const closeMethods = watchMethods(app)
  addRoot(app, service)
  await addDoc(app, service)
  addEvents(app, service)
  addLinked(app, service)
  addTerms(app, service)
  addMedia(app, service)
  addUsers(app, service)
  addPasswords(app, service)
  addTokens(app, service)
  await app.register(fastifyStatic, {
    root: mediaDir,
    prefix: `${SITE}/media/`,
    decorateReply: false,
    schemaHide: true,
    index: false,
    maxAge: '365d',
    immutable: true,
  })
  addHealth(app, store, { version: VERSION, stopping: () => stopping, metrics, token: config.metricsToken })
  addPermalinks(app, service, mounts[0]!)
  app.after(closeMethods)
  store.lists.load()
  await app.ready()
  return app
}
