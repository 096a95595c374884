import type { IncomingMessage } from 'node:http'
import { type ApiError, invalid } from '../../errors.ts'

/** What a POST may stand for. */
const TARGETS = ['GET', 'PUT', 'PATCH', 'DELETE']

const OVERRIDE = Symbol('override')
type Overridden = { [OVERRIDE]?: { by: string; isKnown: boolean } }

/**
 * Makes of a POST the method that it stands for, by the parameter `_method` or else by the header `X-HTTP-Method-Override`,
 * as WordPress does: for clients behind proxies that let only GET and POST through. To be called before routing, so that
 * rights, conditions and limits are those of the method that is meant.
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

/** Whether this was a POST, and stands for another method. */
export const isOverridden = (request: IncomingMessage & Overridden) => request[OVERRIDE] !== undefined

/** The 400 of a POST that should stand for what it can not. */
export function refusedOverride({
  [OVERRIDE]: override,
}: IncomingMessage & Overridden): ApiError | undefined {
  if (override === undefined || override.isKnown) return undefined
  return invalid({ [override.by]: `must be one of ${TARGETS.join(', ')}, on a POST.` })
}
