import { BATCH_METHODS, MOST_OPERATIONS, OPERATION_ID, type Operation } from '../../../schemas/batch.ts'
import { ApiError } from '../../kernel/errors.ts'
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

/** A path, which may have a query, as the route that it is for and the parameters in it. Throws 400 for one that can not be decoded. */
export function readAddress(path: string): { url: string; params: Record<string, string> } {
  const [, plural, key, ...rest] = path.replace(/\?.*/s, '').split('/')
  const own = rest.map(decoded) as [string, string]
  if (key === undefined) return { url: `/${plural}`, params: {} }
  if (key === 'by-slug') return { url: `/${plural}/by-slug/:slug`, params: { slug: own[0] } }
  if (key === 'by-external')
    return {
      url: `/${plural}/by-external/:source/:external_id`,
      params: { source: own[0], external_id: own[1] },
    }
  return { url: [`/${plural}/:id`, ...rest].join('/'), params: { id: key } }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ApiError('rest_bad_request', 'The URL can not be decoded; percent-encode it.')
  }
}

/** The members of bodies that take IDs of records. */
const TAKE_IDS = ['venue', 'organizer', 'translation_of', 'post_parent', 'parent', 'categories', 'tags']

/** The number of the operation that a text refers to, among those before one; undefined if it is none. */
export type Find = (text: unknown) => number | undefined

/** Returns what finds the operation that a text such as `#hall` refers to, among those before one. */
export function openReferences(operations: readonly Operation[]): (at: number) => Find {
  const numbers = new Map(operations.flatMap(({ id }, at) => (id === undefined ? [] : [[`#${id}`, at]])))
  return (at) => (text) => {
    const found = numbers.get(text as string)
    return found !== undefined && found < at ? found : undefined
  }
}

/** Replaces what refers to operations in a value: a text, those of a list, that in the ID of an object. */
function replaced(value: unknown, find: Find, idOf: (at: number) => number): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, find, idOf))
  if (isObject(value)) return 'id' in value ? { ...value, id: replaced(value.id, find, idOf) } : value
  const at = find(value)
  return at === undefined ? value : idOf(at)
}

/** An operation with IDs in place of what refers to others, and the numbers of these. */
export function resolve(operation: Operation, find: Find, idOf: (at: number) => number) {
  const needs = new Set<number>()
  const id = (at: number) => {
    needs.add(at)
    return idOf(at)
  }
  const path = operation.path.replace(/#[\w-]+/, (name) => String(id(find(name)!)))
  const body =
    operation.body &&
    Object.fromEntries(
      Object.entries(operation.body).map(([name, value]) => [
        name,
        TAKE_IDS.includes(name) ? replaced(value, find, id) : value,
      ]),
    )
  return { operation: { ...operation, path, body }, needs: [...needs] }
}

/** IDs that no record has, for those that are not made yet: of fifteen digits, the most that an ID is read with. */
const PLACEHOLDERS = 999_999_999_999_000
/** What stands for the ID of the record that an operation makes, until it is made. */
export const placeholderOf = (at: number) => PLACEHOLDERS + at

/** Puts the IDs of records in the place of those that stood for them, in what was read of a request. */
export function insertIds(read: unknown, ids: readonly (number | undefined)[]) {
  if (typeof read !== 'object' || read === null) return
  const members = read as Record<string, unknown>
  for (const [name, value] of Object.entries(members)) {
    const id = typeof value === 'number' && value >= PLACEHOLDERS ? ids[value - PLACEHOLDERS] : undefined
    if (id === undefined) insertIds(value, ids)
    else members[name] = id
  }
}
