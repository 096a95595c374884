import dns from 'node:dns'
import { mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import fp from 'fastify-plugin'
import { CALENDAR } from './calendar/document.ts'
import { INTRODUCTION } from './calendar/introduction.ts'
import { horizon } from './calendar/jobs/horizon.ts'
import { keeping } from './calendar/jobs/keeping.ts'
import { leftovers } from './calendar/jobs/leftovers.ts'
import { schedule } from './calendar/jobs/schedule.ts'
import { words } from './calendar/jobs/words.ts'
import { openMediaFolder } from './calendar/media/folder.ts'
import { openPictures } from './calendar/media/pictures.ts'
import { openService, originAt } from './calendar/resource/service.ts'
import { docRoutes } from './calendar/routes/doc.ts'
import { eventRoutes } from './calendar/routes/events.ts'
import { linkedRoutes } from './calendar/routes/linked.ts'
import { mediaFiles, mediaRoutes } from './calendar/routes/media.ts'
import { indexRoutes } from './calendar/routes/namespace.ts'
import { seriesRoutes } from './calendar/routes/series.ts'
import { settingsRoutes } from './calendar/routes/settings.ts'
import { suggestRoutes } from './calendar/routes/suggest.ts'
import { termRoutes } from './calendar/routes/terms.ts'
import { mediaUseRoutes } from './calendar/routes/uses.ts'
import type { Store } from './calendar/store.ts'
import type { Config } from './config.ts'
import { openBeside, openDatabase, openShare } from './database.ts'
import type { Host, ServiceFeature } from './features/host.ts'
import { ahead, doubt } from './features/nodes/cluster/ahead.ts'
import { type Link, relay } from './features/nodes/cluster/relay.ts'
import { openLag, openStatus, replica } from './features/nodes/cluster/replica.ts'
import { addressOf } from './features/nodes/connection/url.ts'
import { addNodeMetrics } from './features/nodes/metrics.ts'
import { openNodeLog } from './features/nodes/node-log.ts'
import type { Pages } from './features/pages/pages.ts'
import { FEATURES } from './features.ts'
import { auth } from './kernel/access/auth.ts'
import { rights } from './kernel/access/rights.ts'
import { audit } from './kernel/audit/requests.ts'
import { answers, heads } from './kernel/cache/answers.ts'
import type { Db } from './kernel/database/db.ts'
import { SHARED } from './kernel/database/modes.ts'
import { repeats } from './kernel/idempotency/idempotency.ts'
import { bodies } from './kernel/input/body.ts'
import { intake } from './kernel/input/intake.ts'
import { parameters, understood } from './kernel/input/query.ts'
import { openValidation, validator } from './kernel/input/validator.ts'
import { retention } from './kernel/jobs/retention.ts'
import { arrivals } from './kernel/limits/arrivals.ts'
import { costs } from './kernel/limits/costs.ts'
import { limits } from './kernel/limits/limits.ts'
import { overload } from './kernel/limits/overload.ts'
import { listeners, type Pace } from './kernel/listeners/listeners.ts'
import { health } from './kernel/monitoring/health.ts'
import { metrics } from './kernel/monitoring/metrics.ts'
import { openapi } from './kernel/openapi/document.ts'
import type { Lookup } from './kernel/outbound/guard.ts'
import { type MailCounts, mailing } from './kernel/outbound/mailing.ts'
import { entrance } from './kernel/server/entrance.ts'
import { errorAnswers, isPage, openErrors } from './kernel/server/errors.ts'
import { headers } from './kernel/server/headers.ts'
import { log, openAddresses, openIds, proxies } from './kernel/server/log.ts'
import { methods, otherMethods } from './kernel/server/methods.ts'
import { pipelining } from './kernel/server/pipelining.ts'
import { openServer } from './kernel/server/server.ts'
import { unread } from './kernel/server/unread.ts'
import { openWarnings, type Warnings } from './kernel/server/warnings.ts'
import { VERSION } from './package.ts'
import { openSite } from './site.ts'

export type App = FastifyInstance

export type AppOptions = {
  config: Config
  /** Unix milliseconds (R6). Default: the clock of the system. */
  clock?: () => number
  /** The clock of the machine, which a node compares with PostgreSQL's; in Unix milliseconds. */
  machine?: () => number
  logger?: FastifyServerOptions['logger']
  /** How names of hosts are looked up that features send to. Default: by the system. */
  lookup?: Lookup
  /** Set if this is one of several processes on the database. */
  link?: Link | undefined
  /** How often listeners are looked after. */
  pace?: Pace
  /** What the service has beside the calendar. Default: all that there is. */
  features?: readonly ServiceFeature[]
}

declare module 'fastify' {
  interface FastifyInstance {
    store: Store
  }
}

/** Tells other nodes where this one listens: with `PORT=0`, that is known only now. */
function noteAddress({ server, store }: App, { host }: Config) {
  const { port } = server.address() as AddressInfo
  store.db.node?.listens(addressOf({ host, port }))
}

/** The routes of the calendar. */
const API = [
  indexRoutes,
  docRoutes,
  eventRoutes,
  seriesRoutes,
  linkedRoutes,
  termRoutes,
  suggestRoutes,
  mediaRoutes,
  mediaUseRoutes,
  settingsRoutes,
]
/** The plugins that features add to. */
const BENEATH = ['health', 'metrics', 'openapi', 'retention', 'mailing']

/** Registers features in their order. Throws if one of them lacks another one that it needs. */
function addFeatures(app: App, features: readonly ServiceFeature[], host: Host) {
  const names = new Set(features.map(({ name }) => name))
  for (const { name, needs = [], plugin } of features) {
    const lacking = needs.find((needed) => !names.has(needed))
    if (lacking)
      throw new Error(`The feature "${name}" needs the feature "${lacking}", which is not in the list.`)
    app.register(fp(plugin, { name: `feature ${name}`, dependencies: BENEATH }), host)
  }
}

/** What plugins need, beside the settings. */
type Parts = Pick<AppOptions, 'config' | 'link' | 'pace'> & {
  clock(): number
  writes: boolean
  db: Db
  store: Store
  pages: Pages | undefined
  since(): number
  ids(): string
  warnings: Warnings
  sendError: ReturnType<typeof openErrors>
  schemasOfBodies: ReturnType<typeof openValidation>['bodies']
  features: readonly ServiceFeature[]
}

/** Registers what requests pass before and after their routes, in its order. */
function addPlugins(
  app: App,
  {
    config,
    clock,
    link,
    pace,
    writes,
    db,
    store,
    pages,
    since,
    ids,
    warnings,
    sendError,
    schemasOfBodies,
    features,
  }: Parts,
) {
  const mailCounts: MailCounts = { sent: 0, put_off: 0, given_up: 0 }
  const office = config.smtpUrl === '' ? undefined : { url: config.smtpUrl, from: config.mailFrom }
  const readStatus = openStatus(db, (config.postgres ?? config.mirror) ? link : undefined)
  const lag = openLag(db, readStatus)
  app.register(errorAnswers, { send: sendError })
  app.register(metrics, {
    ...{ db, mails: store.mails, mailCounts },
    version: VERSION,
    ...{ link, config },
  })
  app.after(() => {
    const { node } = db
    if (node) app.measure(({ library, registers }) => addNodeMetrics(node, library, registers))
  })
  app.register(log)
  app.register(methods)
  app.register(heads)
  app.register(headers, {
    ...{ origins: config.corsOrigins, baseUrl: config.baseUrl, clock },
    isPage: pages ? isPage : () => false,
    pictures: config.mapTiles ? [new URL(config.mapTiles).origin] : [],
  })
  app.register(health, {
    ...{ version: VERSION, store, token: config.metricsToken, readStatus },
  })
  app.after(() => app.reportHealth('mail', () => (office ? { waiting: store.mails.waiting() } : undefined)))
  app.register(proxies, { trusted: config.trustProxy })
  app.register(understood)
  const addressOf = openAddresses(config.trustProxy)
  app.register(entrance)
  app.register(arrivals, { addressOf })
  app.register(answers, {
    ...{ store, clock, ids, lag, since, maxAge: config.maxAge, limited: config.rateLimit !== undefined },
    addressOf,
  })
  app.register(pipelining)
  app.register(unread, { warnings })
  const forwards = config.mirrorWrites === 'forward'
  app.register(relay, { store, link, forwards })
  app.register(ahead, { store })
  app.register(overload, { maxDelay: config.maxDelay })
  app.register(limits, { perMinute: config.rateLimit })
  app.register(listeners, { store, warnings, link, most: config.listeners, pace })
  app.register(replica, { db, lag, staleReads: config.staleReads })
  app.register(audit, { store, clock, warnings, writes })
  app.register(auth, { store, clock, warnings, baseUrl: config.baseUrl })
  app.register(costs, { perMinute: config.costLimit, clock })
  app.register(schedule, { store, warnings })
  app.register(retention, { db, changes: store.changes, warnings, writes })
  app.register(mailing, {
    ...{ store, warnings, counts: mailCounts },
    office: writes ? office : undefined,
  })
  app.register(horizon, { store, warnings, writes })
  app.register(words, { store, warnings, writes })
  app.register(intake)
  app.register(bodies)
  app.register(validator, { bodies: schemasOfBodies })
  app.register(parameters)
  app.register(rights)
  app.register(doubt, { db })
  app.register(repeats, { store, warnings })
  app.register(openapi, { version: VERSION, introduction: INTRODUCTION, parts: [CALENDAR, ...features] })
}

/** Builds the service, ready for `listen` or `inject`. Closing it closes its database. */
export async function buildApp({
  config,
  clock: given,
  machine = Date.now,
  logger = false,
  lookup = dns.lookup,
  link,
  pace,
  features = FEATURES,
}: AppOptions): Promise<App> {
  const writes = !link || link.writes
  const nodeLog = openNodeLog()
  const db = writes ? await openDatabase(config, nodeLog, machine) : openBeside(config)
  const clock = given ?? db.node?.now ?? Date.now
  const { store, since, rewriteUrl, mounts, look, parts } = await openSite(
    db,
    config,
    clock,
    writes,
    features,
  )
  const { pages } = parts
  const mediaDir = resolve(config.mediaDir)
  mkdirSync(mediaDir, { recursive: true, mode: SHARED.folder })
  const share = openShare(config)

  const ids = openIds()
  const warnings = openWarnings()
  const sendError = openErrors(warnings, pages)
  const { bodies: schemasOfBodies, schemaController } = openValidation()
  const app = openServer({ config, logger, ids, rewriteUrl, sendError, schemaController })
  nodeLog.open(app.log)
  app.decorate('store', store)
  store.documents.onDamage(({ id, what }) =>
    app.log.error(
      { record: id },
      `the stored document of a record ${what}; it is derived at each read until \`almanac rebuild\` stores it`,
    ),
  )
  app.addHook('onListen', async () => noteAddress(app, config))
  app.addHook('onClose', async () => {
    warnings.close()
    share?.close()
    await db.idle() // long writes have pauses, in which it must not be closed
    const kept = db.close()
    if (kept) throw kept
  })

  const pictures = openPictures(store.media, {
    folder: openMediaFolder(mediaDir, share),
    base: config.baseUrl,
    clock,
    download: { allow: config.downloadAllow, userAgent: `Almanac/${VERSION}` },
  })
  addPlugins(app, {
    ...{ config, clock, link, pace, writes },
    ...{ db, store, pages, since, ids, warnings, sendError, schemasOfBodies },
    features,
  })

  const service = openService(store, pictures, config, look, pages)
  const origin = originAt(config.baseUrl, mounts[0]!)
  const host = { config, service, parts, origin, writes, warnings, clock, machine, lookup }
  addFeatures(app, features, host)
  app.register(keeping, { store, changesDays: config.changesDays, auditDays: config.auditDays })
  for (const routes of API) app.register(routes, { service })
  app.register(mediaFiles, { pictures, dir: mediaDir })
  if (writes) app.register(leftovers, { db, pictures })
  app.register(otherMethods)

  if (writes)
    await pictures
      .sweep()
      .catch((err) => app.log.warn({ err }, 'files that were left behind could not be deleted'))
  store.lists.load()
  await app.ready()
  return app
}
