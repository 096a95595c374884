/**
 * The members of events that have one of a few values, the default first. Each is a column of the same name in `events` and
 * `listings`, and a filter of lists that takes several values.
 */
export const EVENT_STATES = {
  event_status: ['scheduled', 'cancelled', 'postponed', 'moved_online', 'rescheduled'],
  attendance_mode: ['offline', 'online', 'mixed'],
} as const
export type StateName = keyof typeof EVENT_STATES
export type EventStates = { [N in StateName]: (typeof EVENT_STATES)[N][number] }
/** A value of any of these members. */
export type EventState = EventStates[StateName]

export const STATE_NAMES = Object.keys(EVENT_STATES) as StateName[]
