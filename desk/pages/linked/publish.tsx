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
import { momentText } from '../../words/dates.ts'
import { fill, w } from '../../words/words.ts'

type Props = Editing<LinkedRecord, LinkedForm> & {
  kind: LinkedKind
  record: LinkedRecord | undefined
  store: (values?: Partial<LinkedForm>) => Promise<void>
  restore: () => void
  alike: Alike
}

/** The status of a venue or an organizer, and what can be done with it as a whole. */
export function LinkedPublish({
  kind,
  record,
  form,
  change,
  errors,
  busy,
  etag,
  store,
  restore,
  alike,
}: Props) {
  const [asks, setAsks] = useState(false)
  const statuses = may('publish records') ? ['publish', 'draft', 'pending', 'private'] : ['draft', 'pending']
  const remove = async (force: boolean) => {
    setAsks(false)
    clearOutcome()
    try {
      const plural = `${kind}s`
      const { body } = await send<Trashed>('DELETE', `/${plural}/${record!.id}`, {
        query: { ...alike.query, ...(force && { force }) },
        match: etag,
      })
      const undo = () =>
        void restoreLinked(plural, body, alike.query).then(() => {
          location.hash = `#/${plural}/${body.id}`
        }, tellFailure)
      tell({
        text: force ? w.erased : w.trashed,
        ...(!force && { action: { text: w.undo, run: undo } }),
      })
      location.hash = `#/${kind}s`
    } catch (failure) {
      tellFailure(failure)
    }
  }
  return (
    <section class="publish" aria-label={w.status}>
      <h2>{w.status}</h2>
      {record?.status === 'trash' ? (
        <div class="buttons">
          <button type="button" disabled={busy} onClick={restore}>
            {w.act_restore}
          </button>
          <button type="button" class="danger" onClick={() => setAsks(true)}>
            {w.act_erase}
          </button>
        </div>
      ) : (
        <>
          <StatusField
            value={form.status}
            error={errors.status}
            statuses={statuses}
            onValue={(status) => change({ status })}
          />
          {alike.box}
          <Actions status={form.status} busy={busy} publish={(status) => store({ status })} />
        </>
      )}
      {record && (
        <>
          <p class="hint">{fill(w.last_change, { time: momentText(record.modified_utc) })}</p>
          <ul class="links">
            <SiteLink {...record} />
            {record.status !== 'trash' && (
              <li>
                <button type="button" class="link danger" onClick={() => remove(false)}>
                  {w.act_trash}
                </button>
              </li>
            )}
          </ul>
        </>
      )}
      {asks && (
        <Confirm
          title={w.erase_title}
          text={w[`erase_${kind}`]}
          yes={w.act_erase}
          onYes={() => remove(true)}
          onNo={() => setAsks(false)}
        />
      )}
    </section>
  )
}
