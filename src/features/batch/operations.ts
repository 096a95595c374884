import { BATCH_METHODS, MOST_OPERATIONS, OPERATION_ID, type Operation } from '../../../schemas/batch.ts'
import { isObject, type Reader, type Refusal, refuse } from '../../kernel/input/readers.ts'

const NAME = new RegExp(OPERATION_ID)
const METHODS = new Set<unknown>(BATCH_METHODS)
const PART = '[^/?#\\\\\\s]+'
/** The addresses of records: all, one by its ID or that of another operation, by slug, by what another system calls it. */
const PATH = new RegExp(
  `^/(?:events|series|venues|organizers|categories|tags)(?:/(?:(?:\\d{1,15}|#(?<reference>[\\w-]+))(?:/restore)?|by-slug/${PART}|by-external/${PART}/${PART}))?(?:\\?[^#\\s]*)?$`,
)
/** A part of a path that leads elsewhere. */
const DOTS = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i
const MEMBERS = ['id', 'method', 'path', 'body', 'if_match']

/** What is wrong with an operation; undefined if nothing is. `known` are the names of those before it. */
function faultOf(raw: unknown, known: ReadonlySet<string>): string | undefined {
  if (!isObject(raw)) return 'must be an object with method and path.'
  const { id, method, path, body, if_match } = raw
  const unknown = Object.keys(raw).find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined) return `must not have "${unknown}", only ${MEMBERS.join(', ')}.`
  if (id !== undefined && (typeof id !== 'string' || !NAME.test(id)))
    return 'id must be 1 to 64 letters, digits, _ and -.'
  if (id !== undefined && known.has(id as string)) return `id "${id}" is that of an earlier operation.`
  if (!METHODS.has(method)) return `method must be one of ${BATCH_METHODS.join(', ')}.`
  const found = typeof path === 'string' && path.length <= 2000 && !DOTS.test(path) ? PATH.exec(path) : null
  if (!found)
    return 'path must be that of events, series, venues, organizers, categories or tags, such as /events/12.'
  const { reference } = found.groups!
  if (reference !== undefined && !known.has(reference))
    return `path refers to "#${reference}", which is no earlier operation.`
  if (body !== undefined && !isObject(body)) return 'body must be an object.'
  return if_match === undefined || (typeof if_match === 'string' && /^[ -~]{1,1000}$/.test(if_match))
    ? undefined
    : 'if_match must be an ETag.'
}

/** The operations of a batch. */
export const readOperations: Reader = (raw): Operation[] | Refusal => {
  if (!Array.isArray(raw) || raw.length === 0 || raw.length > MOST_OPERATIONS)
    return refuse(`must be a list of 1 to ${MOST_OPERATIONS} operations.`)
  const known = new Set<string>()
  for (const [at, one] of raw.entries()) {
    const fault = faultOf(one, known)
    if (fault !== undefined) return refuse(`Operation ${at + 1}: ${fault}`)
    if (one.id !== undefined) known.add(one.id)
  }
  return raw as Operation[]
}
