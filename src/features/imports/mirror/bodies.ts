import { Reads } from '../../../../schemas/common.ts'
import { EventInput } from '../../../../schemas/event.ts'
import { OrganizerInput } from '../../../../schemas/organizer.ts'
import { SeriesInput } from '../../../../schemas/series.ts'
import { CategoryInput, TagInput } from '../../../../schemas/term.ts'
import { VenueInput } from '../../../../schemas/venue.ts'
import type { RecordKind } from '../../../calendar/store.ts'
import type { readMembers } from '../../../kernel/input/readers.ts'
import { asHtml } from '../site/taken.ts'

type Members = Record<string, unknown>
/** What the source calls what a body refers to. Each throws the refusal of what it does not have. */
export type There = {
  record(kind: RecordKind, id: number): Promise<number>
  /** A term by its ID, slug or name here; what is no term yet keeps its name, and an ID without a term is left out. */
  term(taxonomy: 'category' | 'tag', key: number | string): Promise<number | string | undefined>
  /** The address of a picture. */
  picture(id: number): Promise<string>
}

type Schema = Parameters<typeof readMembers>[0]
const SCHEMAS: Record<RecordKind, Schema> = {
  ...{ event: EventInput, series: SeriesInput, venue: VenueInput, organizer: OrganizerInput },
  ...{ category: CategoryInput, tag: TagInput },
}
/** How members are read that are sent as HTML, which is what names and lines are read as. */
const PLAIN = ['name', 'line', 'postcode']
/** How members are read that an empty text clears, also at sources that do not know null. */
const TEXTS = ['html', 'line', 'postcode', 'url', 'webUrl', 'cost', 'image', 'picture']
/** The kinds that members name records of, by their IDs. */
const REFERRED: Record<string, (kind: RecordKind) => RecordKind> = {
  parent: () => 'category',
  post_parent: () => 'event',
  translation_of: (kind) => kind,
}

/** A member as it was read, so that it is read as the same again: a value is sent that was checked, not what a client sent. */
function againOf(schema: Schema['properties'][string] | undefined, value: unknown): unknown {
  const reading = String(schema?.[Reads])
  if (value === null) return TEXTS.includes(reading) ? '' : null
  if (reading === 'cost') return (value as string[]).map(asHtml)
  return PLAIN.includes(reading) ? asHtml(String(value)) : value
}

/** The body of a request to the source, from that of one here, as it was read. Only what was sent is in it. */
export async function bodyFor(kind: RecordKind, body: Members, there: There): Promise<Members> {
  const sent: Members = {}
  for (const [name, value] of Object.entries(body)) sent[name] = await memberFor(kind, name, value, there)
  return sent
}

async function memberFor(kind: RecordKind, name: string, value: unknown, there: There): Promise<unknown> {
  if (value && name === 'image') return imageFor(value as { id: number } | { url: string }, there)
  if (isOfEvent(kind)) {
    if (name === 'venue' || name === 'organizer') return linksFor(name, (value ?? []) as Link[], there)
    if (name === 'categories' || name === 'tags') {
      const taxonomy = name === 'tags' ? 'tag' : 'category'
      const keys: unknown[] = []
      for (const key of (value ?? []) as (number | string)[]) keys.push(await there.term(taxonomy, key))
      return keys.filter((key) => key !== undefined)
    }
  }
  const referred = REFERRED[name]?.(kind)
  if (value && referred) return there.record(referred, value as number)
  return againOf(SCHEMAS[kind].properties[name], value)
}

const isOfEvent = (kind: RecordKind) => kind === 'event' || kind === 'series'

type Link = { id: number } | { create: Members }

async function linksFor(kind: 'venue' | 'organizer', links: Link[], there: There): Promise<unknown[]> {
  const sent: unknown[] = []
  for (const link of links)
    sent.push(
      'id' in link ? { id: await there.record(kind, link.id) } : await bodyFor(kind, link.create, there),
    )
  return sent
}

const imageFor = (image: { id: number } | { url: string }, there: There) =>
  'url' in image ? image.url : there.picture(image.id)
