import { extend } from '../../../../schemas/common.ts'
import { EventInput } from '../../../../schemas/event.ts'
import { LanguageInput } from '../../../../schemas/input.ts'
import { OrganizerInput } from '../../../../schemas/organizer.ts'
import { SeriesInput } from '../../../../schemas/series.ts'
import { CategoryInput, TagInput } from '../../../../schemas/term.ts'
import { VenueInput } from '../../../../schemas/venue.ts'
import type { RecordKind, Store, Write } from '../../../calendar/store.ts'
import { readMembers } from '../../../kernel/input/readers.ts'
import { missingText, problemsText } from '../files/reading.ts'
import type { Taken } from './taken.ts'

/** What a record is created from or changed by, as requests are read. */
export type Input = Record<string, unknown>
type Writes = {
  create(w: Write, input: Input): Promise<number>
  update(w: Write, id: number, input: Input): Promise<number>
}

/** What of the store writes one kind of record, each with inputs of its own. */
type Writer = {
  create(w: Write, input: never): Promise<number>
  update(w: Write, key: { id: number }, input: never): Promise<number>
}

/** The operations of the store that write records, by kind. What they are given was read by the schema of the kind. */
export function writesOf(store: Store): Record<RecordKind, Writes> {
  const of = (writer: Writer): Writes => ({
    create: (w, input) => writer.create(w, input as never),
    update: (w, id, input) => writer.update(w, { id }, input as never),
  })
  return {
    event: of(store.events),
    series: of(store.series),
    venue: of(store.venues),
    organizer: of(store.organizers),
    category: of(store.categories),
    tag: of(store.tags),
  }
}

/** A body as it was read, and what had to be left out of it; or why nothing can be made of it. */
export type Read = { input: Record<string, unknown>; notes: string[] } | { refused: string }

/** Members without which a record is not what it was. */
const VITAL = [
  ...['title', 'venue', 'organizer', 'name', 'status', 'i18n_language', 'recurrence'],
  ...['start_date', 'end_date', 'timezone', 'all_day'],
]

/** Reads bodies as requests that would create the records, in a calendar with these languages. */
export function openReading(languages: readonly string[]) {
  const own = LanguageInput(languages)
  const { slug } = EventInput.properties
  const schemas: Record<RecordKind, Parameters<typeof readMembers>[0]> = {
    event: extend(EventInput, own),
    series: extend(SeriesInput, own),
    venue: extend(VenueInput, { ...own, slug }),
    organizer: extend(OrganizerInput, { ...own, slug }),
    category: extend(CategoryInput, own),
    tag: extend(TagInput, own),
  }
  return ({ kind, body }: Pick<Taken, 'kind' | 'body'>): Read => {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    const { value, problems, missing } = readMembers(schemas[kind], given)
    const told = (name: string) => problemsText({ [name]: problems[name]! }, { body: given })
    const names = Object.keys(problems).filter((name) => !missing.includes(name))
    const vital = names.filter((name) => VITAL.includes(name)).map(told)
    const wrong = [missingText(missing, { body: given }), ...vital].filter(Boolean)
    if (wrong.length > 0) return { refused: wrong.join(' ') }
    return { input: value, notes: names.map(told) }
  }
}
