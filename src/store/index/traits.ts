import { STATUSES, type Status } from '../../../schemas/common.ts'
import { EVENT_FLAGS, type EventFlag, forEach } from '../../../schemas/event-flags.ts'
import { EVENT_STATES, type EventStates, STATE_NAMES } from '../../../schemas/event-states.ts'
import type { Caller } from '../../rules/roles.ts'

const TRAITS = [...STATUSES, ...EVENT_FLAGS, ...STATE_NAMES.flatMap((name) => EVENT_STATES[name])]
/** The filters of lists, one bit each: statuses, flags, and the values of states. */
export const TRAIT_BITS = forEach(TRAITS, (name) => 1 << TRAITS.indexOf(name))

/** The conditions of a selection on events themselves: statuses; with an author, only published events of others. */
export type Traits = {
  statuses: readonly Status[]
  author?: number | undefined
  flags: Partial<Record<EventFlag, boolean>>
  /** The values of each state that match. */
  states?: { [N in keyof EventStates]?: readonly EventStates[N][] | undefined }
  language?: string | undefined
  parent?: number | undefined
  /** Set if a filter concerns protected data: it then matches only the protected events that this caller may edit (R13). */
  opened?: { by?: Caller } | undefined
}

/**
 * The bits that are compared, and the value that each must have. An event has one value of each state, so one of several matches
 * if it has none of the others.
 */
export function maskOf({ flags, states = {}, opened }: Pick<Traits, 'flags' | 'states' | 'opened'>) {
  let mask = opened && !opened.by ? TRAIT_BITS.protected : 0
  let value = 0
  for (const name of EVENT_FLAGS) {
    if (flags[name] === undefined) continue
    mask |= TRAIT_BITS[name]
    if (flags[name]) value |= TRAIT_BITS[name]
  }
  for (const name of STATE_NAMES) {
    const wanted: readonly string[] = states[name] ?? EVENT_STATES[name]
    for (const state of EVENT_STATES[name]) if (!wanted.includes(state)) mask |= TRAIT_BITS[state]
  }
  return { mask, value }
}

/** The bits of statuses, of which an event has one. */
export const statusBits = (statuses: readonly Status[]) =>
  statuses.reduce((all, status) => all | TRAIT_BITS[status], 0)
/** The status in the bits of an event. */
export const statusOf = (traits: number) => STATUSES.find((status) => traits & TRAIT_BITS[status])!
