import { useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import { pathOf, SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/notice.tsx'
import { Prose } from '../../parts/prose.tsx'
import { mayEdit } from '../../parts/shell.tsx'
import { type EventForm, type EventRecord, spanOf } from '../../rules/event.ts'
import { whenText } from '../../words/dates.ts'
import { w } from '../../words/words.ts'

const names = (refs: { name: string }[]) => refs.map(({ name }) => name).join(', ')

/** What the form holds, without the page around it. */
function QuickLook({ form }: { form: EventForm }) {
  const when = whenText(spanOf(form))
  const facts = [
    [w.when, when],
    [w.venue, names(form.venue)],
    [w.organizers, names(form.organizer)],
    [w.cost, form.cost],
  ].filter(([, text]) => text)
  return (
    <article class="preview" lang={form.language}>
      {form.categories.length > 0 && <p class="kicker">{names(form.categories)}</p>}
      <h1>{form.title || w.untitled}</h1>
      <dl>
        {facts.map(([term, text]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {form.image && <img src={pathOf(form.image.url)} alt="" />}
      <Prose html={form.description} />
    </article>
  )
}

/** The page of the stored event, in the width of a desk or of a phone. */
export function PageOf({ record }: { record: Pick<EventRecord, 'id' | 'modified_utc'> }) {
  const [isNarrow, setNarrow] = useState(false)
  const { value, failure, again } = useLoaded(`preview ${record.id} ${record.modified_utc}`, async () => {
    const { body } = await send<{ url: string }>('POST', `/events/${record.id}/preview`)
    return pathOf(body.url)
  })
  if (failure) return <Failed failure={failure} again={again} />
  if (!value) return <p class="loading">{w.loading}</p>
  const width = (narrow: boolean, text: string) => (
    <button type="button" class="plain" aria-pressed={isNarrow === narrow} onClick={() => setNarrow(narrow)}>
      {text}
    </button>
  )
  return (
    <div class="preview page">
      <div class="buttons">
        {width(false, w.wide_window)}
        {width(true, w.on_phone)}
        <a href={value} target="_blank" rel="noopener">
          {w.new_tab}
        </a>
      </div>
      <iframe class={isNarrow ? 'narrow' : ''} src={value} title={w.preview} />
      <p class="hint">{w.preview_hint}</p>
    </div>
  )
}

type Props = {
  form: EventForm
  record: EventRecord | undefined
  isChanged: boolean
  /** Saves what is changed, if that may be done before the page is shown. */
  save: (() => Promise<void>) | undefined
  close: () => void
}

/** The statuses in which nobody but editors sees an event, so that it may be saved to look at it. */
const UNSEEN = ['draft', 'pending', 'private']

/** The event as visitors will see it: its page, or what is not saved yet without the page. */
export function Preview({ form, record, isChanged, save, close }: Props) {
  const [isStored, setStored] = useState(false)
  const hasPage = record !== undefined && SITE.home !== '' && mayEdit(record)
  if (hasPage && (isStored || !isChanged))
    return (
      <Dialog title={w.preview} onClose={close} wide>
        <PageOf record={record} />
      </Dialog>
    )
  const isUnseen = record && UNSEEN.includes(record.status) && form.status === record.status
  return (
    <Dialog title={w.preview} onClose={close} wide>
      {SITE.home !== '' && (
        <div class="notice">
          <p>{w.unsaved_preview}</p>
          {hasPage && (
            <button
              type="button"
              class="plain"
              onClick={() => (isUnseen && save ? void save() : setStored(true))}
            >
              {isUnseen && save ? w.save_and_show : w.show_stored}
            </button>
          )}
        </div>
      )}
      <QuickLook form={form} />
    </Dialog>
  )
}
