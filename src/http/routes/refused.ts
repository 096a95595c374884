import type { FastifyRequest } from 'fastify'
import { type ApiError, invalid, type Problems } from '../../errors.ts'
import { understoodOf } from '../input/validator.ts'

/**
 * Throws the errors of an invalid body: all parameters at once (R3), including the problems that `check` finds
 * with the valid members. Call it only for callers who may write.
 */
export async function refuseUnread(
  { validationError: error }: FastifyRequest,
  check: (understood: Record<string, unknown>) => Promise<Problems>,
) {
  if (error === undefined) return
  const understood = understoodOf(error)
  const more = understood ? await check(understood) : {}
  if (Object.keys(more).length === 0) throw error
  const { params } = (error as unknown as ApiError).data
  throw invalid({ ...(params as Problems), ...more })
}
