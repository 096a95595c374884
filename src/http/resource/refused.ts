import type { FastifyRequest } from 'fastify'
import { type ApiError, invalid, type Problems } from '../../support/errors.ts'
import { faultsOf, understoodOf } from '../input/validator.ts'

/**
 * Throws the errors of an invalid body: all parameters at once (R3), with those of the address, and the problems that `check` finds
 * with the valid members. Call it only for callers who may write.
 */
export async function refuseUnread(
  { validationError: error, query }: FastifyRequest,
  check: (understood: Record<string, unknown>) => Promise<Problems>,
) {
  if (error === undefined) return
  const understood = understoodOf(error)
  if (understood === undefined) throw error
  const faults = faultsOf(query)
  // an address that is not understood names no record to check the rest against
  const more = Object.keys(faults).length > 0 ? faults : await check(understood)
  if (Object.keys(more).length === 0) throw error
  const { params } = (error as unknown as ApiError).data
  throw invalid({ ...(params as Problems), ...more })
}
