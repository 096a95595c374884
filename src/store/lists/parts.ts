import { LRUCache } from 'lru-cache'
import { finish, type Scheduler, type Task } from '../../support/scheduler.ts'
import type { Changes } from '../changes/changes.ts'
import { openFollowing } from '../changes/following.ts'
import { PART, PUBLIC_KINDS, type Public, type PublicKind, type PublicRecord } from './public.ts'

const MOST_BYTES = 32 * 2 ** 20
/** After more changes than these, everything is made again. */
const MOST_CHANGES = 5_000

/** Which parts of a kind have records, as far as they were counted, and those to be counted again. */
type Counted = { modified: Map<number, string>; until: number; changed: Set<number> }
const counted = (): Counted => ({ modified: new Map(), until: 0, changed: new Set() })

/** What makes a part: the text of some records, and the whole of such texts. */
type Print = { some(kind: PublicKind, records: PublicRecord[]): string; whole(texts: string[]): Buffer }

/**
 * The parts of the site map as they are sent. Each is made in turns with other long work, once for all who ask meanwhile, and kept until
 * a write changes a record in it.
 */
export function openParts({ last, modified, records }: Public, changes: Changes, scheduler: Scheduler) {
  const kept = new LRUCache<string, Buffer>({ maxSize: MOST_BYTES, sizeCalculation: ({ length }) => length })
  /** The parts that are being made from records that nobody has written to since. */
  const making = new Map<string, Promise<Buffer | undefined>>()
  const kinds = new Map(PUBLIC_KINDS.map((kind) => [kind, counted()]))
  const follow = openFollowing(changes, PUBLIC_KINDS, {
    on: ({ kind, id }) => change(kind as PublicKind, Math.ceil(id / PART)),
    reset: forget,
    most: MOST_CHANGES,
  })

  function forget() {
    kept.clear()
    making.clear()
    for (const kind of PUBLIC_KINDS) kinds.set(kind, counted())
  }
  function change(kind: PublicKind, part: number) {
    const key = `${kind} ${part}`
    kept.delete(key)
    making.delete(key)
    kinds.get(kind)!.changed.add(part)
  }

  /** Counts what is new and what has changed. */
  function* count(kind: PublicKind, known: Counted): Task<void> {
    const end = last(kind)
    for (const [part, at] of yield* modified(kind, known.until + 1, end)) known.modified.set(part, at)
    known.until = Math.max(known.until, end)
    for (const part of known.changed) {
      known.changed.delete(part)
      known.modified.delete(part)
      for (const [, at] of finish(modified(kind, part, part))) known.modified.set(part, at)
      yield
    }
  }

  function* make(print: Print, kind: PublicKind, part: number): Task<Buffer | undefined> {
    const texts: string[] = []
    for (const some of records(kind, part)) {
      texts.push(print.some(kind, some))
      yield
    }
    return texts.every((text) => text === '') ? undefined : print.whole(texts)
  }

  return {
    kinds: PUBLIC_KINDS,
    /** The parts of a kind that have records, from 1, with the last change of these. */
    async list(kind: PublicKind): Promise<{ part: number; modified: string }[]> {
      follow()
      const known = kinds.get(kind)!
      await scheduler.run(count(kind, known))
      return [...known.modified].sort(([a], [b]) => a - b).map(([part, modified]) => ({ part, modified }))
    },
    /** The bytes of a part; undefined if it has no records. `print` is the same at each call. */
    async bytes(kind: PublicKind, part: number, print: Print): Promise<Buffer | undefined> {
      follow()
      const key = `${kind} ${part}`
      const known = kept.get(key) ?? making.get(key)
      if (known) return known
      const made = Promise.resolve(scheduler.run(make(print, kind, part)))
      making.set(key, made)
      try {
        const bytes = await made
        follow()
        if (bytes && making.get(key) === made) kept.set(key, bytes)
        return bytes
      } finally {
        if (making.get(key) === made) making.delete(key)
      }
    },
  }
}
