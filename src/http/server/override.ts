import type { IncomingMessage } from 'node:http'
import { type ApiError, invalid } from '../../support/errors.ts'

/** The methods that a POST may stand for. */
const TARGETS = ['GET', 'PUT', 'PATCH', 'DELETE']

const OVERRIDE = Symbol('override')
type Overridden = { [OVERRIDE]?: { by: string; isKnown: boolean } }

/**
 * Replaces the method of a POST by that in the parameter `_method`, or else in the header `X-HTTP-Method-Override`,
 * as WordPress does, for clients behind proxies that pass only GET and POST. Call it before routing, so that
 * rights, conditions and limits are those of the intended method.
 */
export function overrideMethod(request: IncomingMessage & Overridden) {
  if (request.method !== 'POST') return
  const parameter = /[?&]_method=([^&#]*)/.exec(request.url!)?.[1]
  const wanted = (parameter ?? request.headers['x-http-method-override'])?.toString().trim().toUpperCase()
  if (wanted === undefined || wanted === 'POST') return
  const isKnown = TARGETS.includes(wanted)
  request[OVERRIDE] = { by: parameter === undefined ? 'X-HTTP-Method-Override' : '_method', isKnown }
  if (isKnown) request.method = wanted
}

/** Whether the request is a POST that stands for another method. */
export const isOverridden = (request: IncomingMessage & Overridden) => request[OVERRIDE] !== undefined

/** The 400 for a POST with an override that is not allowed. */
export function refusedOverride({
  [OVERRIDE]: override,
}: IncomingMessage & Overridden): ApiError | undefined {
  if (override === undefined || override.isKnown) return undefined
  return invalid({ [override.by]: `must be one of ${TARGETS.join(', ')}, on a POST.` })
}
