import type { FastifyInstance } from 'fastify'
import type { Origin } from '../calendar/formats/json.ts'
import type { Service } from '../calendar/resource/service.ts'
import type { Store } from '../calendar/store.ts'
import type { Config } from '../config.ts'
import type { Feature } from '../kernel/feature.ts'
import type { Lookup } from '../kernel/outbound/guard.ts'

/** What the plugins of features are given. */
export type Host = {
  config: Config
  service: Service
  /** Where the records of the first mount are. */
  origin: Origin
  /** Whether this process writes; of several, one does. */
  writes: boolean
  /** How names of hosts are looked up. */
  lookup: Lookup
}

/** A feature of this service. */
export type ServiceFeature = Feature<Store, Host, FastifyInstance>
