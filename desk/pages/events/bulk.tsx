import { useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import { session } from '../../api/session.ts'
import { readEvent, restoreEvent, type Trashed } from '../../api/trash.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { failureText, tell } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { fill, number, type Words, w } from '../../words/words.ts'
import type { Row } from './query.ts'

type Act = 'publish' | 'draft' | 'trash' | 'restore' | 'erase'
/** What can be done to several events: to their status, or to their being there at all. */
const ACTS: Record<Act, { method: string; body?: object; query?: { force: boolean } }> = {
  publish: { method: 'PATCH', body: { status: 'publish' } },
  draft: { method: 'PATCH', body: { status: 'draft' } },
  trash: { method: 'DELETE' },
  restore: { method: 'PATCH', body: { status: 'draft' } },
  erase: { query: { force: true }, method: 'DELETE' },
}

type Outcome = { id: number; title: string; problem?: string; after?: Trashed }

/** Does something to one event, if it still is as the table shows it. */
async function apply(act: Act, { id, title, modified_utc }: Row): Promise<Outcome> {
  const { method, body, query } = ACTS[act]
  try {
    const { body: now, etag } = await readEvent<Row>(id)
    if (now.modified_utc !== modified_utc) return { id, title, problem: w.changed_meanwhile }
    const { body: after } = await send<Trashed>(method, `/events/${id}`, {
      ...{ match: etag, ...(body && { body }), ...(query && { query }) },
    })
    return { id, title, after }
  } catch (failure) {
    return { id, title, problem: failureText(failure) }
  }
}

/** Which acts make sense for a status, and are allowed. */
const actsFor = (status: string): Act[] =>
  status === 'trash'
    ? ['restore', 'erase']
    : may('publish records')
      ? ['publish', 'draft', 'trash']
      : ['draft', 'trash']

/** What may be done to the chosen events, and what became of it. */
export function Bulk({ rows, status, done }: { rows: Row[]; status: string; done: () => void }) {
  const [busy, setBusy] = useState<number>()
  const [asks, setAsks] = useState(false)
  const [problems, setProblems] = useState<Outcome[]>([])
  const run = async (act: Act) => {
    const outcomes: Outcome[] = []
    setAsks(false)
    for (const row of rows) {
      setBusy(outcomes.length)
      outcomes.push(await apply(act, row))
    }
    setBusy(undefined)
    const failed = outcomes.filter(({ problem }) => problem)
    setProblems(failed)
    const undo = act === 'trash' ? () => void restore(outcomes.filter(({ problem }) => !problem)) : undefined
    tell({
      text: fill(w[`done_${act}` as keyof Words], { count: number(outcomes.length - failed.length) }),
      ...(undo && { action: { text: w.undo, run: undo } }),
    })
    done()
  }
  const restore = async (trashed: Outcome[]) => {
    const failed: Outcome[] = []
    for (const { id, title, after } of trashed) {
      const was = rows.find((row) => row.id === id)!
      await restoreEvent(after!, was.status).catch((failure) =>
        failed.push({ id, title, problem: failureText(failure) }),
      )
    }
    setProblems(failed)
    done()
  }
  const foreign =
    !may('change and delete records of others') &&
    rows.some(({ author }) => author !== String(session.get()!.user))
  return (
    <>
      {rows.length > 0 && (
        <div class="bulk" role="group" aria-label={w.chosen_events}>
          <p role="status">
            {busy === undefined
              ? fill(w.chosen, { count: number(rows.length) })
              : fill(w.working, { done: number(busy), count: number(rows.length) })}
          </p>
          {foreign ? (
            <p class="hint">{w.not_yours}</p>
          ) : (
            actsFor(status).map((act) => (
              <button
                key={act}
                type="button"
                class={act === 'erase' ? 'danger' : 'plain'}
                disabled={busy !== undefined}
                onClick={() => (act === 'erase' ? setAsks(true) : run(act))}
              >
                {w[`act_${act}` as keyof Words]}
              </button>
            ))
          )}
        </div>
      )}
      {problems.length > 0 && (
        <div class="notice bad" role="alert">
          <p>{w.some_failed}</p>
          <ul>
            {problems.map(({ id, title, problem }) => (
              <li key={id}>
                <a href={`#/events/${id}`}>{title}</a>: {problem}
              </li>
            ))}
          </ul>
        </div>
      )}
      {asks && (
        <Confirm
          title={w.erase_title}
          text={fill(w.erase_text, { count: number(rows.length) })}
          yes={w.act_erase}
          onYes={() => run('erase')}
          onNo={() => setAsks(false)}
        />
      )}
    </>
  )
}
