import { openBodies } from '../../../calendar/bodies.ts'
import { type FeedImporting, type FeedReport, importFeed, type LoadedFeed, loadFeed } from '../feeds/feed.ts'
import type { Validators, Web } from '../site/web.ts'
import type { Whole } from './whole.ts'

/** An event that could not be taken, or not whole, and why. */
export type Named = { kind: string; name: string; line?: number; why: string }

type FeedOptions = Pick<FeedImporting, 'store' | 'pictures' | 'category' | 'address' | 'shown'> & {
  hear: ((named: Named) => void) | undefined
}

/** Follows a source that is a feed. */
export function openFeed({ hear, ...importing }: FeedOptions, whole: Whole) {
  /** What its last answer is known by. */
  let known: Validators | undefined
  /** What was told of events that were not taken. */
  let heard = new Set<string>()

  /** Takes the feed as it was loaded. */
  async function take(
    { text, known: next }: LoadedFeed,
    now: number,
    own: Pick<FeedImporting, 'writer' | 'signal'>,
  ) {
    const read = openBodies(importing.store.site.languages)
    const report = await importFeed({ ...importing, ...own, read }, text, whole.goOn(now))
    const gone = report.gone.filter(({ why }) => why === undefined).length
    whole.note(now, { run: report.run, gone, ...tellOf(report) })
    known = next
  }

  /** Tells of what was not taken, and counts it. */
  function tellOf({ told, gone, counts }: FeedReport) {
    const named: Named[] = [
      ...told.map(({ kind, name, line, reason, remarks }) => ({
        ...{ kind, name, line, why: [...(reason === undefined ? [] : [reason]), ...remarks].join('; ') },
      })),
      ...gone.flatMap(({ why, ...one }) => (why === undefined ? [] : [{ ...one, why }])),
    ]
    const keyOf = ({ name, why }: Named) => `${name}\n${why}`
    for (const one of named) if (!heard.has(keyOf(one))) hear?.(one)
    heard = new Set(named.map(keyOf))
    const sum = (outcome: 'refused' | 'present') =>
      Object.values(counts).reduce((total, own) => total + own[outcome], 0)
    return {
      refused: sum('refused'),
      left: sum('present') + gone.filter(({ why }) => why !== undefined).length,
    }
  }

  return {
    take,
    /** Loads the feed; `same` if it did not change. */
    load: (web: Web, now: number) => loadFeed(web, importing, whole.isDue(now) ? {} : known),
    forget() {
      known = undefined
    },
  }
}
