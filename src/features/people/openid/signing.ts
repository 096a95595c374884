import type { Role } from '../../../kernel/access/roles.ts'
import { type RoleClaim, readRoleClaim } from './claims.ts'
import { openProvider, type Provider } from './provider.ts'

/** Signing in with a provider: who that is, what it is called, and what its claims give. */
export type SigningIn = {
  provider: Provider
  name: string
  roles: RoleClaim | undefined
  /** The role of whom the calendar does not know; undefined to refuse them. */
  roleOfNew: Role | undefined
}

type Settings = {
  baseUrl: string
  namespace: string
  openidIssuer: string | undefined
  openidClientId: string | undefined
  openidClientSecret: string | undefined
  openidName: string
  openidScopes: string
  openidRoles: string
  openidNewUsers: Role | 'refuse'
}

/** Where the provider sends browsers back to, in the mount. */
export const CALLBACK = '/session/openid/callback'

/** What people see of the provider: the name that the operator gives it, or its host; undefined without a provider. */
export const nameOfProvider = ({
  openidIssuer,
  openidName,
}: Pick<Settings, 'openidIssuer' | 'openidName'>) =>
  openidIssuer === undefined ? undefined : openidName || new URL(openidIssuer).host

/** The provider of the settings, if there is one. `machine` is the clock of the machine. */
export function openSigning(settings: Settings, machine: () => number): SigningIn | undefined {
  const { baseUrl, namespace, openidIssuer: issuer, openidRoles, openidNewUsers: role } = settings
  if (issuer === undefined) return undefined
  const provider = openProvider({
    ...{ issuer, machine, scopes: settings.openidScopes, redirect: `${baseUrl}/${namespace}${CALLBACK}` },
    ...{ clientId: settings.openidClientId!, clientSecret: settings.openidClientSecret },
  })
  return {
    ...{ provider, name: nameOfProvider(settings)!, roles: readRoleClaim(openidRoles) },
    roleOfNew: role === 'refuse' ? undefined : role,
  }
}
