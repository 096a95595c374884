/** The words of the history of events in English. */
export const history = {
  history: 'History',
  history_of: 'History of {title}',
  history_hint: 'What was changed, the latest first. Older changes are removed after some time.',
  no_changes_yet: 'Nothing has been changed yet.',
  bring_back: 'Bring back what was before',
  bring_back_of: 'Bring back what was before this change: {time}',
  brought_back: 'The event is as it was before this change.',
  partly_back: 'The event is as it was before this change, but for: {members}.',
  history_of_series: 'Changes of all dates of the series',
  event_itself: 'To the event',
  value_before: 'Before',
  value_after: 'Now',
  member_end: 'End',
  member_start: 'Start',
  member_parent: 'Belongs to',
}
