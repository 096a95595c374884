import { STATUSES, type Status } from '../../../schemas/common.ts'
import { EVENT_FLAGS, type EventFlag, forEach } from '../../../schemas/event-flags.ts'
import type { Caller } from '../../rules/roles.ts'

const TRAITS = [...STATUSES, ...EVENT_FLAGS]
/** The filters of lists, one bit each: statuses, then flags. */
export const TRAIT_BITS = forEach(TRAITS, (name) => 1 << TRAITS.indexOf(name))

/** The conditions of a selection on events themselves: statuses; with an author, only published events of others. */
export type Traits = {
  statuses: readonly Status[]
  author?: number | undefined
  flags: Partial<Record<EventFlag, boolean>>
  language?: string | undefined
  parent?: number | undefined
  /** Set if a filter concerns protected data: it then matches only the protected events that this caller may edit (R13). */
  opened?: { by?: Caller } | undefined
}

/** The bits that are compared, and the value that each must have. */
export function maskOf({ flags, opened }: Pick<Traits, 'flags' | 'opened'>) {
  let mask = opened && !opened.by ? TRAIT_BITS.protected : 0
  let value = 0
  for (const name of EVENT_FLAGS) {
    if (flags[name] === undefined) continue
    mask |= TRAIT_BITS[name]
    if (flags[name]) value |= TRAIT_BITS[name]
  }
  return { mask, value }
}

/** The bits of statuses, of which an event has one. */
export const statusBits = (statuses: readonly Status[]) =>
  statuses.reduce((all, status) => all | TRAIT_BITS[status], 0)
/** The status in the bits of an event. */
export const statusOf = (traits: number) => STATUSES.find((status) => traits & TRAIT_BITS[status])!
