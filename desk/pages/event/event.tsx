import type { Differences } from '../../api/client.ts'
import { readDated } from '../../api/events.ts'
import { onlyChoice } from '../../api/limits.ts'
import { session } from '../../api/session.ts'
import { SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Failed } from '../../parts/notice.tsx'
import {
  daysToCopy,
  duplicate,
  type EventForm,
  type EventRecord,
  emptyForm,
  hourFrom,
  toForm,
} from '../../rules/event.ts'
import type { Place } from '../../rules/places.ts'
import { isDay, today } from '../../rules/wall.ts'
import { languageOfNew, w } from '../../words/words.ts'
import { Editor } from './editor.tsx'

/** What the form begins with. */
type Start = {
  id?: number
  record?: EventRecord
  etag?: string | undefined
  differs?: Differences | undefined
  base: EventForm
  form?: EventForm
  name: string
  /** The event that this is a copy of. */
  original?: EventRecord
}

async function begin({ path, query }: Place): Promise<Start> {
  const now = today(Date.now(), SITE.zone)
  const day = query.day && isDay(query.day) ? query.day : now
  const language = languageOfNew()
  const only = path[1] === 'new' ? await onlyChoice(language) : {}
  const empty = { ...emptyForm(day, SITE.zone, language), ...hourFrom(day, query.time), ...only }
  const user = session.get()!.user
  if (path[1] !== 'new') {
    const { body, etag, differs } = await readDated(Number(path[1]))
    return { id: body.id, record: body, etag, differs, base: toForm(body), name: `${user}.event.${body.id}` }
  }
  if (query.from === undefined) return { base: empty, name: `${user}.event.new` }
  const { body } = await readDated(Number(query.from))
  const form = toForm(body)
  const copy = duplicate(form, daysToCopy(form.start_day, now))
  return { base: empty, form: copy, name: `${user}.event.copy.${body.id}`, original: body }
}

/** The form of an event: one that exists, a new one, or a copy. */
export function EventPage({ place }: { place: Place }) {
  const { value, failure, again } = useLoaded(location.hash, () => begin(place))
  if (failure) return <Failed failure={failure} again={again} />
  if (!value) return <p class="loading">{w.loading}</p>
  return <Editor key={value.etag} {...value} again={again} />
}
