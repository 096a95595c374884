import type { EventEditing } from '../../api/editing.ts'
import { SITE } from '../../api/site.ts'
import { AreaField, TextField } from '../../parts/field.tsx'
import { Prose } from '../../parts/prose.tsx'
import { ProseField } from '../../parts/prose-editor.tsx'
import { mayEdit } from '../../parts/shell.tsx'
import {
  type EventForm,
  type EventRecord,
  emptyForm,
  fieldOf,
  type Ref,
  spanOf,
  toBody,
  toForm,
} from '../../rules/event.ts'
import { whenText } from '../../words/dates.ts'
import { w } from '../../words/words.ts'
import { inLanguage, type Kind } from './data.ts'
import { SideBySide, type Wanted } from './side.tsx'

/** Dates, place, price and picture of an event, for its translation. */
async function shared(form: EventForm, language: string): Promise<Partial<EventForm>> {
  const { title: _, description: __, excerpt: ___, slug: ____, status: _____, date: ______, ...rest } = form
  const { author: _a, protected: _b, recurrence: _c, series: _d, event_status_reason: _e, ...taken } = rest
  const all = (refs: Ref[], plural: string, member: string) =>
    Promise.all(refs.map(inLanguage(plural, member, language)))
  return {
    ...taken,
    language,
    venue: await all(form.venue, 'venues', 'venue'),
    organizer: await all(form.organizer, 'organizers', 'organizer'),
    categories: await all(form.categories, 'categories', 'name'),
    tags: await all(form.tags, 'tags', 'name'),
  }
}

const kind = (): Kind<EventRecord, EventForm> => ({
  ...{ plural: 'events', toForm, toBody, fieldOf, shared, isMine: mayEdit },
  nameOf: ({ title }) => title,
  empty: ({ start_date }, language) => emptyForm(start_date.slice(0, 10), SITE.zone, language),
  taken: { text: w.taken_over, again: w.take_over },
})

const Original = ({ title, description, excerpt, event_status, event_status_reason }: EventRecord) => (
  <>
    <p class="source-title">{title}</p>
    <Prose html={description} />
    <div class="source-excerpt">
      <Prose html={excerpt} />
    </div>
    {event_status !== 'scheduled' && <p>{event_status_reason}</p>}
  </>
)

const Fields = ({ form, change, errors, lang }: EventEditing & { lang: string }) => (
  <>
    <TextField
      class="title"
      label={w.title}
      value={form.title}
      error={errors.title}
      required
      lang={lang}
      onValue={(title) => change({ title })}
    />
    <ProseField
      label={w.description}
      value={form.description}
      error={errors.description}
      lang={lang}
      onValue={(description) => change({ description })}
    />
    <AreaField
      label={w.excerpt}
      rows={2}
      lang={lang}
      value={form.excerpt}
      error={errors.excerpt}
      onValue={(excerpt) => change({ excerpt })}
    />
    {form.event_status !== 'scheduled' && (
      <AreaField
        label={w.event_status_reason}
        rows={2}
        lang={lang}
        value={form.event_status_reason}
        error={errors.event_status_reason}
        onValue={(event_status_reason) => change({ event_status_reason })}
      />
    )}
    <p class="hint">
      {whenText(spanOf(form))}
      {form.venue.map((venue) => ` · ${venue.name}`)}
    </p>
  </>
)

/** An event and its translation. */
export const TranslateEvent = (wanted: Wanted) => (
  <SideBySide
    {...wanted}
    kind={kind()}
    original={Original}
    fields={(part, lang) => <Fields {...part} lang={lang} />}
    notice={(source, form) => source.protected && !form.protected && w.copy_open}
  />
)
