import { STATUSES, type Status } from '../../../schemas/common.ts'
import { EVENT_FLAGS, type EventFlag, forEach } from '../../../schemas/event-flags.ts'
import type { Caller } from '../../rules/roles.ts'

const TRAITS = [...STATUSES, ...EVENT_FLAGS]
/** What lists are filtered by, a bit each: statuses, then flags. */
export const TRAIT_BITS = forEach(TRAITS, (name) => 1 << TRAITS.indexOf(name))

/** What a selection asks of events themselves: some statuses; where an author is named, of others only what is published. */
export type Traits = {
  statuses: readonly Status[]
  author?: number | undefined
  flags: Partial<Record<EventFlag, boolean>>
  language?: string | undefined
  parent?: number | undefined
  /** Where something that passwords protect is filtered by: of events under one, those that this caller may edit (R13). */
  opened?: { by?: Caller } | undefined
}

/** The bits that an event has to have or not, and of these the ones that it has to have. */
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
/** The status that an event's bits tell. */
export const statusOf = (traits: number) => STATUSES.find((status) => traits & TRAIT_BITS[status])!
