import type { Format } from './format.ts'
import { icalendar } from './icalendar.ts'
import { jsonFeed, linkedData } from './json.ts'
import { atom, rss } from './rss-and-atom.ts'

/** Every format that lists and records are served in besides v1 JSON. The routes, `Accept` and the document follow from this list. */
export const FORMATS: readonly Format[] = [icalendar, rss, atom, jsonFeed, linkedData]

/** The format with an extension. */
export const formatOf = (extension: string): Format | undefined =>
  FORMATS.find((format) => format.extension === extension)
