import type { ModifiedQuery } from '../../../schemas/dates.ts'
import type { Site } from '../../rules/site.ts'
import { secondsOf, toUtc, toWall, type Wall } from '../../rules/time/dates.ts'
import { isRelative, readMoment } from '../../rules/time/moments.ts'
import type { Limit, Modified } from '../../store/store.ts'

/**
 * The filters of a list by the last change, the texts for its links, and the Unix millisecond until which they mean the same. A
 * time without an offset is in the site zone.
 */
export function readModified(query: ModifiedQuery, { clock, zone }: Pick<Site, 'clock' | 'zone'>) {
  const texts: Record<string, string> = {}
  let until = Number.POSITIVE_INFINITY
  const read = (name: keyof ModifiedQuery): Wall | undefined => {
    const given = query[name]
    if (given === undefined) return undefined
    const { wall, instant } = readMoment(given, { now: clock(), zone })!
    const at = instant === undefined ? toUtc(wall, zone) : toWall(instant, 'UTC')
    texts[name] = `${at.replace(' ', 'T')}Z`
    if (isRelative(given)) until = 0
    return at
  }
  const modified: Modified = { after: read('modified_after'), before: read('modified_before') }
  return { modified, texts, until }
}

/** The limits of lists of events. */
export function modifiedLimits({ after, before }: Modified): Limit[] {
  const limits: Limit[] = []
  if (after !== undefined) limits.push({ side: 'modified', than: '>', value: secondsOf(after), utc: true })
  if (before !== undefined) limits.push({ side: 'modified', than: '<', value: secondsOf(before), utc: true })
  return limits
}
