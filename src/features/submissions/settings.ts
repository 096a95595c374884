import { isMailAddress } from '../../kernel/access/users.ts'
import { type ConfigOf, list, onOrOff, type SettingTable, whole } from '../../kernel/settings.ts'

export const SUBMISSIONS_SETTINGS = {
  SUBMISSIONS: {
    default: 'off',
    meaning: 'on: visitors may propose events, at `/events/submit/` and by the API; editors decide.',
    read: onOrOff,
  },
  SUBMISSIONS_DAYS: {
    default: '90',
    meaning:
      'Days for which name and address of who proposed an event are kept after the decision, or without one after the event was sent, corrected or asked about.',
    read: whole(1, 99_999),
  },
  SUBMISSIONS_MAIL: {
    default: '',
    meaning:
      'Addresses of editors, separated by commas, who are told by mail what was proposed, once an hour at most. Needs SMTP_URL.',
    read: (given, { must, text }) => {
      const isRight =
        text('SMTP_URL') !== '' && given.split(',').every((address) => isMailAddress(address.trim()))
      return must(
        list(given),
        given === '' || isRight,
        'addresses separated by commas, such as events@example.org, and set with SMTP_URL',
      )
    },
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof SUBMISSIONS_SETTINGS>
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}
