import { type Listed, list, read, send } from '../../api/client.ts'
import { readDated } from '../../api/events.ts'
import { textOfHtml } from '../../rules/compare.ts'
import type { EventRecord } from '../../rules/event.ts'
import type { Place } from '../../rules/places.ts'
import { momentText } from '../../words/dates.ts'
import { languageName, type Words, w } from '../../words/words.ts'

type Values = Record<string, unknown>
/** A change of an event or a series. */
export type Revision = {
  id: number
  at_utc: string
  user?: number
  login?: string
  name?: string
  before: Values
  after: Values
}
/** What was changed in one record, and its ETag, without which nothing is brought back. */
export type Changes = Listed<Revision> & { path: string; etag: string | undefined }
/** Names of what changes refer to, by path and ID. */
export type Names = Map<string, string>
export type History = { event: EventRecord; own: Changes; ofSeries?: Changes; names: Names }

const PER_PAGE = 20

/** The members that are lists of records: their paths, and the members of these that are their names. */
const LINKS: Record<string, [path: string, name: string]> = {
  venue: ['venues', 'venue'],
  organizer: ['organizers', 'organizer'],
  categories: ['categories', 'name'],
  tags: ['tags', 'name'],
}

/** The names of all records that changes refer to. Of one that is gone there is none. */
async function namesOf(changes: Revision[]): Promise<Names> {
  const wanted = new Map<string, string>()
  for (const { before, after } of changes)
    for (const values of [before, after])
      for (const [member, [path, name]] of Object.entries(LINKS))
        for (const id of (values[member] ?? []) as number[]) wanted.set(`${path}/${id}`, name)
  const found = await Promise.all(
    [...wanted].map(async ([path, name]) => {
      const record = await read<Record<string, string>>(`/${path}`, { _fields: name }).catch(() => undefined)
      return [path, record?.[name]] as const
    }),
  )
  return new Map(found.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

const changesOf = async (path: string, etag: string | undefined, page: string): Promise<Changes> => ({
  ...(await list<Revision>(`${path}/revisions`, 'revisions', { page, per_page: PER_PAGE })),
  ...{ path, etag },
})

/** The changes of an event and, of a date of a series, those of all dates. */
export async function historyOf({ path, query: { page = '1' } }: Place): Promise<History> {
  const { body: event, etag } = await readDated(Number(path[1]))
  const own = await changesOf(`/events/${event.id}`, etag, page)
  if (event.series === undefined) return { event, own, names: await namesOf(own.rows) }
  const series = `/series/${event.series}`
  // who may edit a date may not edit its series, if that is somebody else's
  const ofSeries = await send('GET', series)
    .then(({ etag }) => changesOf(series, etag, '1'))
    .catch(() => undefined)
  const names = await namesOf([...own.rows, ...(ofSeries?.rows ?? [])])
  return { event, own, ...(ofSeries && { ofSeries }), names }
}

const WORDS: Record<string, keyof Words> = {
  ...{ start_date: 'member_start', end_date: 'member_end', password: 'visitor_password' },
  ...{ organizer: 'organizers', i18n_language: 'language', post_parent: 'member_parent' },
}
/** The name of a member in words. */
export const memberText = (name: string): string => w[WORDS[name] ?? (name as keyof Words)] ?? name

const PREFIX: Record<string, string> = {
  ...{ status: 'status_', event_status: 'event_status_', attendance_mode: 'attendance_' },
}
/** A value of a member in words. */
export function valueText(name: string, value: unknown, names: Names): string {
  if (typeof value === 'boolean') return value ? w.yes : w.no
  if (Array.isArray(value)) {
    const path = LINKS[name]?.[0]
    return value.map((one) => (path ? (names.get(`${path}/${one}`) ?? `#${one}`) : one)).join(', ')
  }
  if (typeof value === 'number') return value === 0 ? '' : `#${value}`
  if (typeof value === 'object' && value) return Object.values(value).flat().filter(Boolean).join(', ')
  const text = String(value)
  if (name === 'i18n_language') return languageName(text)
  if (name.endsWith('date')) return momentText(text)
  if (name === 'description' || name === 'excerpt') return textOfHtml(text)
  return PREFIX[name] ? w[`${PREFIX[name]}${text}` as keyof Words] : text
}
