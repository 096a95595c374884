import { useState } from 'preact/hooks'
import { type Differences, list, send } from '../../api/client.ts'
import { useEditing } from '../../api/editing.ts'
import { session } from '../../api/session.ts'
import { SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Uneven, useAlike } from '../../parts/alike.tsx'
import { useBefore } from '../../parts/alt-texts.tsx'
import { TextField } from '../../parts/field.tsx'
import { RecordForm } from '../../parts/form.tsx'
import { Languages } from '../../parts/languages.tsx'
import { Failed, tell } from '../../parts/notice.tsx'
import { PictureField } from '../../parts/picture.tsx'
import { ProseField } from '../../parts/prose-editor.tsx'
import { may, mayEdit } from '../../parts/shell.tsx'
import { readCoordinates } from '../../rules/coordinates.ts'
import {
  emptyLinked,
  type LinkedForm,
  type LinkedKind,
  type LinkedRecord,
  linkedFieldOf,
  nameOf,
  toLinkedBody,
  toLinkedForm,
} from '../../rules/linked.ts'
import { hashOf, type Place } from '../../rules/places.ts'
import { whenText } from '../../words/dates.ts'
import { fill, number, w } from '../../words/words.ts'
import { Address, Contact } from './fields.tsx'
import { LinkedAbout, LinkedActs } from './publish.tsx'

type Shown = { id: number; title: string; start_date: string; end_date: string; all_day: boolean }

/** The next events of a venue or an organizer: whoever changes it changes what these say. */
function UsedBy({ kind, id }: { kind: LinkedKind; id: number }) {
  const { value, failure, again } = useLoaded(`${kind} ${id}`, () =>
    list<Shown>('/events', 'events', { [kind]: id, status: 'any', when: 'upcoming', per_page: 5 }),
  )
  return (
    <section aria-label={w.next_events}>
      <h2>{w.next_events}</h2>
      {failure && <Failed failure={failure} again={again} />}
      {value && <p class="hint">{fill(w.so_many_events, { count: number(value.total) })}</p>}
      <ul class="links">
        {value?.rows.map((event) => (
          <li key={event.id}>
            <a href={hashOf(['events', event.id])}>{event.title}</a>{' '}
            <span class="hint">{whenText(event)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

type Props = {
  kind: LinkedKind
  record?: LinkedRecord | undefined
  etag?: string | undefined
  differs?: Differences | undefined
}

function Editor({ kind, record: first, etag, differs }: Props) {
  const [record, setRecord] = useState(first)
  const id = first?.id
  const { user } = session.get()!
  const toForm = toLinkedForm(kind)
  const empty = emptyLinked(kind, SITE.languages[0]!)
  const part = useEditing<LinkedRecord, LinkedForm>({
    ...{ name: `${user}.${kind}.${id ?? 'new'}`, path: `/${kind}s`, id, etag, differs },
    base: first ? toForm(first) : may('publish records') ? empty : { ...empty, status: 'draft' },
    ...{ toForm, toBody: toLinkedBody(kind), fieldOf: linkedFieldOf(kind) },
  })
  const { form, change, errors } = part
  const before = useBefore()
  const isMine = !record || mayEdit(record, kind)
  const alike = useAlike(record, isMine, w.also_in_hint_linked)
  const took = (saved: LinkedRecord | undefined) => {
    if (!saved) return
    setRecord(saved)
    tell({ text: w[saved.status === 'publish' ? 'saved_published' : 'saved'] })
    if (id === undefined) location.replace(hashOf([`${kind}s`, saved.id]))
  }
  const store = async (values: Partial<LinkedForm> = {}) => {
    // what can not be read is not sent: it would remove the coordinates that are there
    if (form.coordinates.trim() && !readCoordinates(form.coordinates))
      return document.querySelector<HTMLElement>('.coordinates input')?.focus()
    if (await before.current()) took(await part.save(values, { query: alike.query }))
  }
  const restore = async () => took(await part.save({}, { query: alike.query, restores: true }))
  const whole = { ...part, kind, record, store, restore, alike }
  return (
    <RecordForm
      part={part}
      title={record ? nameOf(kind, record) : w[`new_${kind}`]}
      lang={form.language}
      isMine={isMine}
      save={store}
      took={took}
      notices={[record?.status === 'trash' && w.record_in_trash]}
      acts={<LinkedActs {...whole} />}
    >
      <div class="main">
        {isMine && <Uneven {...part} />}
        <div class="entitled">
          <TextField
            class="title"
            label={w.name}
            value={form.name}
            error={errors.name}
            required
            lang={form.language}
            onValue={(name) => change({ name })}
          />
          <Languages
            plural={`${kind}s`}
            record={record?.status === 'trash' ? undefined : record}
            value={form.language}
            error={errors.language}
            isMine={isMine}
            onValue={(language) => change({ language })}
          />
        </div>
        {kind === 'venue' && <Address {...part} />}
        <Contact {...part} email={kind === 'organizer'} />
        <ProseField
          label={w.description}
          value={form.description}
          error={errors.description}
          lang={form.language}
          onValue={(description) => change({ description })}
        />
        <PictureField
          value={form.image}
          error={errors.image}
          alt={fill(w.picture_of, { name: form.name })}
          language={form.language}
          before={before}
          onValue={(image) => change({ image })}
        />
      </div>
      {record && (
        <div class="side">
          <LinkedAbout {...whole} />
          <UsedBy kind={kind} id={record.id} />
        </div>
      )}
    </RecordForm>
  )
}

/** The form of a venue or an organizer. */
export function LinkedPage({ kind, place }: { kind: LinkedKind; place: Place }) {
  const isNew = place.path[1] === 'new'
  const { value, failure, again } = useLoaded(location.hash, async (): Promise<Props> => {
    if (isNew) return { kind }
    const { body, etag, differs } = await send<LinkedRecord>('GET', `/${kind}s/${Number(place.path[1])}`)
    return { kind, record: body, etag, differs }
  })
  if (failure) return <Failed failure={failure} again={again} />
  if (!value) return <p class="loading">{w.loading}</p>
  return <Editor {...value} />
}
