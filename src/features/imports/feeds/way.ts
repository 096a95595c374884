import { findRoot, readRoot } from '../site/source.ts'
import type { Web } from '../site/web.ts'
import { type LoadedFeed, loadFeed } from './feed.ts'
import { feedAddress } from './google.ts'

/** Addresses that are those of feeds. */
const LIKE_FEEDS =
  /\.(?:ics|ical|ifb|rss|atom|xml)(?:$|[?#])|[/?&=._-](?:ical|ics|rss|atom|feeds?)(?:[/?&=#]|$)/i

/**
 * Finds out what answers at an address: a feed, which is given as it was loaded, or an API, whose root is given. What is tried first is what the
 * address looks like. Throws what can be told to people if it is neither.
 */
export async function findWay(
  web: Web,
  { address: given, shown }: { address: string; shown: string },
): Promise<LoadedFeed | string> {
  const address = feedAddress(given)
  if (LIKE_FEEDS.test(address))
    try {
      return await loadWhole()
    } catch (error) {
      if (!('isOther' in (error as object))) throw error
      return findRoot(web, readRoot(address)).catch(() => {
        throw error
      })
    }
  try {
    return await findRoot(web, readRoot(address))
  } catch (error) {
    const feed = 'isNone' in (error as object) ? await loadWhole().catch(() => undefined) : undefined
    if (feed) return feed
    throw error
  }

  async function loadWhole() {
    return (await loadFeed(web, { address, shown })) as LoadedFeed
  }
}
