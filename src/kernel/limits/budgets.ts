import { LRUCache } from 'lru-cache'

/** Clients that are remembered; of more, those who have not come for the longest begin anew. */
const MOST = 50_000
const MINUTE = 60_000

/**
 * Token buckets of one size, which is what flows into each of them in a minute. Units may be taken from an empty one, because what
 * something costs is known afterwards: it then owes them, at most as many as it holds.
 */
export function openBuckets(size: number, clock: () => number) {
  const perSecond = size / 60
  // counted by size: with `max` it would allocate places for all of them at the start
  const buckets = new LRUCache<string, ReturnType<typeof open>>({ maxSize: MOST, sizeCalculation: () => 1 })

  function open() {
    let left = size
    let at = clock()
    /** What is left now. */
    const fill = () => {
      const now = clock()
      left = Math.min(size, left + (Math.max(0, now - at) / MINUTE) * size)
      at = now
      return left
    }
    return {
      /** Seconds until there is a unit; 0 if there is one. */
      wait: () => Math.ceil(Math.max(0, 1 - fill()) / perSecond),
      take: (units: number) => {
        left = Math.max(-size, fill() - units)
      },
      /** The response fields about it (draft-ietf-httpapi-ratelimit-headers-10). */
      fields: () => ({
        'ratelimit-policy': `"cost";q=${size};w=60`,
        ratelimit: `"cost";r=${Math.max(0, Math.floor(fill()))};t=${Math.ceil((size - left) / perSecond)}`,
      }),
    }
  }

  return {
    /** The bucket of a client, which is full at first. */
    of(client: string) {
      const known = buckets.get(client)
      if (known) return known
      const bucket = open()
      buckets.set(client, bucket)
      return bucket
    },
  }
}

/** A limit on the bytes in use at the same time: in total, and for each user. */
export function openBudget(all: number, each: number) {
  let taken = 0
  const shares = new Map<string, number>()
  return {
    /** Reserves bytes; returns which limit prevents it, if any. */
    take(bytes: number, user: string): 'own' | 'all' | undefined {
      const share = (shares.get(user) ?? 0) + bytes
      if (share > each) return 'own'
      if (taken + bytes > all) return 'all'
      taken += bytes
      shares.set(user, share)
      return undefined
    },
    give(bytes: number, user: string) {
      const share = shares.get(user)! - bytes
      taken -= bytes
      if (share === 0) shares.delete(user)
      else shares.set(user, share)
    },
  }
}
