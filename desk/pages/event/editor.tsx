import { useEffect, useRef, useState } from 'preact/hooks'
import { canEdit } from '../../../src/rules/roles.ts'
import { type Editing, useEditing } from '../../api/editing.ts'
import { session } from '../../api/session.ts'
import { useBefore } from '../../parts/alt-texts.tsx'
import { AreaField, TextField } from '../../parts/field.tsx'
import { failureText, Notice, tell } from '../../parts/notice.tsx'
import { PictureField } from '../../parts/picture.tsx'
import { ProseField } from '../../parts/prose-editor.tsx'
import { type EventForm, type EventRecord, fieldOf, toBody, toForm } from '../../rules/event.ts'
import { w } from '../../words/words.ts'
import { Clash } from './clash.tsx'
import { Dates } from './dates.tsx'
import { More } from './more.tsx'
import { Places } from './places.tsx'
import { Preview } from './preview.tsx'
import { Publish } from './publish.tsx'
import { Terms } from './terms.tsx'
import { Translations } from './translations.tsx'

/** What the parts of the form share. */
export type Part = Editing<EventRecord, EventForm>

type Props = {
  id?: number
  record?: EventRecord
  etag?: string | undefined
  base: EventForm
  form?: EventForm
  name: string
  copied: boolean
}

/** The form of an event. */
export function Editor({ id, record: first, etag, base, form: begun, name, copied }: Props) {
  const [record, setRecord] = useState(first)
  const [previews, setPreviews] = useState(false)
  const part = useEditing<EventRecord, EventForm>({
    ...{ name, path: '/events', id, etag, base, toForm, toBody, fieldOf },
    ...(begun && { form: begun }),
  })
  const { form, change, errors, failure, isChanged, isRestored, clash } = part
  const place = useRef<HTMLFormElement>(null)
  const before = useBefore()
  const { user, role } = session.get()!
  const isMine =
    !record || canEdit({ id: user, role }, { author_id: Number(record.author), status: record.status })

  const took = (saved: EventRecord | undefined) => {
    if (!saved) return
    setRecord(saved)
    tell({ text: w[saved.status === 'publish' ? 'saved_published' : 'saved'] })
    if (id === undefined) location.replace(`#/events/${saved.id}`)
  }
  const save = async (values: Partial<EventForm> = {}) => {
    if (await before.current()) took(await part.save(values))
  }
  const latest = useRef(save)
  latest.current = save

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  useEffect(() => {
    if (failure) place.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [failure])

  const known = Object.keys(errors).filter((field) => field in form)
  return (
    <form
      class="edit"
      ref={place}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <div class="head">
        <h1 lang={form.language}>{record?.title ?? (copied ? w.copy_of_event : w.new_event)}</h1>
        {isChanged && <span class="badge unsaved">{w.unsaved}</span>}
      </div>
      {!isMine && <Notice>{w.read_only}</Notice>}
      {record?.status === 'trash' && <Notice>{w.in_trash}</Notice>}
      {isRestored && (
        <Notice>
          <p>{w.restored_draft}</p>
          <button type="button" class="plain" onClick={part.reset}>
            {w.discard}
          </button>
        </Notice>
      )}
      {failure && (
        <Notice bad>
          <p>{known.length > 0 ? w.see_fields : failureText(failure)}</p>
          {Object.entries(errors)
            .filter(([field]) => !known.includes(field))
            .map(([field, text]) => (
              <p key={field}>
                {field}: {text}
              </p>
            ))}
        </Notice>
      )}
      <fieldset class="columns" disabled={!isMine}>
        <div class="main">
          <TextField
            class="title"
            label={w.title}
            value={form.title}
            error={errors.title}
            required
            lang={form.language}
            onValue={(title) => change({ title })}
          />
          <Dates {...part} />
          <Places {...part} />
          <ProseField
            label={w.description}
            value={form.description}
            error={errors.description}
            lang={form.language}
            onValue={(description) => change({ description })}
          />
          <AreaField
            label={w.excerpt}
            hint={w.excerpt_hint}
            rows={2}
            lang={form.language}
            value={form.excerpt}
            error={errors.excerpt}
            onValue={(excerpt) => change({ excerpt })}
          />
          <Terms {...part} />
          <More {...part} />
        </div>
        <div class="side">
          <Publish {...part} record={record} save={save} preview={() => setPreviews(true)} />
          <PictureField
            value={form.image}
            error={errors.image}
            language={form.language}
            before={before}
            onValue={(image) => change({ image })}
          />
          <Translations record={record} form={form} change={change} error={errors.language} />
        </div>
      </fieldset>
      {clash && (
        <Clash
          clash={clash}
          resolve={async (resolved) => took(await part.resolve(resolved))}
          dismiss={part.dismiss}
        />
      )}
      {previews && <Preview form={form} close={() => setPreviews(false)} />}
    </form>
  )
}
