import type { Caller } from '../../rules/roles.ts'
import type { Store } from '../../store/store.ts'
import { ApiError } from '../../support/errors.ts'

/**
 * Returns a function that throws if a caller is not any more who it was: the credential was revoked or has expired, or the user was
 * disabled or has another role. For requests that last.
 */
export function openCredentialCheck({ users, tokens }: Pick<Store, 'users' | 'tokens'>) {
  return async (caller: NonNullable<Caller>) => {
    const [kind, id] = caller.credential!.split(' ')
    const isToken = kind === 'token'
    const found = isToken ? tokens.byId(Number(id)) : await users.byPassword(Number(id))
    if (!found)
      throw isToken
        ? new ApiError('invalid_token', 'The token was revoked, or has expired.')
        : new ApiError('incorrect_password', 'The application password was revoked.')
    if (found.user.disabled) throw new ApiError('invalid_username', 'The user is disabled.')
    if (found.user.role !== caller.role)
      throw new ApiError(
        'sync-token-expired',
        'The role of the user has changed. Begin anew without `sync_token`.',
      )
  }
}
