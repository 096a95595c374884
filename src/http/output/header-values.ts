import type { FastifyReply } from 'fastify'
import type { Corrections } from '../../rules/text/query.ts'

/** Clients refuse headers that are much longer. */
const MAX_HEADER = 4_000

// through a Buffer, since a lone surrogate can't be percent-encoded
const wellFormed = (name: string) => Buffer.from(name).toString()

/** A name as a part of another, percent-encoded but for letters and digits. */
export const encodeName = (name: string) => encodeURIComponent(wellFormed(name))

/** A name as a header carries it: percent-encoded where need be (brackets are not). */
export const printName = (name: string) => encodeURI(wellFormed(name)).replace(/%5[BD]/g, decodeURIComponent)

/** Names, printed before, with `...` for those that are too many. */
function join(names: string[]): string {
  let text = ''
  for (const name of names) {
    const more = (text && ', ') + name
    if (text.length + more.length > MAX_HEADER) return `${text && `${text}, `}...`
    text += more
  }
  return text
}

/** Names things in a header of the answer, where there are any; the names are printed. */
export function addNames(reply: FastifyReply, header: string, names: string[]) {
  if (names.length > 0) reply.header(header, join(names))
}

/** Names the words of a search that were taken as others, where there are any. */
export const addCorrections = (reply: FastifyReply, corrections: Corrections = new Map()) =>
  addNames(
    reply,
    'x-search-corrections',
    [...corrections].map((pair) => pair.map(encodeName).join('=')),
  )

/** Returns the current value of the Date header, formatted at most once a second. */
export function openDate(clock: () => number) {
  let second = Number.NaN
  let text = ''
  return () => {
    const now = Math.floor(clock() / 1000)
    if (now !== second) {
      second = now
      text = new Date(now * 1000).toUTCString()
    }
    return text
  }
}

/** The Content-Type of JSON responses, always UTF-8 (D40). */
export const JSON_ANSWER = 'application/json; charset=utf-8'

/** Header with the seconds since the copy of this node was last known to have everything; absent while it has. */
export const COPY_AGE = 'almanac-copy-age'
