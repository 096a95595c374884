import * as factors from '../../../schemas/factors.ts'
import * as schemas from '../../../schemas/people.ts'
import * as session from '../../../schemas/session.ts'
import * as user from '../../../schemas/user.ts'
import type { ServiceFeature } from '../host.ts'
import { addTokenCommands } from './commands/tokens.ts'
import { addUserCommands } from './commands/users.ts'
import { PEOPLE_ERRORS } from './declarations.ts'
import { openSigning } from './openid/signing.ts'
import { invitationRoutes } from './routes/invitations.ts'
import { openidRoutes } from './routes/openid.ts'
import { ownPasswordRoutes } from './routes/own-passwords.ts'
import { passkeyRoutes } from './routes/passkeys.ts'
import { passwordRoutes } from './routes/passwords.ts'
import { providerLinkRoutes } from './routes/provider-links.ts'
import { secondFactorRoutes } from './routes/second-factor.ts'
import { sessionRoutes } from './routes/session.ts'
import { sessionStepRoutes } from './routes/session-steps.ts'
import { openSessionRoutes } from './routes/sessions.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { userRoutes } from './routes/users.ts'
import { PEOPLE_SETTINGS } from './settings.ts'
import { openPasskeys } from './store/passkeys.ts'
import { openPeople } from './store/people.ts'
import { openSecondFactors } from './store/second-factors.ts'
import { openVouched } from './store/vouched.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    people: ReturnType<typeof openPeople>
    secondFactors: ReturnType<typeof openSecondFactors>
    passkeys: ReturnType<typeof openPasskeys>
    vouched: ReturnType<typeof openVouched>
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
      vouched: openVouched(db, { users, signIns }),
    }
  },
  addCommands(program, tools) {
    addUserCommands(program.command('user').description('manage users'), tools)
    addTokenCommands(program.command('token').description('manage Bearer tokens'), tools)
  },
  async plugin(app, { config, machine, service }) {
    for (const routes of [...ROUTES, openidRoutes(openSigning(config, machine))])
      app.register(routes, { service })
  },
}
