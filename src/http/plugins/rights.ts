import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { SCOPES } from '../../../schemas/user.ts'
import { ApiError, forbidden } from '../../errors.ts'
import { has, hasScope, isAdministration, type Right, type TokenScope } from '../../rules/roles.ts'

/** The right that a route requires for any record, and the action it is required for, in words. */
export type Permission = {
  right: Right
  to: string
  /** Whether the user whose ID is in the path may do it without the right. */
  own?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: 'list' | 'read' | 'create' | 'update' | 'delete'
    /** Every write has one. */
    permission?: Permission
  }
}

/** The error if this caller may not use this route at all: 403 for a token without the scope, 401 for anonymous callers, 403 for a role without the right. */
export function refusalOf({
  caller,
  params,
  routeOptions: { config },
}: Pick<FastifyRequest, 'caller' | 'params' | 'routeOptions'>): ApiError | undefined {
  const { operation, permission } = config
  if (operation === undefined) return undefined
  const isRead = operation === 'list' || operation === 'read'
  const scope = isAdministration(permission?.right) ? 'admin' : isRead ? 'read' : 'write'
  if (!hasScope(caller, scope))
    return new ApiError('rest_forbidden', `This token lacks the scope "${scope}".`)
  const isOwn = permission?.own && caller?.id === Number((params as { id: unknown }).id)
  return permission && !isOwn && !has(caller, permission.right)
    ? forbidden(caller !== undefined, permission.to)
    : undefined
}

/** Throws 403 if a token would give scopes that it lacks. New credentials have the scopes `given`; a password has all. */
export function checkGiven({ caller }: FastifyRequest, given: readonly TokenScope[] = SCOPES) {
  const lacking = given.filter((scope) => !hasScope(caller, scope))
  if (lacking.length > 0)
    throw new ApiError(
      'rest_forbidden',
      `A token can not give a scope that it lacks, and this one lacks ${lacking.join(' and ')}. Request only its own scopes, or use other credentials.`,
    )
}

/** Checks the rights of routes: after parameters (R3), before anything is read, downloaded, hashed or queued. */
export const rights = fp(
  async (app) => {
    app.addHook('preHandler', (request, _reply, done) => {
      const refusal = refusalOf(request)
      done(refusal && (request.validationError ?? refusal))
    })
  },
  { name: 'rights', dependencies: ['auth'] },
)
