import { type EventRecord, type Ref, venuesOf } from './event.ts'
import { moveWall } from './wall.ts'

/** What is changed of several events; what is absent stays. */
export type Change = {
  add: { categories: Ref[]; tags: Ref[] }
  remove: { categories: Ref[]; tags: Ref[] }
  venue?: number
  featured?: boolean
  event_status?: string
  days?: number
}

/** A change of nothing. */
export const NO_CHANGE: Change = { add: { categories: [], tags: [] }, remove: { categories: [], tags: [] } }

/** Whether a change has anything in it. */
export const isEmpty = ({ add, remove, venue, featured, event_status, days }: Change): boolean =>
  [...add.categories, ...add.tags, ...remove.categories, ...remove.tags].length === 0 &&
  [venue, featured, event_status].every((value) => value === undefined) &&
  !days

type Members = Record<string, unknown>

const idsOf = (refs: readonly { id: number }[]) => refs.map(({ id }) => id)

/** The IDs of terms after a change; undefined if they stay the same. */
function termsAfter(own: Ref[], add: Ref[], remove: Ref[]): number[] | undefined {
  const before = idsOf(own)
  const gone = idsOf(remove)
  const after = [...new Set([...before, ...idsOf(add)])].filter((id) => !gone.includes(id))
  return after.length === before.length && after.every((id) => before.includes(id)) ? undefined : after
}

/** The members that a change gives an event, and what they were before; both without those that stay the same. */
export function changeOf(event: EventRecord, change: Change): { body: Members; before: Members } {
  const body: Members = {}
  const before: Members = {}
  for (const name of ['categories', 'tags'] as const) {
    const after = termsAfter(event[name], change.add[name], change.remove[name])
    if (after === undefined) continue
    body[name] = after
    before[name] = idsOf(event[name])
  }
  const venues = idsOf(venuesOf(event))
  if (change.venue !== undefined && String(venues) !== String(change.venue)) {
    body.venue = [change.venue]
    before.venue = venues
  }
  for (const name of ['featured', 'event_status'] as const) {
    if (change[name] === undefined || change[name] === event[name]) continue
    body[name] = change[name]
    before[name] = event[name]
  }
  if (change.days) {
    const { start_date, end_date, all_day, timezone } = event
    const at = { all_day, timezone }
    Object.assign(before, { start_date, end_date, ...at })
    const moved = { start_date: moveWall(start_date, change.days), end_date: moveWall(end_date, change.days) }
    Object.assign(body, moved, at)
  }
  // a date of a series has as its own again what it had before
  if (event.series !== undefined && Object.keys(before).length > 0) before.overrides = event.overrides ?? []
  return { body, before }
}
