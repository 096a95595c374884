/** The words of records in several languages, in English. */
export const alike = {
  also_in: 'Also in {languages}',
  also_in_hint: 'Dates, place, price, picture and status. Texts stay as they are.',
  also_in_hint_linked: 'Address, contact, picture and status. Texts stay as they are.',
  uneven: 'Not the same in all languages:',
  uneven_in: '{language}: {members}',
  even: 'Use what stands here in all languages',
  evened: 'It is the same in all languages now.',
  chosen_sets: '{count} chosen, {all} with their translations',
  languages_of: 'Languages of “{title}”',
  no_time: 'Write a time such as {time}.',
  publish_time: 'At',
  past_start: 'This date is over. Is the year right?',
  skipped_time: 'On {day} the clocks skip {time}. It becomes {becomes}.',
}
