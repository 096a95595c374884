import { type Importing, importFrom } from '../site/import.ts'
import type { Report } from '../site/report.ts'
import type { openChanges } from './changes.ts'
import type { Whole } from './whole.ts'

type Changes = ReturnType<typeof openChanges>

/** How often lists are looked through at once, if the source changes meanwhile. */
const MOST_TIMES = 3

/** How many records an import moved to the trash or deleted. */
const goneIn = ({ counts }: Report): number =>
  Object.values(counts).reduce((sum, { gone = 0 }) => sum + gone, 0)

/** Follows a source by its API: by the changes that it tells, or through its lists. */
export function openLists(whole: Whole) {
  let token: string | undefined

  /** Looks through all lists. */
  async function lookThrough(from: Importing, now: number) {
    const report = await importFrom(from, whole.goOn(now))
    const { run, refused, left } = report
    whole.note(now, { run, refused: refused.length, left: left.length, gone: goneIn(report) })
  }

  /** Takes what changed since the token; false if the source takes it no more. */
  async function takeChanges(from: Importing, now: number, { since }: Changes): Promise<boolean> {
    for (let hasMore = true; hasMore; ) {
      const told = await since(token!)
      if (told === 'ended') return false
      const { changes } = told
      if (changes.length > 0) whole.lose(goneIn(await importFrom(from, { changes, ...whole.goOn(now) })))
      token = told.token
      hasMore = told.hasMore
    }
    return true
  }

  /** Whether anything changed since a token. What can not be asked now is asked by the next look. */
  async function hasMoved({ since }: Changes, from: string): Promise<boolean> {
    const told = await since(from).catch(() => 'ended' as const)
    return told !== 'ended' && told.changes.length > 0
  }

  return {
    /** Whether the source tells its changes. */
    isTold: () => token !== undefined,
    async follow(from: Importing, now: number, changes: Changes) {
      if (!whole.isDue(now) && token !== undefined && (await takeChanges(from, now, changes))) return
      let next: string | undefined
      let times = 0
      do {
        // before the lists are read, so that nothing falls between
        next = await changes.begin()
        await lookThrough(from, now)
        token = next
        // what goes while lists are read moves others from a page that was not read to one that was
      } while (++times < MOST_TIMES && next !== undefined && (await hasMoved(changes, next)))
    },
    forget() {
      token = undefined
    },
  }
}
