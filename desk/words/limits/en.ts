/** The words of rights that are limited, in English. */
export const limits = {
  limits: 'Limits of rights',
  limits_hint:
    'With limits, the user has the rights of the role only for events in one of these categories, or at one of these venues.',
  limits_none: 'No limits: the rights of the role hold for all events.',
  limits_token_hint:
    'With limits, the token is good only for events there. It can then not have the scope for administration.',
  limits_set: 'Limit the rights',
  limits_save: 'Save the limits',
  limits_end: 'End the limits',
  limited_to: 'Your rights are limited to events in {categories}, or at {venues}.',
  limited_to_categories: 'Your rights are limited to events in {categories}.',
  limited_to_venues: 'Your rights are limited to events at {venues}.',
  limited_to_nothing: 'Your rights are limited, and no event is within them now.',
}
