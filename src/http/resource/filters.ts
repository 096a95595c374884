import type { TObject } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'

/** Parameters that links do not repeat: they set the page themselves, and never contain a password. */
const NOT_CARRIED = ['page', 'per_page', 'password']

/** The filters in the links of a list: all that were sent, with dates resolved (D9). */
export function filterTexts(
  request: FastifyRequest,
  schema: TObject,
  dates: Record<string, string> = {},
): [string, string][] {
  const query = request.query as Record<string, unknown>
  const { given } = request
  const known = [...Object.keys(schema.properties), 'i18n_language', '_fields'].flatMap(
    (name): [string, string][] => {
      if (dates[name] !== undefined) return [[name, dates[name]]]
      return given[name] && query[name] !== undefined ? [[name, String(query[name])]] : []
    },
  )
  const names = new Set(known.map(([name]) => name))
  const others = Object.entries(given).flatMap(([name, { values }]): [string, string][] =>
    names.has(name) ? [] : [[name, values.join(',')]],
  )
  return [...known, ...others].filter(([name]) => !NOT_CARRIED.includes(name))
}
