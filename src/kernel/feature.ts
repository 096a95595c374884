/** What features add to the store, by their names. Each feature declares its own part. */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it
export interface FeatureStores {}

/**
 * A capability of the service that can be left out: one that is not in the list has no routes, no part of the document, and does nothing. Its
 * tables stay, as all calendars have the same. `Store` is what the service reads and writes, `Host` what its plugins are given.
 */
export type Feature<Store, Host, App> = {
  /** What distinguishes it from the other features. */
  name: string
  /** The tags of its operations in the document, with their descriptions. */
  tags?: Record<string, string>
  /** Its part of the store, also for commands: what it keeps, and what it does when something else is written. */
  openStore?(store: Store): FeatureStores[keyof FeatureStores]
  /** Adds its routes, its metrics and what it does while the service runs. */
  plugin(app: App, host: Host): Promise<void>
}
