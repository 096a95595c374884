import { useEffect, useState } from 'preact/hooks'
import { type Failure, send } from '../../api/client.ts'
import { useEditing } from '../../api/editing.ts'
import { session } from '../../api/session.ts'
import { pathOf, SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Actions } from '../../parts/actions.tsx'
import { AreaField, TextField } from '../../parts/field.tsx'
import { RecordForm } from '../../parts/form.tsx'
import { Languages } from '../../parts/languages.tsx'
import { Failed, tell } from '../../parts/notice.tsx'
import { TermPicker, termsChanged, useNamed } from '../../parts/terms.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import {
  emptyTerm,
  PLURAL,
  parentsFor,
  type TermForm,
  type TermKind,
  type TermRecord,
  termFieldOf,
  toTermBody,
  toTermForm,
} from '../../rules/term.ts'
import { languageOfNew, w } from '../../words/words.ts'
import { Ending } from './ending.tsx'

type ParentProps = {
  id: number | undefined
  form: TermForm
  change: (values: Partial<TermForm>) => void
  error: string | undefined
}
/** The choice of the category that another one stands below. */
function Parent({ id, form, change, error }: ParentProps) {
  const value = useNamed('category', form.parent === '0' ? [] : [Number(form.parent)])
  return (
    <TermPicker
      kind="category"
      label={w.parent}
      languages={[form.language]}
      value={value}
      error={error}
      among={(terms) => parentsFor(terms, id ?? 0)}
      placeholder={w.top_level}
      single
      onValue={([parent]) => change({ parent: String(parent?.id ?? 0) })}
    />
  )
}

type Props = {
  kind: TermKind
  place: Place
  record?: TermRecord | undefined
  etag?: string | undefined
}

function Editor({ kind, place, record: first, etag }: Props) {
  const [record, setRecord] = useState(first)
  const id = first?.id
  const plural = PLURAL[kind]
  const { parent = '0', ...query } = place.query
  const { language = languageOfNew() } = query
  const part = useEditing<TermRecord, TermForm>({
    name: `${session.get()!.user}.${kind}.${id ?? `new.${parent}`}`,
    ...{ path: `/${plural}`, id, etag },
    base: first ? toTermForm(first) : emptyTerm(parent, language),
    ...{ toForm: toTermForm, toBody: toTermBody(kind) },
    fieldOf: termFieldOf,
  })
  const { form, change, errors, busy } = part
  const took = (saved: TermRecord | undefined) => {
    if (!saved) return
    setRecord(saved)
    tell({ text: w.saved })
    termsChanged(kind)
    if (id === undefined) location.replace(hashOf([plural, saved.id], query))
  }
  const save = async () => took(await part.save())
  useEffect(() => {
    document.querySelector<HTMLElement>('.panel input')?.focus()
  }, [])
  return (
    <RecordForm
      layout="stack"
      part={part}
      title={record?.name ?? w[`new_${kind}`]}
      lang={form.language}
      isMine
      save={save}
      took={took}
    >
      <TextField
        label={w.name}
        value={form.name}
        error={errors.name}
        required
        lang={form.language}
        onValue={(name) => change({ name })}
      />
      {kind === 'category' && <Parent id={id} form={form} change={change} error={errors.parent} />}
      <AreaField
        label={w.description}
        rows={3}
        lang={form.language}
        value={form.description}
        error={errors.description}
        onValue={(description) => change({ description })}
      />
      <TextField
        label={w.slug}
        hint={w.slug_of_name}
        value={form.slug}
        error={errors.slug}
        onValue={(slug) => change({ slug })}
      />
      <Actions busy={busy}>
        <a class="button plain" href={hashOf([plural], query)}>
          {w.close}
        </a>
      </Actions>
      <Languages
        plural={plural}
        record={record}
        value={form.language}
        error={errors.language}
        isMine
        onValue={(language) => change({ language })}
      />
      {record && (
        <ul class="links">
          {SITE.home && (
            <li>
              <a href={pathOf(record.url)} target="_blank" rel="noopener">
                {w.see_on_site}
              </a>
            </li>
          )}
          {kind === 'category' && (
            <li>
              <a href={hashOf([plural, 'new'], { parent: record.id, language: record.language })}>
                {w.new_below}
              </a>
            </li>
          )}
        </ul>
      )}
      {record && (
        <Ending
          kind={kind}
          record={record}
          etag={part.etag}
          ended={() => {
            termsChanged(kind)
            location.hash = hashOf([plural], query)
          }}
        />
      )}
    </RecordForm>
  )
}

/** The form of a category or a tag, beside their list. */
export function Panel({ kind, place }: { kind: TermKind; place: Place }) {
  const { value, failure, again } = useLoaded(place.path.join(), async () => {
    if (place.path[1] === 'new') return {}
    const { body, etag } = await send<TermRecord>('GET', `/${PLURAL[kind]}/${Number(place.path[1])}`)
    return { record: body, etag }
  })
  if (failure) return <Failed failure={failure as Failure} again={again} />
  if (!value) return <p class="loading">{w.loading}</p>
  return <Editor kind={kind} place={place} {...value} />
}
