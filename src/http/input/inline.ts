import { type TObject, Type } from '@sinclair/typebox'
import { read, Short } from '../../../schemas/common.ts'
import { MOST_LINKS } from '../../../schemas/links.ts'
import { OrganizerInput } from '../../../schemas/organizer.ts'
import { VenueInput } from '../../../schemas/venue.ts'
import { isObject, readTexts } from './lists.ts'
import type { Reader, ReadMembers } from './readers.ts'
import { isRefusal, refuse, refuseLimits } from './refusals.ts'

/** Inside an event a venue's maps may also be all that is a boolean elsewhere (contract, Shapes). */
const Switch = Type.Optional(read<boolean>('switch', Type.String(), Short))
const inline: Record<'venue' | 'organizer', TObject> = {
  venue: Type.Object({ ...VenueInput.properties, show_map: Switch, show_map_link: Switch }),
  organizer: OrganizerInput,
}

const Unknown = Symbol('unknown')
/** The members of venues or organizers in a value that nobody understands. */
export const unknownIn = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.flatMap(
        (link: { [Unknown]?: string[] } | string) => (link as { [Unknown]?: string[] })[Unknown] ?? [],
      )
    : []

/** Whether a value unlinks everything (D32). */
const isNothing = (raw: unknown, depth = 0): boolean =>
  raw === null ||
  raw === '' ||
  raw === 0 ||
  raw === '0' ||
  (Array.isArray(raw)
    ? depth < 3 && raw.length <= MOST_LINKS && raw.every((item) => isNothing(item, depth + 1))
    : typeof raw === 'object' && Object.keys(raw).length === 0)

function readLink(raw: unknown, kind: 'venue' | 'organizer', readMembers: ReadMembers): unknown {
  const { id = raw, ...members } = isObject(raw) ? raw : {}
  if ((typeof id === 'number' || typeof id === 'string') && /^[1-9]\d{0,14}$/.test(String(id).trim()))
    return { id: Number(id) }
  // generated clients send null or 0 for the ID of what has none yet
  if (!isObject(raw) || ('id' in raw && id !== null && id !== 0))
    return refuse(`must be IDs of ${kind}s, or objects with the fields of new ones.`)
  const { value, problems, missing, unknown, code } = readMembers(inline[kind], members)
  if (missing.length > 0) return refuse(`needs the member "${kind}", the name of the ${kind}.`)
  const [problem] = Object.entries(problems)
  if (!problem) return { create: value, [Unknown]: unknown.map((name) => `${kind}.${name}`) }
  return refuse(`${problem[0]} ${problem[1]}`, code && `could-not-create-${kind}`)
}

/** Reads the venues or organizers of an event: existing ones by ID, others to be created (D32). */
export const readLinks =
  (kind: 'venue' | 'organizer'): Reader =>
  (raw, schema, readMembers) => {
    if (isNothing(raw)) return []
    const items = Array.isArray(raw)
      ? raw.filter((item) => !isNothing(item))
      : typeof raw === 'string'
        ? readTexts(raw)!
        : [raw]
    if (items.length > schema.maxItems!) return refuseLimits(schema)
    const links = items.map((item) => readLink(item, kind, readMembers))
    return links.find(isRefusal) ?? links
  }
