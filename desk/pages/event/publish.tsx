import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Query, send } from '../../api/client.ts'
import type { EventEditing } from '../../api/editing.ts'
import { restoreEvent, type Trashed } from '../../api/events.ts'
import { SITE } from '../../api/site.ts'
import { Actions } from '../../parts/actions.tsx'
import type { Alike } from '../../parts/alike.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { clearOutcome, tell, tellFailure } from '../../parts/notice.tsx'
import { AskRange } from '../../parts/range.tsx'
import { may, mayEdit } from '../../parts/shell.tsx'
import { SiteLink, StatusField } from '../../parts/status.tsx'
import { TimeField } from '../../parts/time.tsx'
import type { EventForm, EventRecord } from '../../rules/event.ts'
import { hashOf } from '../../rules/places.ts'
import type { Range } from '../../rules/series.ts'
import { instantText } from '../../words/dates.ts'
import { fill, w } from '../../words/words.ts'

type Props = Omit<EventEditing, 'save'> & {
  record: EventRecord | undefined
  save: (values?: Partial<EventForm>) => Promise<void>
  preview: () => void
  alike: Alike
  restore: () => void
}
type AboutProps = {
  record: EventRecord
  etag: string | undefined
  alike: Alike
  children: ComponentChildren
}

/** The statuses that whoever has signed in can give. */
const statuses = () =>
  may('publish records') ? ['draft', 'pending', 'publish', 'future', 'private'] : ['draft', 'pending']

/** What is done with an event as a whole, from the head of its form. */
export function Acts({ form, change, errors, record, save, preview, restore, busy, etag, alike }: Props) {
  const [asks, setAsks] = useState(false)
  const past = record && mayEdit(record) && (
    <a class="button plain" href={hashOf(['events', String(record.id), 'history'])}>
      {w.history}
    </a>
  )
  if (record?.status === 'trash')
    return (
      <>
        <span class="badge trash">{w.status_trash}</span>
        <div class="buttons actions">
          <button type="button" class="primary" disabled={busy} onClick={restore}>
            {w.act_restore}
          </button>
          <button type="button" class="danger" onClick={() => setAsks(true)}>
            {w.act_erase}
          </button>
          {past}
        </div>
        {asks && (
          <Confirm
            title={w.erase_title}
            text={w.erase_one}
            yes={w.act_erase}
            onYes={() => {
              setAsks(false)
              void remove(record, { match: etag, query: { ...alike.query, force: true } })
            }}
            onNo={() => setAsks(false)}
          />
        )}
      </>
    )
  return (
    <>
      <StatusField
        value={form.status}
        error={errors.status}
        statuses={statuses()}
        onValue={(status) => change({ status })}
      />
      <Actions status={form.status} busy={busy} publish={(status) => save({ status })}>
        <button type="button" class="plain" onClick={preview}>
          {w.preview}
        </button>
        {past}
      </Actions>
    </>
  )
}

/** When a scheduled event is published. */
export function Scheduled({ form, change, errors }: EventEditing) {
  if (form.status !== 'future') return null
  const [day = '', time = '09:00'] = form.date.split('T')
  return (
    <div class="row scheduled">
      <TextField
        label={w.publish_at}
        hint={SITE.zone}
        type="date"
        value={day}
        error={errors.date}
        required
        onValue={(day) => change({ date: `${day}T${time}` })}
      />
      <TimeField label={w.publish_time} value={time} onValue={(time) => change({ date: `${day}T${time}` })} />
    </div>
  )
}

/** For which languages an event is saved, when it was changed, and where else it leads. */
export function About({ record, etag, alike, children }: AboutProps) {
  const [asks, setAsks] = useState(false)
  return (
    <section aria-label={w.event}>
      {alike.box}
      {children}
      <p class="hint">{fill(w.last_change, { time: instantText(record.modified_utc) })}</p>
      <ul class="links">
        <SiteLink {...record} />
        {may('create records') && (
          <li>
            <a href={`#/events/new?from=${record.id}`}>{w.duplicate}</a>
          </li>
        )}
        {record.series !== undefined && (
          <li>
            <a href={hashOf(['events'], { series: String(record.series), when: 'all' })}>
              {w.all_dates_of_series}
            </a>
          </li>
        )}
        {record.status !== 'trash' && (
          <li>
            <button
              type="button"
              class="link danger"
              onClick={() =>
                record.of ? setAsks(true) : void remove(record, { match: etag, query: alike.query })
              }
            >
              {w.act_trash}
            </button>
          </li>
        )}
      </ul>
      {asks && (
        <AskRange
          record={record}
          act="delete"
          onYes={(range) => {
            setAsks(false)
            void remove(record, { match: etag, query: alike.query, range })
          }}
          onNo={() => setAsks(false)}
        />
      )}
    </section>
  )
}

type Removal = {
  match: string | undefined
  query: Query
  /** The dates of a series that go. */
  range?: Range
}

/** Moves an event to the trash, or deletes it with `force`. */
async function remove({ id }: EventRecord, { match, query, range = 'this' }: Removal) {
  clearOutcome()
  try {
    const { body } = await send<Trashed>('DELETE', `/events/${id}`, {
      query: { ...query, ...(range !== 'this' && { apply_to: range }) },
      match,
    })
    tell({
      text: query.force ? w.erased : w.trashed,
      // what went with it comes back where the series is restored
      ...(!query.force &&
        range === 'this' && { action: { text: w.undo, run: () => void undo(body, query) } }),
    })
    location.hash = '#/events'
  } catch (failure) {
    tellFailure(failure)
  }
}

/** Brings an event back out of the trash, with the status that it had. */
async function undo(trashed: Trashed, query: Query) {
  try {
    await restoreEvent(trashed, query)
    location.hash = `#/events/${trashed.id}`
  } catch (failure) {
    tellFailure(failure)
  }
}
