import { ROLES, type Role } from '../../kernel/access/rights.ts'
import { type ConfigOf, oneOf, onOrOff, optional, type SettingTable, text } from '../../kernel/settings.ts'
import { isIssuer, readRoleClaim } from './openid/claims.ts'

/** The roles that whoever is new may get. */
const NEW_USERS = ROLES.filter((role): role is Exclude<Role, 'administrator'> => role !== 'administrator')

export const PEOPLE_SETTINGS = {
  LOCAL_SIGN_IN: {
    default: 'on',
    meaning:
      'off: people sign in at the desk with the provider in OPENID_ISSUER alone. Application passwords and tokens of programs go on working with each request.',
    read: (given, reading) =>
      reading.must(
        onOrOff(given, reading),
        given !== 'off' || reading.text('OPENID_ISSUER') !== '',
        'on, or set with OPENID_ISSUER',
      ),
  },
  OPENID_ISSUER: {
    default: '',
    meaning:
      'URL of the issuer with which people sign in at the desk by OpenID Connect, such as https://id.example/realms/town; https, or on this machine.',
    read: (given, { must, text }) => {
      must(
        given,
        given === '' || isIssuer(given),
        'an https URL without query, or an http URL of this machine',
      )
      must(given, given === '' || text('OPENID_CLIENT_ID') !== '', 'set with OPENID_CLIENT_ID')
      must(given, given === '' || text('DESK') !== 'off', 'set with DESK=on')
      return optional(given)
    },
  },
  OPENID_CLIENT_ID: {
    default: '',
    meaning: 'ID that the provider knows this calendar by.',
    read: (given, { must, text }) =>
      must(optional(given), given === '' || text('OPENID_ISSUER') !== '', 'set with OPENID_ISSUER'),
  },
  OPENID_CLIENT_SECRET: {
    default: '',
    meaning: 'Secret that belongs to it. Without one, the calendar is a public client.',
    read: optional,
    secret: true,
  },
  OPENID_NAME: {
    default: '',
    meaning: 'What the desk calls the provider: `Sign in with …`. Without it, the host of the issuer.',
    read: text,
  },
  OPENID_SCOPES: {
    default: 'openid email profile',
    meaning: 'Scopes that the provider is asked for, separated by spaces.',
    read: (given, { must }) =>
      must(
        given,
        given.split(/\s+/).includes('openid'),
        'scopes separated by spaces, with openid among them',
      ),
  },
  OPENID_ROLES: {
    default: '',
    meaning:
      'Roles by a claim, such as `groups:calendar-editors=editor,calendar-admins=administrator`: set at each sign-in, and who has none of the values is refused. Without it, administrators give roles.',
    read: (given, { must }) =>
      must(
        given,
        given === '' || readRoleClaim(given) !== undefined,
        'a claim and its values with their roles, such as groups:calendar-editors=editor,calendar-admins=administrator',
      ),
  },
  OPENID_NEW_USERS: {
    default: 'refuse',
    meaning:
      'refuse, or the role of whom the provider knows and the calendar does not: subscriber, contributor, author or editor. OPENID_ROLES goes before it.',
    read: oneOf('refuse', ...NEW_USERS),
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof PEOPLE_SETTINGS>
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}
