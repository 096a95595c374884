import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import type { Documented } from './openapi/document.ts'
import type { Negotiable } from './output/negotiation.ts'
import type { SettingTable } from './settings.ts'

/** What features add to the store, by the names of the members. Each feature declares its own. */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it
export interface FeatureStores {}

/** What a part of the service declares: what it adds to the document, and in what other formats it answers. */
export type ServicePart = Documented & Negotiable

/** The plugins of the kernel that features add to. */
const BENEATH = ['health', 'metrics', 'openapi', 'retention', 'mailing']

/** Registers the plugins of features in their order. Throws if one of them lacks another one that it needs. */
export function addFeatures<Host extends object>(
  app: FastifyInstance,
  features: readonly Feature<never, Host, FastifyInstance>[],
  host: Host,
) {
  const names = new Set(features.map(({ name }) => name))
  for (const { name, needs = [], plugin } of features) {
    const lacking = needs.find((needed) => !names.has(needed))
    if (lacking)
      throw new Error(`The feature "${name}" needs the feature "${lacking}", which is not in the list.`)
    app.register(
      fp(plugin as FastifyPluginAsync<Host>, { name: `feature ${name}`, dependencies: BENEATH }),
      host as never,
    )
  }
}

/**
 * A capability of the service that can be left out: one that is not in the list has no routes, no part of the document, and does nothing. Its
 * tables stay, as all calendars have the same. `Store` is what the service reads and writes, `Host` what its plugins are given.
 */
export type Feature<Store, Host, App> = ServicePart & {
  /** What distinguishes it from the other features. */
  name: string
  /** The names of the features without which it can not be. They come before it in the list. */
  needs?: readonly string[]
  settings?: SettingTable
  /** Its part of the store, also for commands: what it keeps, and what it does when something else is written. */
  openStore?(store: Store): Partial<FeatureStores>
  /** Adds its routes, its metrics and what it does while the service runs. */
  plugin(app: App, host: Host): Promise<void>
}
