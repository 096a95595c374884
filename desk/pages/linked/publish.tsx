import { useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import type { Editing } from '../../api/editing.ts'
import { restoreLinked, type Trashed } from '../../api/events.ts'
import { Actions } from '../../parts/actions.tsx'
import type { Alike } from '../../parts/alike.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { clearOutcome, tell, tellFailure } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { SiteLink, StatusField } from '../../parts/status.tsx'
import type { LinkedForm, LinkedKind, LinkedRecord } from '../../rules/linked.ts'
import { instantText } from '../../words/dates.ts'
import { fill, w } from '../../words/words.ts'

type Props = Editing<LinkedRecord, LinkedForm> & {
  kind: LinkedKind
  record: LinkedRecord | undefined
  store: (values?: Partial<LinkedForm>) => Promise<void>
  restore: () => void
  alike: Alike
}

/** What is done with a venue or an organizer as a whole, from the head of its form. */
export function LinkedActs(props: Props) {
  const { kind, record, form, change, errors, busy, store, restore } = props
  const [asks, setAsks] = useState(false)
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
        </div>
        {asks && (
          <Confirm
            title={w.erase_title}
            text={w[`erase_${kind}`]}
            yes={w.act_erase}
            onYes={() => {
              setAsks(false)
              void remove(props, true)
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
        statuses={may('publish records') ? ['publish', 'draft', 'pending', 'private'] : ['draft', 'pending']}
        onValue={(status) => change({ status })}
      />
      <Actions status={form.status} busy={busy} publish={(status) => store({ status })} />
    </>
  )
}

/** For which languages it is saved, when it was changed, and where else it leads. */
export const LinkedAbout = (props: Props) => {
  const { kind, record, alike } = props
  if (!record) return null
  return (
    <section aria-label={w[kind === 'venue' ? 'venue' : 'organizer_one']}>
      {alike.box}
      <p class="hint">{fill(w.last_change, { time: instantText(record.modified_utc) })}</p>
      <ul class="links">
        <SiteLink {...record} />
        {record.status !== 'trash' && (
          <li>
            <button type="button" class="link danger" onClick={() => void remove(props, false)}>
              {w.act_trash}
            </button>
          </li>
        )}
      </ul>
    </section>
  )
}

/** Moves a venue or an organizer to the trash, or deletes it with `force`. */
async function remove({ kind, record, alike: { query }, etag }: Props, force: boolean) {
  clearOutcome()
  try {
    const plural = `${kind}s`
    const { body } = await send<Trashed>('DELETE', `/${plural}/${record!.id}`, {
      query: { ...query, ...(force && { force }) },
      match: etag,
    })
    const undo = () =>
      void restoreLinked(plural, body, query).then(() => {
        location.hash = `#/${plural}/${body.id}`
      }, tellFailure)
    tell({
      text: force ? w.erased : w.trashed,
      ...(!force && { action: { text: w.undo, run: undo } }),
    })
    location.hash = `#/${plural}`
  } catch (failure) {
    tellFailure(failure)
  }
}
