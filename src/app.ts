import dns from 'node:dns'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Config } from './calendar/config.ts'
import { CALENDAR } from './calendar/document.ts'
import { publication } from './calendar/jobs.ts'
import { openMediaFolder } from './calendar/media/folder.ts'
import { openPictures } from './calendar/media/pictures.ts'
import { addCalendar } from './calendar/plugins.ts'
import { openService, originAt } from './calendar/resource/service.ts'
import type { Store } from './calendar/store.ts'
import { openBeside, openDatabase, openEarlyLog, openShare } from './database.ts'
import { DOCUMENTATION } from './document.ts'
import type { ServiceFeature } from './features/host.ts'
import { FEATURES } from './features.ts'
import { SHARED } from './kernel/database/file.ts'
import type { Pace } from './kernel/event-streams.ts'
import { addFeatures } from './kernel/feature.ts'
import type { Lookup } from './kernel/outbound/requests.ts'
import { loadHash } from './kernel/output/header-values.ts'
import { otherMethods } from './kernel/server/methods.ts'
import { addPlugins } from './kernel/server/plugins.ts'
import { openServer } from './kernel/server/server.ts'
import { VERSION } from './package.ts'
import { openStanding, relay, type WorkerRole } from './run/forwarding.ts'
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
  await loadHash()
  const log = openEarlyLog()
  const db = writes ? await openDatabase(config, { log, machine, features }) : openBeside(config, features)
  const clock = options.clock ?? db.replica?.now ?? Date.now
  const site = await openSite(db, config, clock, writes, features)
  const { store, parts, branding } = site
  const { pages } = parts
  const mediaDir = resolve(config.mediaDir)
  mkdirSync(mediaDir, { recursive: true, mode: SHARED.folder })
  const share = openShare(config, features)

  const server = openServer({
    ...{ config, logger, pages, mounts: site.mounts, rewrites: parts.rewrites },
    parts: [CALENDAR, ...features],
  })
  const { app, warnings } = server
  log.open(app.log)
  app.decorate('store', store)
  app.addHook('onClose', async () => {
    warnings.close()
    share?.close()
    await db.idle() // long writes have pauses, in which it must not be closed
    const kept = db.close()
    if (kept) throw kept
  })

  // of several processes, the writer knows how they stand to other machines, or to the source of a mirror
  const standing = openStanding(db, (config.postgres ?? config.mirror) ? worker : undefined)
  const forwards = config.mirrorWrites === 'forward'
  addPlugins(
    server,
    {
      config,
      version: VERSION,
      documentation: DOCUMENTATION,
      store,
      clock,
      since: site.since,
      writes,
      worker,
      pace,
    },
    [
      {
        ...(worker && { relay: () => app.register(relay, { store, worker, forwards }) }),
        publication: () => app.register(publication, { store, warnings }),
      },
      ...features.flatMap(({ between }) => between?.(store, config, standing) ?? []),
    ],
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
