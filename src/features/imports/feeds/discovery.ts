import { inTurns } from '../../../kernel/tasks/scheduler.ts'
import { decode } from '../files/text.ts'
import { findRoot, readRoot } from '../site/source.ts'
import { failed, type Validators, type Web } from '../site/web.ts'
import { isFeed } from './feed.ts'

/** The ID of a calendar in an address, which Google writes in base64 where people share one. */
function calendarIn(id: string): string {
  const text = Buffer.from(id, 'base64').toString()
  return id.includes('@') || !/^[\w.+#%-]+@[\w.-]+$/.test(text) ? id : text
}

/** The address of the feed of a public calendar of Google, for those at which people see, embed or share it; any other as it is. */
export function feedAddress(address: string): string {
  const { hostname, pathname, searchParams } = new URL(address)
  if (!/^(?:calendar|www)\.google\.com$/.test(hostname) || !pathname.startsWith('/calendar')) return address
  const id = searchParams.get('src') ?? searchParams.get('cid')
  if (!id) return address
  if (/^(?:https?|webcal):/i.test(id)) return id.replace(/^(?:webcal|http):/i, 'https:')
  return `https://calendar.google.com/calendar/ical/${encodeURIComponent(calendarIn(id))}/public/basic.ics`
}

/** The address of a feed, and what messages call it. */
export type FeedSource = { address: string; shown: string }
/** A feed as it was loaded. */
export type LoadedFeed = { text: string; known: Validators }

/** Loads a feed; `same` if it did not change. Throws if what answers is something else, with `isOther`, or if it can not be had. */
export async function loadFeed(
  web: Web,
  { address, shown }: FeedSource,
  known: Validators = {},
): Promise<LoadedFeed | 'same'> {
  const answer = await web.load(feedAddress(address), shown, known)
  if (answer.status === 304) return 'same'
  const text = answer.status === 200 ? await inTurns(decode(answer.bytes)) : ''
  if (isFeed(text)) return { text, known: answer.known }
  throw failed(
    answer.status === 200
      ? `${shown} answers with something else than a calendar or a feed; it may ask to sign in, or have moved`
      : `${shown} answers ${answer.status}`,
    { isOther: true },
  )
}

/** Addresses that are those of feeds. */
const LIKE_FEEDS =
  /\.(?:ics|ical|ifb|rss|atom|xml)(?:$|[?#])|[/?&=._-](?:ical|ics|rss|atom|feeds?)(?:[/?&=#]|$)/i

/**
 * Finds out what answers at an address: a feed, which is given as it was loaded, or an API, whose root is given. What is tried first is what the
 * address looks like. Throws what can be told to people if it is neither.
 */
export async function discover(
  web: Web,
  { address: given, shown }: FeedSource,
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
