import * as beside from './beside.ts'
import { keep, settle } from './calendar/settings/settings.ts'
import { openStore } from './calendar/store.ts'
import type { Config } from './config.ts'
import type { ServiceFeature } from './features/host.ts'
import { openLook } from './features/pages/look.ts'
import { openPages } from './features/pages/pages.ts'
import type { Db } from './kernel/database/db.ts'
import { openRenderVersion, renderVersionOf, storeRenderVersion } from './kernel/database/stored-settings.ts'
import { buildMounts, buildRewrite, checkPrefix, prefixOf } from './kernel/server/mounts.ts'

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
    const settled = settle(db, config)
    const { timezone: zone, currency, languages } = settled
    const mounts = buildMounts(config.namespace, config.compatPrefixes, languages)
    const prefix = prefixOf(config.baseUrl)
    checkPrefix(prefix, mounts)
    const site = { clock, zone, currency, languages, horizon: config.seriesDays }
    const store = openStore(db, site, features)
    const [room] = Object.values<beside.OpenRoom>(beside).map((open) => open(mounts, languages, config))
    const look = openLook(config, store.settings)
    const pages = openPages(
      config,
      { clock, zone, currency, languages },
      look,
      room?.markupIn(config.baseUrl),
    )
    const renderVersion = renderVersionOf(config, [
      settled.timezone,
      settled.currency,
      settled.languages,
      pages?.front,
      config.compatLanguages,
    ])
    const began = Math.floor(clock() / 1_000) * 1_000
    if (writes) {
      await keep(db, settled, clock)
      await store.identity()
      await storeRenderVersion(db, renderVersion, began).catch(() => {}) // then it is known to this process alone
    }
    return {
      mounts,
      store,
      since: openRenderVersion(db, renderVersion, began),
      rewriteUrl: buildRewrite(mounts, prefix, room?.rewrite),
      look,
      pages,
      room,
    }
  } catch (error) {
    db.close()
    throw error
  }
}
