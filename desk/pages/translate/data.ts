import { read, send } from '../../api/client.ts'
import { session } from '../../api/session.ts'
import { SITE } from '../../api/site.ts'
import { type EventForm, type EventRecord, emptyForm, type Ref, toForm } from '../../rules/event.ts'

/** An event, and its translation as it is or as it begins. */
export type Pair = {
  source: EventRecord
  /** What the translation takes from the event: all but its texts. */
  shared: Partial<EventForm>
  name: string
  id?: number
  etag?: string | undefined
  base: EventForm
  form?: EventForm
}

type Linked = { id: number; translations: Record<string, number> } & Record<string, unknown>

/** What an event refers to in another language, where that is translated. */
const inLanguage =
  (path: string, member: string, language: string) =>
  async (ref: Ref): Promise<Ref> => {
    const { translations } = await read<Linked>(`/${path}/${ref.id}`)
    const id = translations[language]
    if (id === undefined) return ref
    const { [member]: name } = await read<Linked>(`/${path}/${id}`)
    return { id, name: String(name) }
  }

/** Dates, place, price and picture of an event, for its translation. */
async function sharedOf(form: EventForm, language: string): Promise<Partial<EventForm>> {
  const { title: _, description: __, excerpt: ___, slug: ____, status: _____, date: ______, ...shared } = form
  const all = (refs: Ref[], path: string, member: string) =>
    Promise.all(refs.map(inLanguage(path, member, language)))
  return {
    ...shared,
    language,
    venue: await all(form.venue, 'venues', 'venue'),
    organizer: await all(form.organizer, 'organizers', 'organizer'),
    categories: await all(form.categories, 'categories', 'name'),
    tags: await all(form.tags, 'tags', 'name'),
  }
}

/** Reads an event, and its translation into a language if there is one. */
export async function readPair(id: number, language: string): Promise<Pair> {
  const { body: source } = await send<EventRecord>('GET', `/events/${id}`)
  const shared = await sharedOf(toForm(source), language)
  const name = `${session.get()!.user}.translation.${id}.${language}`
  const other = source.translations[language]
  if (other === undefined) {
    const base = emptyForm(source.start_date.slice(0, 10), SITE.zone, language)
    return { source, shared, name, base, form: { ...base, ...shared } }
  }
  const { body, etag } = await send<EventRecord>('GET', `/events/${other}`)
  return { source, shared, name, id: other, etag, base: toForm(body) }
}
