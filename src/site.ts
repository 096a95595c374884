import { openBranding } from './calendar/branding.ts'
import type { Config } from './calendar/config.ts'
import { resolveSettings, storeSettings } from './calendar/settings.ts'
import { openStore } from './calendar/store.ts'
import type { ServiceFeature, SiteParts } from './features/host.ts'
import type { Db } from './kernel/database/db.ts'
import { openRenderVersion, renderVersionOf, storeRenderVersion } from './kernel/database/stored-settings.ts'
import { buildMounts, checkPrefix, prefixOf } from './kernel/server/mounts.ts'

/**
 * The site as the database keeps it, or from now on keeps it if this process writes, and its mounts. Closes the database if that
 * fails.
 */
export async function openSite(
  db: Db,
  config: Config,
  clock: () => number,
  writes: boolean,
  features: readonly ServiceFeature[],
) {
  try {
    const settled = resolveSettings(db, config)
    const { timezone: zone, currency, languages } = settled
    const mounts = buildMounts(config.namespace, config.compatPrefixes, languages)
    checkPrefix(prefixOf(config.baseUrl), mounts)
    const site = { clock, zone, currency, languages, seriesDays: config.seriesDays }
    const store = openStore(db, site, features)
    const branding = openBranding(config, store.settings)
    const parts: SiteParts = { rewrites: [], versions: [] }
    for (const { addToSite } of features) addToSite?.({ config, site, mounts, branding }, parts)
    const renderVersion = renderVersionOf(config, [
      zone,
      currency,
      languages,
      ...parts.versions,
      config.compatLanguages,
    ])
    const began = Math.floor(clock() / 1_000) * 1_000
    if (writes) {
      await storeSettings(db, settled, clock)
      await store.identity()
      await storeRenderVersion(db, renderVersion, began).catch(() => {}) // then it is known to this process alone
    }
    return {
      mounts,
      store,
      since: openRenderVersion(db, renderVersion, began),
      branding,
      parts,
    }
  } catch (error) {
    db.close()
    throw error
  }
}
