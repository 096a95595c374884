import { useState } from 'preact/hooks'
import type { Differences } from '../../api/client.ts'
import { useEditing } from '../../api/editing.ts'
import { readDated, withSeries } from '../../api/events.ts'
import { Uneven, useAlike } from '../../parts/alike.tsx'
import { useBefore } from '../../parts/alt-texts.tsx'
import { Differs, followSeries } from '../../parts/differs.tsx'
import { AreaField, TextField } from '../../parts/field.tsx'
import { RecordForm } from '../../parts/form.tsx'
import { Languages } from '../../parts/languages.tsx'
import { tell } from '../../parts/notice.tsx'
import { PictureField } from '../../parts/picture.tsx'
import { ProseField } from '../../parts/prose-editor.tsx'
import { AskRange } from '../../parts/range.tsx'
import { mayEdit } from '../../parts/shell.tsx'
import { changed } from '../../rules/compare.ts'
import { type EventForm, type EventRecord, fieldOf, memberOf, toBody, toForm } from '../../rules/event.ts'
import { type Range, sentRepetition } from '../../rules/series.ts'
import { fill, w } from '../../words/words.ts'
import { Author } from './author.tsx'
import { Dates } from './dates.tsx'
import { More } from './more.tsx'
import { Places } from './places.tsx'
import { Preview } from './preview.tsx'
import { About, Acts, Scheduled } from './publish.tsx'
import { Reasons } from './reasons.tsx'
import { Repeats } from './repeats.tsx'
import { Terms } from './terms.tsx'

type Props = {
  id?: number
  record?: EventRecord
  etag?: string | undefined
  differs?: Differences | undefined
  base: EventForm
  form?: EventForm
  name: string
  original?: EventRecord
  again: () => void
}
/** A change of a date of a series, until it is said for which dates it is. */
type Asked = { values: Partial<EventForm>; names: (keyof EventForm)[] }

/** The form of an event. */
export function Editor(props: Props) {
  const { id, record: first, etag, differs, base, form: begun, name, original, again } = props
  const [record, setRecord] = useState(first)
  const [previews, setPreviews] = useState(false)
  const [asked, setAsked] = useState<Asked>()
  const [range, setRange] = useState<Range>('this')
  const part = useEditing<EventRecord, EventForm>({
    ...{ name, path: '/events', id, etag, differs, base, toForm, toBody, fieldOf },
    ...{ read: readDated, complete: withSeries },
    ...(begun && { form: begun }),
  })
  const { form, change, errors } = part
  const before = useBefore()
  const isMine = !record || mayEdit(record)
  const alike = useAlike(record, isMine, w.also_in_hint)
  const took = (saved: EventRecord | undefined) => {
    if (!saved) return
    setRecord(saved)
    tell({ text: w[saved.status === 'publish' ? 'saved_published' : 'saved'] })
    if (id === undefined) location.replace(`#/events/${saved.id}`)
  }
  const save = async (values: Partial<EventForm> = {}) => {
    if (!(await before.current())) return
    const names = changed(part.base, { ...form, ...values })
    if (record?.of && record.status !== 'trash' && names.length > 0) setAsked({ values, names })
    else took(await part.save(values, { query: alike.query }))
  }
  const saveFor = async (range: Range, { values }: Asked) => {
    setAsked(undefined)
    setRange(range)
    const isRuled = range !== 'this' && form.recurrence !== null
    const recurrence = isRuled ? sentRepetition(form, part.base, record!, range) : undefined
    took(
      await part.save(values, {
        query: { ...alike.query, apply_to: range },
        also: recurrence && { recurrence },
      }),
    )
  }
  return (
    <>
      <RecordForm
        part={part}
        title={record?.title ?? (original ? fill(w.copy_of, { title: original.title }) : w.new_event)}
        lang={form.language}
        isMine={isMine}
        save={save}
        took={took}
        notices={[
          record?.status === 'trash' && w.in_trash,
          original?.protected && form.password === undefined && w.copy_open,
        ]}
        head={
          <>
            {record?.series !== undefined && <span class="badge">{w.repeats_badge}</span>}
            {form.protected && <span class="badge">{w.protected}</span>}
          </>
        }
        acts={
          <Acts
            {...part}
            {...{ record, save, alike }}
            preview={() => setPreviews(true)}
            restore={async () => took(await part.save({}, { query: alike.query, restores: true }))}
          />
        }
      >
        <div class="main">
          {record?.overrides && record.overrides.length > 0 && (
            <Differs
              overrides={record.overrides}
              back={() => void followSeries(record.id, part.etag, again)}
            />
          )}
          {isMine && <Uneven {...part} />}
          {isMine && record && <Reasons record={record} version={part.etag} range={range} />}
          <Scheduled {...part} />
          <div class="entitled">
            <TextField
              class="title"
              label={w.title}
              value={form.title}
              error={errors.title}
              required
              lang={form.language}
              onValue={(title) => change({ title })}
            />
            <Languages
              plural="events"
              record={record?.status === 'trash' ? undefined : record}
              value={form.language}
              error={errors.language}
              // a series is translated as a whole
              isMine={isMine && record?.series === undefined}
              onValue={(language) => change({ language })}
            />
          </div>
          <Dates {...part} proposed={original && begun!.start_day} />
          <Repeats {...part} record={record} />
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
          <PictureField
            value={form.image}
            error={errors.image}
            language={form.language}
            before={before}
            onValue={(image) => change({ image })}
          />
          <Terms {...part} />
          <More {...part} />
        </div>
        {record && (
          <div class="side">
            <About {...{ record, alike }} etag={part.etag}>
              <Author {...part} owner={record.author} />
            </About>
          </div>
        )}
      </RecordForm>
      {asked && (
        <AskRange
          record={record!}
          act={form.recurrence === null ? 'end' : 'change'}
          members={asked.names.map(memberOf)}
          hasThis={form.recurrence === null || !asked.names.includes('recurrence')}
          onYes={(range) => void saveFor(range, asked)}
          onNo={() => setAsked(undefined)}
        />
      )}
      {previews && (
        <Preview
          {...{ form, record, isChanged: part.isChanged }}
          save={isMine && !record?.of ? () => save() : undefined}
          close={() => setPreviews(false)}
        />
      )}
    </>
  )
}
