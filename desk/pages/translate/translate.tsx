import { useEditing } from '../../api/editing.ts'
import { useLoaded } from '../../api/use.ts'
import { AreaField, TextField } from '../../parts/field.tsx'
import { Failed, failureText, Notice, tell } from '../../parts/notice.tsx'
import { Prose } from '../../parts/prose.tsx'
import { ProseField } from '../../parts/prose-editor.tsx'
import { may } from '../../parts/shell.tsx'
import { type EventForm, type EventRecord, fieldOf, toBody, toForm } from '../../rules/event.ts'
import type { Place } from '../../rules/places.ts'
import { whenText } from '../../words/dates.ts'
import { fill, languageName, w } from '../../words/words.ts'
import { Clash } from '../event/clash.tsx'
import { type Pair, readPair } from './data.ts'

/** An event and its translation, side by side. */
export function TranslatePage({ place: { path } }: { place: Place }) {
  const [, id, language] = path
  const { value, failure, again } = useLoaded(`${id} ${language}`, () => readPair(Number(id), language!))
  if (failure) return <Failed failure={failure} again={again} />
  if (!value) return <p class="loading">{w.loading}</p>
  return <Both {...value} language={language!} />
}

function Both({ source, shared, name, id, etag, base, form: begun, language }: Pair & { language: string }) {
  const editing = useEditing<EventRecord, EventForm>({
    ...{ name, path: '/events', id, etag, base, toForm, toBody, fieldOf },
    ...(begun && { form: begun }),
    more: { translation_of: source.id },
  })
  const { form, change, errors, failure, busy, clash } = editing
  const took = (saved: EventRecord | undefined) => {
    if (!saved) return
    tell({ text: w[saved.status === 'publish' ? 'saved_published' : 'saved'] })
    if (id === undefined) location.replace(`#/events/${saved.id}`)
  }
  const save = async (values: Partial<EventForm> = {}) => took(await editing.save(values))
  const isHidden = form.status === 'draft' || form.status === 'pending'
  const goal = may('publish records') ? 'publish' : 'pending'
  return (
    <form
      class="translate"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <div class="head">
        <h1>{fill(w.translation_into, { title: source.title, language: languageName(language) })}</h1>
        <a href={`#/events/${source.id}`}>{w.back_to_event}</a>
      </div>
      {editing.isRestored && (
        <Notice>
          <p>{w.restored_draft}</p>
          <button type="button" class="plain" onClick={editing.reset}>
            {w.discard}
          </button>
        </Notice>
      )}
      {failure && (
        <Notice bad>
          <p>{failureText(failure)}</p>
        </Notice>
      )}
      <div class="pair">
        <section lang={source.language} aria-label={languageName(source.language)}>
          <h2>{languageName(source.language)}</h2>
          <p class="source-title">{source.title}</p>
          <Prose html={source.description} />
          <div class="source-excerpt">
            <Prose html={source.excerpt} />
          </div>
        </section>
        <section aria-label={languageName(language)}>
          <h2 lang={language}>{languageName(language)}</h2>
          <TextField
            class="title"
            label={w.title}
            value={form.title}
            error={errors.title}
            required
            lang={language}
            onValue={(title) => change({ title })}
          />
          <ProseField
            label={w.description}
            value={form.description}
            error={errors.description}
            lang={language}
            onValue={(description) => change({ description })}
          />
          <AreaField
            label={w.excerpt}
            rows={2}
            lang={language}
            value={form.excerpt}
            error={errors.excerpt}
            onValue={(excerpt) => change({ excerpt })}
          />
          <p class="hint">
            {whenText({
              start_date: `${form.start_day} ${form.start_time || '00:00'}:00`,
              end_date: `${form.end_day} ${form.end_time || '00:00'}:00`,
              all_day: form.all_day,
            })}
            {form.venue.map((venue) => ` · ${venue.name}`)}
          </p>
          {id === undefined ? (
            <p class="hint">{w.taken_over}</p>
          ) : (
            <button type="button" class="plain" onClick={() => change(shared)}>
              {w.take_over}
            </button>
          )}
          <div class="buttons">
            {isHidden && form.status !== goal && (
              <button type="button" class="primary" disabled={busy} onClick={() => save({ status: goal })}>
                {goal === 'publish' ? w.publish : w.submit}
              </button>
            )}
            <button
              type="submit"
              class={isHidden && form.status !== goal ? 'plain' : 'primary'}
              disabled={busy}
            >
              {form.status === 'draft' ? w.save_draft : w.save}
            </button>
            {id !== undefined && (
              <a class="button plain" href={`#/events/${id}`}>
                {w.whole_form}
              </a>
            )}
          </div>
        </section>
      </div>
      {clash && (
        <Clash
          clash={clash}
          resolve={async (resolved) => took(await editing.resolve(resolved))}
          dismiss={editing.dismiss}
        />
      )}
    </form>
  )
}
