import { LRUCache } from 'lru-cache'
import type { EventRecord } from '../../formats/records.ts'
import { type Changes, openFollowing } from '../changes/changes.ts'
import type { openRecords } from './records.ts'

/** Events that are kept: a few megabytes. */
const MOST = 2_000

/**
 * Whole events as visitors without credentials see them. They are kept until a write changes what they show, because the events of the
 * next days are in many pages.
 */
export function openPublished(
  { posts }: Pick<ReturnType<typeof openRecords>, 'posts'>,
  changes: Changes,
  most?: number,
) {
  const kept = new LRUCache<number, EventRecord>({ max: MOST })
  const follow = openFollowing(changes, ['event'], {
    on: ({ id }) => kept.delete(id),
    reset: () => kept.clear(),
    most,
  })

  /** Events in the order of `ids`, without deleted ones. Access was checked before. */
  return async (ids: number[]): Promise<EventRecord[]> => {
    const state = follow()
    const known = new Map(ids.map((id) => [id, kept.get(id)]))
    const missing = ids.filter((id) => known.get(id) === undefined)
    const read = (await posts(missing, { caller: undefined })) as EventRecord[]
    for (const event of read) known.set(event.id, event)
    // a write in between may have changed some of them
    if (changes.latest().seq === state) for (const event of read) kept.set(event.id, event)
    return ids.flatMap((id) => known.get(id) ?? [])
  }
}
