import * as factors from '../../../schemas/factors.ts'
import * as schemas from '../../../schemas/people.ts'
import * as user from '../../../schemas/user.ts'
import { ROLES, type Role } from '../../kernel/access/rights.ts'
import { declareErrors } from '../../kernel/errors.ts'
import { type ConfigOf, oneOf, onOrOff, optional, type SettingTable, text } from '../../kernel/settings.ts'
import type { ServiceFeature } from '../host.ts'
import { addTokenCommands, addUserCommands } from './commands.ts'
import { openSessionRoutes, passwordRoutes, tokenRoutes } from './credentials.ts'
import { isIssuer, openOpenidAccounts, readRoleClaim } from './openid/accounts.ts'
import { openConfiguredProvider } from './openid/provider.ts'
import { openidRoutes, providerLinkRoutes } from './openid/routes.ts'
import { openPasskeys, passkeyRoutes } from './passkeys.ts'
import { invitationRoutes, openPeople, ownPasswordRoutes } from './passwords.ts'
import { openSecondFactors, secondFactorRoutes } from './second-factors.ts'
import { sessionRoutes, sessionStepRoutes } from './session.ts'
import { userRoutes } from './users.ts'

/** The roles that whoever is new may get. */
const NEW_USERS = ROLES.filter((role): role is Exclude<Role, 'administrator'> => role !== 'administrator')

const PEOPLE_SETTINGS = {
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

/** The errors of accounts and signing in: code, status and meaning. */
const PEOPLE_ERRORS = declareErrors({
  second_factor_required: [
    401,
    'The password is right, and the user has a second factor: send `data.ticket` with a code to `/session/factor`. `data.ways` says which codes there are.',
  ],
  incorrect_code: [401, 'The code is wrong, was used before, or is not of now.'],
  sign_in_ended: [401, 'This step of signing in is unknown, was finished, or has ended. Begin anew.'],
  incorrect_passkey: [401, 'The passkey is unknown, was removed, or did not sign what it was asked to.'],
  passkey_origin: [401, 'The passkey was used on a page of another site; `data.origin` is the right one.'],
  passkey_unverified: [401, 'The passkey was used without a fingerprint, a face or a PIN.'],
  local_sign_in_off: [
    403,
    'People sign in with the provider alone; `GET /session/openid` leads a browser there.',
  ],
  openid_not_begun: [
    400,
    'The browser did not begin to sign in with the provider, or did so more than ten minutes ago, or is done already; or who was to be linked has been signed out since.',
  ],
  openid_refused: [
    403,
    'The provider signed nobody in; `data.openid_error` is its reason, such as `access_denied`.',
  ],
  openid_no_account: [
    403,
    'The provider vouches for somebody who may not sign in here; `data.reason` says why: `unknown`, `disabled`, `no_role`, `taken` or `last_administrator`.',
  ],
  'second-factor-not-found': [404, 'The user has no second factor.'],
  'passkey-not-found': [404, 'The user has no such passkey.'],
  'provider-link-not-found': [404, 'The user has no such link with a provider.'],
  'user-archive-page-not-found': [404, 'The list of users has no such page.'],
  'application-password-archive-page-not-found': [404, 'The list of application passwords has no such page.'],
  'passkey-archive-page-not-found': [404, 'The list of passkeys has no such page.'],
  'provider-link-archive-page-not-found': [404, 'The list of links with providers has no such page.'],
  'session-archive-page-not-found': [404, 'The list of sessions has no such page.'],
  'token-archive-page-not-found': [404, 'The list of tokens has no such page.'],
  'invitation-not-found': [404, 'The link of an invitation was used, has ended, or was never made.'],
  'password-reset-not-found': [404, 'The link for a new password was used, has ended, or was never made.'],
  user_disabled: [409, 'The user is disabled, so the link of an invitation would not work.'],
  openid_failed: [
    502,
    'The provider with which people sign in can not be reached, or what it says can not be trusted; `data.openid_error` is a code that says more.',
  ],
})

type Errors = typeof PEOPLE_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    people: ReturnType<typeof openPeople>
    secondFactors: ReturnType<typeof openSecondFactors>
    passkeys: ReturnType<typeof openPasskeys>
    openidAccounts: ReturnType<typeof openOpenidAccounts>
  }
}

const ROUTES = [
  sessionRoutes,
  userRoutes,
  passwordRoutes,
  openSessionRoutes,
  tokenRoutes,
  invitationRoutes,
  ownPasswordRoutes,
  sessionStepRoutes,
  secondFactorRoutes,
  passkeyRoutes,
  providerLinkRoutes,
]

/** Accounts: users, their credentials, and how people sign in. */
export const people: ServiceFeature = {
  name: 'people',
  settings: PEOPLE_SETTINGS,
  tags: {
    Session: 'Signing in with a password for a token that expires, and signing out.',
    Users:
      'Users, their roles, invitations, passwords and tokens. For administrators; each user has a part for the own account.',
  },
  answers: [
    user.RightLimits,
    schemas.Session,
    schemas.NewSession,
    user.User,
    schemas.NewUser,
    schemas.Invitation,
    schemas.PasswordReset,
    schemas.OwnPassword,
    user.UserPage,
    user.ApplicationPassword,
    user.NewApplicationPassword,
    user.ApplicationPasswordPage,
    user.Token,
    user.NewToken,
    user.TokenPage,
    user.UserSession,
    user.UserSessionPage,
    factors.SecondFactor,
    factors.NewSecondFactor,
    factors.RecoveryCodes,
    factors.Passkey,
    factors.PasskeyPage,
    factors.PasskeyCreation,
    factors.PasskeyRequest,
    factors.ProviderLink,
    factors.ProviderLinkPage,
  ],
  errors: PEOPLE_ERRORS,
  openStore({ db, site, keyed, users, tokens, signIns, tickets, mails }) {
    return {
      people: openPeople(db, site, { users, tokens, signIns, tickets, mails }),
      secondFactors: openSecondFactors(db, site, keyed, signIns, tickets),
      passkeys: openPasskeys(db, site, keyed, signIns),
      openidAccounts: openOpenidAccounts(db, { users, signIns }),
    }
  },
  addCommands(program, tools) {
    addUserCommands(program.command('user').description('manage users'), tools)
    addTokenCommands(program.command('token').description('manage Bearer tokens'), tools)
  },
  async plugin(app, { config, machine, service }) {
    for (const routes of [...ROUTES, openidRoutes(openConfiguredProvider(config, machine))])
      app.register(routes, { service })
  },
}
