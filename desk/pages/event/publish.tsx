import { useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import type { EventEditing } from '../../api/editing.ts'
import { restoreEvent, type Trashed } from '../../api/events.ts'
import { SITE } from '../../api/site.ts'
import { Actions } from '../../parts/actions.tsx'
import type { Alike } from '../../parts/alike.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { clearOutcome, tell, tellFailure } from '../../parts/notice.tsx'
import { AskRange } from '../../parts/range.tsx'
import { may } from '../../parts/shell.tsx'
import { SiteLink, StatusField } from '../../parts/status.tsx'
import { TimeField } from '../../parts/time.tsx'
import type { EventForm, EventRecord } from '../../rules/event.ts'
import { hashOf } from '../../rules/places.ts'
import type { Range } from '../../rules/series.ts'
import { momentText } from '../../words/dates.ts'
import { fill, w } from '../../words/words.ts'

type Props = Omit<EventEditing, 'save'> & {
  record: EventRecord | undefined
  save: (values?: Partial<EventForm>) => Promise<void>
  preview: () => void
  alike: Alike
  restore: () => void
}

/** The statuses that whoever has signed in can give. */
const statuses = () =>
  may('publish records') ? ['draft', 'pending', 'publish', 'future', 'private'] : ['draft', 'pending']

/** The status of the event, and what can be done with it as a whole. */
export function Publish({ form, change, errors, record, save, preview, restore, busy, etag, alike }: Props) {
  const [asks, setAsks] = useState<'erase' | 'range'>()
  const [day = '', time = '09:00'] = form.date.split('T')
  const isTrashed = record?.status === 'trash'
  const remove = async (force: boolean, range: Range = 'this') => {
    setAsks(undefined)
    clearOutcome()
    try {
      const { body } = await send<Trashed>('DELETE', `/events/${record!.id}`, {
        query: { ...alike.query, ...(force && { force }), ...(range !== 'this' && { apply_to: range }) },
        match: etag,
      })
      tell({
        text: force ? w.erased : w.trashed,
        // what went with it comes back where the series is restored
        ...(!force &&
          range === 'this' && { action: { text: w.undo, run: () => void undo(body, alike.query) } }),
      })
      location.hash = '#/events'
    } catch (failure) {
      tellFailure(failure)
    }
  }
  return (
    <section class="publish" aria-label={w.status}>
      <h2>{w.status}</h2>
      {isTrashed ? (
        <div class="buttons">
          <button type="button" disabled={busy} onClick={restore}>
            {w.act_restore}
          </button>
          <button type="button" class="danger" onClick={() => setAsks('erase')}>
            {w.act_erase}
          </button>
        </div>
      ) : (
        <>
          <StatusField
            value={form.status}
            error={errors.status}
            statuses={statuses()}
            onValue={(status) => change({ status })}
          />
          {form.status === 'future' && (
            <div class="row">
              <TextField
                label={w.publish_at}
                hint={SITE.zone}
                type="date"
                value={day}
                error={errors.date}
                required
                onValue={(day) => change({ date: `${day}T${time}` })}
              />
              <TimeField
                label={w.publish_time}
                value={time}
                onValue={(time) => change({ date: `${day}T${time}` })}
              />
            </div>
          )}
          {alike.box}
          <Actions status={form.status} busy={busy} publish={(status) => save({ status })}>
            <button type="button" class="plain" onClick={preview}>
              {w.preview}
            </button>
          </Actions>
        </>
      )}
      {record && (
        <>
          <p class="hint">{fill(w.last_change, { time: momentText(record.modified_utc) })}</p>
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
            {!isTrashed && (
              <li>
                <button
                  type="button"
                  class="link danger"
                  onClick={() => (record.of ? setAsks('range') : remove(false))}
                >
                  {w.act_trash}
                </button>
              </li>
            )}
          </ul>
        </>
      )}
      {asks === 'range' && (
        <AskRange
          record={record!}
          act="delete"
          onYes={(range) => void remove(false, range)}
          onNo={() => setAsks(undefined)}
        />
      )}
      {asks === 'erase' && (
        <Confirm
          title={w.erase_title}
          text={w.erase_one}
          yes={w.act_erase}
          onYes={() => remove(true)}
          onNo={() => setAsks(undefined)}
        />
      )}
    </section>
  )
}

/** Brings an event back out of the trash, with the status that it had. */
async function undo(trashed: Trashed, query: Alike['query']) {
  try {
    await restoreEvent(trashed, query)
    location.hash = `#/events/${trashed.id}`
  } catch (failure) {
    tellFailure(failure)
  }
}
