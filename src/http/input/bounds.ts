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
