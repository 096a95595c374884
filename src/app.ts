import dns from 'node:dns'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Config } from './calendar/config.ts'
import { CALENDAR } from './calendar/document.ts'
import { INTRODUCTION } from './calendar/introduction.ts'
import { schedule } from './calendar/jobs.ts'
import { openMediaFolder } from './calendar/media/folder.ts'
import { openPictures } from './calendar/media/pictures.ts'
import { addCalendar } from './calendar/plugins.ts'
import { openService, originAt } from './calendar/resource/service.ts'
import type { Store } from './calendar/store.ts'
import { openBeside, openDatabase, openShare } from './database.ts'
import type { ServiceFeature } from './features/host.ts'
import type { WorkerRole } from './features/nodes/forwarding.ts'
import { openNodePlugins } from './features/nodes/plugins.ts'
import { openNodeLog } from './features/nodes/status.ts'
import { FEATURES } from './features.ts'
import { SHARED } from './kernel/database/file.ts'
import { addFeatures } from './kernel/feature.ts'
import type { Pace } from './kernel/listeners.ts'
import type { Lookup } from './kernel/outbound/requests.ts'
import { otherMethods } from './kernel/server/methods.ts'
import { addPlugins } from './kernel/server/plugins.ts'
import { openServer } from './kernel/server/server.ts'
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
  worker?: WorkerRole | undefined
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

/** Builds the service, ready for `listen` or `inject`. Closing it closes its database. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { config, machine = Date.now, logger = false, lookup = dns.lookup, worker, pace } = options
  const { features = FEATURES } = options
  const writes = !worker || worker.writes
  const nodeLog = openNodeLog()
  const db = writes ? await openDatabase(config, nodeLog, machine) : openBeside(config)
  const clock = options.clock ?? db.replica?.now ?? Date.now
  const site = await openSite(db, config, clock, writes, features)
  const { store, parts, branding } = site
  const { pages } = parts
  const mediaDir = resolve(config.mediaDir)
  mkdirSync(mediaDir, { recursive: true, mode: SHARED.folder })
  const share = openShare(config)

  const server = openServer({ config, logger, rewriteUrl: site.rewriteUrl, pages })
  const { app, warnings } = server
  nodeLog.open(app.log)
  app.decorate('store', store)
  app.addHook('onClose', async () => {
    warnings.close()
    share?.close()
    await db.idle() // long writes have pauses, in which it must not be closed
    const kept = db.close()
    if (kept) throw kept
  })

  const { between, ...standing } = openNodePlugins(store, config, worker)
  const documented = [CALENDAR, ...features]
  addPlugins(
    server,
    {
      config,
      version: VERSION,
      introduction: INTRODUCTION,
      documented,
      store,
      clock,
      since: site.since,
      writes,
      worker,
      pace,
    },
    { ...between, publication: () => app.register(schedule, { store, warnings }) },
    standing,
  )
  const download = { allow: config.downloadAllow, userAgent: `Almanac/${VERSION}` }
  const folder = openMediaFolder(mediaDir, share)
  const pictures = openPictures(store.media, { folder, base: config.baseUrl, clock, download })
  const service = openService(store, pictures, config, branding, pages?.front.languages)
  const origin = originAt(config.baseUrl, site.mounts[0]!)
  addFeatures(app, features, { config, service, parts, origin, writes, warnings, clock, machine, lookup })
  addCalendar(app, { service, dir: mediaDir, config, warnings, writes })
  app.register(otherMethods)

  if (writes)
    await pictures
      .sweep()
      .catch((err) => app.log.warn({ err }, 'files that were left behind could not be deleted'))
  store.lists.load()
  await app.ready()
  return app
}
