/**
 * The boolean filters of event lists. Each is a column of `listings`, and a field of events with a column of the same name in `events`
 * unless it is derived. The text describes the parameter.
 */
export const FILTER_FLAGS = {
  featured: '`true` returns only featured events, `false` only the others.',
  ticketed: '`true` returns only ticketed events, `false` only the others.',
  free: '`true` returns only events that are free, by their `cost`; `false` only the others, and those that say nothing of it.',
} as const
export type FilterFlag = keyof typeof FILTER_FLAGS

export const FILTER_NAMES = Object.keys(FILTER_FLAGS) as FilterFlag[]

/** The filters that are derived from other fields: by `cost`. */
export const DERIVED_FLAGS = ['free'] as const satisfies FilterFlag[]
type FieldFlag = Exclude<FilterFlag, (typeof DERIVED_FLAGS)[number]>
/** The filters that are fields of events. */
export const FIELD_FLAGS = FILTER_NAMES.filter((name): name is FieldFlag => name !== 'free')

/** All flags that lists are made from. `hidden` and `protected` are derived from other fields. */
export const EVENT_FLAGS = ['hidden', 'protected', ...FILTER_NAMES] as const
export type EventFlag = (typeof EVENT_FLAGS)[number]

/** An object with a member for each name. */
export const forEach = <N extends string, T>(names: readonly N[], make: (name: N) => T) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<N, T>

/** These members of an object. */
export const pick = <T, N extends keyof T>(from: T, names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, N>
