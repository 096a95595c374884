import { LRUCache } from 'lru-cache'

/** Clients that are remembered; of more, those who have not come for the longest begin anew. */
const MOST = 50_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How often somebody may do something within an hour, and within a day. */
export type Quota = { hour: number; day: number }

/** Counts what clients do, each time by itself: whoever has done it so often waits until the first of these times is an hour or a day ago. */
export function openQuotas({ hour, day }: Quota, clock: () => number) {
  const times = new LRUCache<string, number[]>({ maxSize: MOST, sizeCalculation: () => 1 })
  const recent = (client: string) => (times.get(client) ?? []).filter((at) => at > clock() - DAY)
  return {
    /** Seconds until a client may do it again; 0 if it may now. */
    wait(client: string): number {
      const all = recent(client)
      const ofHour = all.filter((at) => at > clock() - HOUR)
      const waits = [
        ...(ofHour.length >= hour ? [ofHour[ofHour.length - hour]! + HOUR] : []),
        ...(all.length >= day ? [all[all.length - day]! + DAY] : []),
      ]
      return Math.ceil((Math.max(clock(), ...waits) - clock()) / 1_000)
    },
    /** Notes that it is done. Returns a function that takes the note back, where it was not done after all. */
    take(client: string): () => void {
      const now = clock()
      times.set(client, [...recent(client), now].slice(-day))
      return () => {
        const all = recent(client)
        const own = all.lastIndexOf(now)
        times.set(
          client,
          all.filter((_, at) => at !== own),
        )
      }
    },
  }
}
