import type { FastifyRequest } from 'fastify'
import { type ApiError, invalid, type Problems } from '../../errors.ts'
import { understoodOf } from '../input/validator.ts'

/**
 * Throws what is wrong with a body that could not be read: all parameters at once (R3), those too which `check` finds wrong
 * of the members that were understood. To be asked for those who may write.
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
