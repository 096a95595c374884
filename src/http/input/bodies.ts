import { extend } from '../../../schemas/common.ts'
import { EventInput } from '../../../schemas/event.ts'
import { LanguageInput } from '../../../schemas/input.ts'
import { SeriesInput } from '../../../schemas/series.ts'
import { readMembers } from './validation.ts'

/** Reads bodies as requests that would create events and series, on a site with these languages. */
export function openBodies(languages: readonly string[]) {
  const own = LanguageInput(languages)
  const schemas = { event: extend(EventInput, own), series: extend(SeriesInput, own) }
  return (kind: 'event' | 'series', body: Record<string, unknown>) => readMembers(schemas[kind], body)
}
