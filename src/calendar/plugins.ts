import type { FastifyInstance } from 'fastify'
import type { Warnings } from '../kernel/server/log.ts'
import { jobs } from './jobs.ts'
import type { Service } from './resource/service.ts'
import { docRoutes } from './routes/doc.ts'
import { mediaFiles, mediaRoutes, mediaUseRoutes } from './routes/media.ts'
import { indexRoutes } from './routes/namespace.ts'
import { eventRoutes, linkedRoutes, seriesRoutes, termRoutes } from './routes/records.ts'
import { settingsRoutes } from './routes/settings.ts'
import { suggestRoutes } from './routes/suggest.ts'

/** The routes of the calendar. */
const ROUTES = [
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

type Options = {
  service: Service
  /** The folder of images. */
  dir: string
  /** For how many days changes and the audit log are kept. */
  config: { changesDays: number | undefined; auditDays: number | undefined }
  warnings: Warnings
  /** Whether this process writes. */
  writes: boolean
}

/** Adds the routes of the calendar, and what runs by itself. */
export function addCalendar(app: FastifyInstance, { service, dir, config, warnings, writes }: Options) {
  const { store, pictures } = service
  store.documents.onDamage(({ id, what }) =>
    app.log.error(
      { record: id },
      `the stored document of a record ${what}; it is derived at each read until \`almanac rebuild\` stores it`,
    ),
  )
  app.register(jobs, { store, pictures, config, warnings, writes })
  for (const routes of ROUTES) app.register(routes, { service })
  app.register(mediaFiles, { pictures, dir })
}
