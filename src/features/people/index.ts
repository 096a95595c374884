import * as factors from '../../../schemas/factors.ts'
import * as schemas from '../../../schemas/people.ts'
import * as session from '../../../schemas/session.ts'
import * as user from '../../../schemas/user.ts'
import { declareErrors } from '../../kernel/errors.ts'
import type { ServiceFeature } from '../host.ts'
import { addTokenCommands, addUserCommands } from './commands.ts'
import { openOpenidAccounts } from './openid/accounts.ts'
import { openConfiguredProvider } from './openid/provider.ts'
import { openSessionRoutes, passwordRoutes, tokenRoutes } from './routes/credentials.ts'
import { passkeyRoutes, providerLinkRoutes, secondFactorRoutes } from './routes/factors.ts'
import { openidRoutes } from './routes/openid.ts'
import { invitationRoutes, ownPasswordRoutes } from './routes/own-passwords.ts'
import { sessionRoutes, sessionStepRoutes } from './routes/session.ts'
import { userRoutes } from './routes/users.ts'
import { PEOPLE_SETTINGS } from './settings.ts'
import { openPasskeys } from './store/passkeys.ts'
import { openPeople } from './store/people.ts'
import { openSecondFactors } from './store/second-factors.ts'

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
    session.Session,
    session.NewSession,
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
