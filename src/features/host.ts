import type { FastifyInstance } from 'fastify'
import type { Origin } from '../calendar/formats/json.ts'
import type { Service } from '../calendar/resource/service.ts'
import type { Store } from '../calendar/store.ts'
import type { Config } from '../config.ts'
import type { Feature } from '../kernel/feature.ts'
import type { Lookup } from '../kernel/outbound/requests.ts'
import type { Warnings } from '../kernel/server/log.ts'
import type { Face, Mount } from '../kernel/server/mounts.ts'
import type { Site } from '../kernel/site.ts'
import type { Look } from './pages/look.ts'

/** What features add to the site before there is a server. Each declares its own members. */
export interface SiteParts {
  /** Leads addresses to what is meant, before routing. */
  rewrite?: Face
  /** What responses depend on beside records: if it differs after a restart, nothing that caches hold is valid. */
  versions: unknown[]
}

/** What there is before the server. */
export type Early = {
  config: Config
  site: Site
  mounts: readonly Mount[]
  /** How the site shows itself, as of now. */
  look(): Look
}

/** What the plugins of features are given. */
export type Host = {
  config: Config
  service: Service
  /** What features have added before the server. */
  parts: SiteParts
  /** Where the records of the first mount are. */
  origin: Origin
  /** Whether this process writes; of several, one does. */
  writes: boolean
  warnings: Warnings
  /** The clock of the service, and that of the machine; in Unix milliseconds. */
  clock(): number
  machine(): number
  /** How names of hosts are looked up. */
  lookup: Lookup
}

/** A feature of this service. */
export type ServiceFeature = Feature<Store, Host, FastifyInstance> & {
  /** Adds what there must be before the server, in the order of the list. */
  addToSite?(early: Early, parts: SiteParts): void
}
