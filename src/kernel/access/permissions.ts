import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { SCOPES } from '../../../schemas/user.ts'
import { ApiError, forbidden } from '../errors.ts'
import {
  type Caller,
  has,
  hasScope,
  isAdministration,
  isLimitedIn,
  type Right,
  type TokenScope,
} from './rights.ts'

/** The right that a route requires for any record, and the action it is required for, in words. */
export type Permission = {
  right: Right
  to: string
  /** Whether the user whose ID is in the path may do it without the right. */
  own?: boolean
  /** Whether callers without credentials may do it: they prove otherwise who they are. */
  anyone?: boolean
  /** The scopes that a token needs for it, instead of that of the operation. */
  scopes?: readonly TokenScope[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: 'list' | 'read' | 'create' | 'update' | 'delete'
    /** Every write has one. */
    permission?: Permission
  }
}

/** The scopes that a token needs for an operation. */
function scopesOf(operation: string, permission: Permission | undefined): readonly TokenScope[] {
  if (permission?.scopes) return permission.scopes
  if (isAdministration(permission?.right)) return ['admin']
  return operation === 'list' || operation === 'read' ? ['read'] : ['write']
}

/** The error if this caller may not use this route at all: 403 for a token without the scope, 401 for anonymous callers, 403 for a role without the right. */
export function refusalOf({
  caller,
  params,
  routeOptions: { config },
}: Pick<FastifyRequest, 'caller' | 'params'> & { routeOptions: { config: FastifyContextConfig } }):
  | ApiError
  | undefined {
  const { operation, permission } = config
  if (operation === undefined) return undefined
  const lacking = scopesOf(operation, permission).find((scope) => !hasScope(caller, scope))
  if (lacking) return new ApiError('rest_forbidden', `This token lacks the scope "${lacking}".`)
  const isOwn = permission?.own && caller?.id === Number((params as { id: unknown }).id)
  if (!permission || permission.anyone || isOwn || has(caller, permission.right)) return undefined
  if (isLimitedIn(caller, permission.right))
    return new ApiError(
      'rest_forbidden',
      `Your rights are limited to some ${Object.keys(caller!.limits!.given[0]!).sort().join(' or ')}, so you may not ${permission.to}.`,
    )
  return forbidden(caller !== undefined, permission.to)
}

/** Seconds after a sign-in in which a session may make credentials. */
export const FRESH = 600

/**
 * Throws 403 if a token would give scopes that it lacks: new credentials have the scopes `given`, and a password has all. Throws 401
 * unless the password was proven just now, because what is made outlives the session or token that makes it.
 */
export function checkGiven({ caller }: FastifyRequest, now: number, given: readonly TokenScope[] = SCOPES) {
  const lacking = lackingOf(caller, given)
  if (lacking)
    throw new ApiError(
      'rest_forbidden',
      `A token can not give a scope that it lacks, and this one lacks ${lacking}. Request only its own scopes, or use other credentials.`,
    )
  const { proven } = caller!
  if (proven === undefined || now - proven > FRESH * 1_000)
    throw new ApiError(
      'insufficient_user_authentication',
      `Credentials are made only by who proves the password: send it by HTTP Basic, or sign in again; a session may make them for ${FRESH / 60} minutes.`,
      { max_age: FRESH },
    )
}

/** Throws 403 for a token without all of these scopes, which it takes to do something. */
export function checkScopes({ caller }: FastifyRequest, needed: readonly TokenScope[], to: string) {
  const lacking = lackingOf(caller, needed)
  if (lacking)
    throw new ApiError(
      'rest_forbidden',
      `A token needs the scope ${needed.join(' and ')} to ${to}, and this one lacks ${lacking}.`,
    )
}

/** The scopes among these that the credentials of the caller lack, in words; empty if there are none. */
const lackingOf = (caller: Caller, scopes: readonly TokenScope[]) =>
  scopes.filter((scope) => !hasScope(caller, scope)).join(' and ')

/** Checks the rights of routes: after parameters (R3), before anything is read, downloaded, hashed or queued. */
export const permissions = fp(
  async (app) => {
    app.addHook('preHandler', (request, _reply, done) => {
      const refusal = refusalOf(request)
      done(refusal && (request.validationError ?? refusal))
    })
  },
  { name: 'permissions', dependencies: ['auth'] },
)
