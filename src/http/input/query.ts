import fp from 'fastify-plugin'
import { ApiError, invalid } from '../../support/errors.ts'

/** How many parameters an address or a form may have, and how many brackets the name of one. */
export const MOST_PARAMETERS = 200
export const MOST_BRACKETS = 4
/** Characters of a name that a message quotes. */
const QUOTED = 40

const BRACKET = /\[|%5b/gi

/**
 * Why the parameters of a query string or a form are too many or too deep; undefined if they are neither. It looks only at what it needs
 * to find out, before anything is decoded.
 */
export function findExcess(text: string): ApiError | undefined {
  let excess: ApiError | undefined
  let begin = 0
  for (let count = 0; begin <= text.length && !excess; count++) {
    if (count === MOST_PARAMETERS) return tooMany()
    const at = text.indexOf('&', begin)
    const end = at < 0 ? text.length : at
    excess = findDepth(text.slice(begin, end))
    begin = end + 1
  }
  return excess
}

const tooMany = () =>
  new ApiError(
    'rest_bad_request',
    `The request has too many parameters. An address, like a form, may have ${MOST_PARAMETERS}; send longer lists separated by commas, or as JSON.`,
  )

function findDepth(pair: string): ApiError | undefined {
  const first = pair.search(BRACKET)
  if (first < 0) return undefined
  const [name = ''] = pair.split('=', 1)
  let brackets = 0
  for (const _ of name.matchAll(BRACKET))
    if (++brackets > MOST_BRACKETS)
      return invalid({
        [name.slice(0, Math.min(first || QUOTED, QUOTED))]:
          `must not have more than ${MOST_BRACKETS} brackets.`,
      })
  return undefined
}

/** A parameter of a query string: all of its values, and whether its name had brackets. */
export type QueryValue = { values: string[]; bracketed: boolean }
const Excess = Symbol('excess')
/** A query as sent, by name. */
export type GivenQuery = Record<string, QueryValue> & { [Excess]?: ApiError }

/** Why a query was not read: it has too many or too deep parameters. */
export const excessOf = (query: GivenQuery): ApiError | undefined => query[Excess]

/** Reads a query string; `name`, `name[]` and `name[0]` are one parameter. One with too many parameters is not read. */
export function parseQuery(text: string): GivenQuery {
  const query: GivenQuery = Object.create(null)
  if (text === '') return query
  const excess = findExcess(text)
  if (excess) {
    query[Excess] = excess
    return query
  }
  for (const [key, value] of new URLSearchParams(text)) {
    const name = key.replace(/\[.*$/s, '')
    query[name] ??= { values: [], bracketed: false }
    const parameter = query[name]
    parameter.values.push(value)
    parameter.bracketed ||= name !== key
  }
  return query
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The only query parameters that have an effect at this route. Others are removed before it sees them. */
    understands?: readonly string[]
  }
  interface FastifyRequest {
    /** The URL under which its response is kept: without what the route does not understand. */
    address: string
  }
}

const HOST = /^https?:\/\/[^/?]*/i
/** The escapes of characters that need none (RFC 3986 §2.3), and all others. */
const NEEDLESS = /%(2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi
const ESCAPES = /%../g
const nameOf = (pair: string) => {
  const [[name] = ['']] = new URLSearchParams(pair) as Iterable<[string, string]>
  return name.replace(/\[.*$/s, '')
}

/** A URL without the parameters that are not among these, and with its path in one spelling. */
export function reduce(url: string, names: readonly string[]): string {
  const [path = '', query] = url.replace(HOST, '').split(/[?#](.*)/s, 2)
  const plain = path.replace(NEEDLESS, decodeURIComponent).replace(ESCAPES, (code) => code.toLowerCase())
  const pairs = query === undefined ? [] : query.split('&').filter((pair) => names.includes(nameOf(pair)))
  return pairs.length === 0 ? plain : `${plain}?${pairs.join('&')}`
}

/**
 * Refuses requests with too many or too deep parameters in their address, whatever they are for, before anything is done for them. Reduces
 * the others to what their routes understand, where routes say so, so that nobody gets a response of their own to be made by a parameter
 * without an effect.
 */
export const understood = fp(
  async (app) => {
    app.decorateRequest('address', '')
    app.addHook('onRequest', (request, _reply, done) => {
      const excess = excessOf(request.query as GivenQuery)
      if (excess) return done(excess)
      const { understands } = request.routeOptions.config
      request.address = request.originalUrl
      if (understands) {
        request.address = reduce(request.originalUrl, understands)
        const given = request.query as GivenQuery
        for (const name of Object.keys(given)) if (!understands.includes(name)) delete given[name]
      }
      done()
    })
  },
  { name: 'understood', dependencies: ['headers'] },
)
