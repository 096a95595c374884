import { short } from '../table.ts'
import type { Values } from './filters.ts'

/** A pair of filters, how it was answered, and in how many milliseconds: the first time, and the median. */
export type Timed = { filters: Values; status: number; first: number; milliseconds: number }
export type Statement = { sql: string; times: number; plan: string[] }
export type Pairs = {
  made: string
  events: number
  pairs: number
  /** Milliseconds above which a pair is slow. */
  over: number
  slow: number
  /** Milliseconds of the first time, when counts are not yet in memory. */
  slowAtFirst: number
  /** Answered with an error other than 404, which is what a page beyond the end gets. */
  refused: number
  /** The median of all pairs. */
  middle: number
  slowest: (Timed & { statements: Statement[] })[]
}

export const queryOf = (filters: Values) =>
  Object.entries(filters)
    .map(([name, value]) => `${name}=${value.length > 40 ? `${value.slice(0, 37)}...` : value}`)
    .join('&')

/** The findings for a terminal: a summary, and the slowest with what they ran. */
export function textOf({ events, pairs, over, slow, slowAtFirst, refused, middle, slowest }: Pairs): string {
  const blocks = slowest.map(({ filters, first, milliseconds, status, statements }) => {
    const head = `${short(milliseconds)} ms (first ${short(first)} ms, ${status})  ${queryOf(filters)}`
    const ran = statements.flatMap(({ sql, plan }) => [
      `    ${sql}`,
      ...plan.map((line) => `      | ${line}`),
    ])
    return [head, ...ran].join('\n')
  })
  const summary = `${pairs} pairs on ${events} events: median ${short(middle)} ms; ${slow} over ${over} ms, ${slowAtFirst} the first time; ${refused} refused`
  return [...blocks, summary].join('\n\n')
}
