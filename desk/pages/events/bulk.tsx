import { useState } from 'preact/hooks'
import { session } from '../../api/session.ts'
import { SITE } from '../../api/site.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { tell } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import type { Change } from '../../rules/bulk.ts'
import { rowsOf } from '../../rules/sets.ts'
import { whenText } from '../../words/dates.ts'
import { fill, number, type Words, w } from '../../words/words.ts'
import { type Act, act, actsFor, bringBack, change, type Outcome, type Work, worksOf } from './acts.ts'
import { AskChange } from './change.tsx'
import type { Row } from './query.ts'

/** What may be done to the chosen events, and what became of it. */
export function Bulk({ rows, status, done }: { rows: Row[]; status: string; done: () => void }) {
  const [busy, setBusy] = useState<number>()
  /** As many as have been ticked: what is done to one holds for its translations. */
  const sets = rowsOf(rows, SITE.languages, whenText).length
  const [asks, setAsks] = useState<'erase' | 'change'>()
  const [problems, setProblems] = useState<{ text: string; of: Outcome[] }>()

  /** Works on one after the other, and names those that stayed as they were. */
  async function each<T>(all: T[], text: string, work: (one: T) => Promise<Outcome>) {
    const outcomes: Outcome[] = []
    setAsks(undefined)
    for (const one of all) {
      setBusy(outcomes.length)
      outcomes.push(await work(one))
    }
    setBusy(undefined)
    const failed = outcomes.filter(({ problem }) => problem)
    setProblems(failed.length > 0 ? { text, of: failed } : undefined)
    const done = outcomes.filter(({ problem }) => !problem)
    return { outcomes, count: done.reduce((sum, { count = 1 }) => sum + count, 0) }
  }
  const undo = async (changed: Outcome[]) => {
    const { count } = await each(changed, w.not_brought_back, bringBack)
    tell({ text: fill(w.done_undo, { count: number(count) }) })
    done()
  }
  const run = async (name: Act | 'change', work: (row: Work) => Promise<Outcome>) => {
    setBusy(0)
    const works = name === 'publish' || name === 'draft' ? await worksOf(rows).catch(() => rows) : rows
    const { outcomes, count } = await each(works, w.some_failed, work)
    const changed = outcomes.filter((one) => one.undo)
    tell({
      text: fill(w[`done_${name}` as keyof Words], { count: number(count) }),
      ...(changed.length > 0 && { action: { text: w.undo, run: () => void undo(changed) } }),
    })
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
              ? fill(sets < rows.length ? w.chosen_sets : w.chosen, {
                  ...{ count: number(sets), all: number(rows.length) },
                })
              : fill(w.working, { done: number(busy), count: number(rows.length) })}
          </p>
          {foreign ? (
            <p class="hint">{w.not_yours}</p>
          ) : (
            <>
              {actsFor(status).map((name) => (
                <button
                  key={name}
                  type="button"
                  class={name === 'erase' ? 'danger' : 'plain'}
                  disabled={busy !== undefined}
                  onClick={() => (name === 'erase' ? setAsks('erase') : run(name, (row) => act(name, row)))}
                >
                  {w[`act_${name}` as keyof Words]}
                </button>
              ))}
              {status !== 'trash' && (
                <button
                  type="button"
                  class="plain"
                  disabled={busy !== undefined}
                  onClick={() => setAsks('change')}
                >
                  {w.act_change}
                </button>
              )}
            </>
          )}
        </div>
      )}
      {problems && (
        <div class="notice bad" role="alert">
          <p>{problems.text}</p>
          <ul>
            {problems.of.map(({ id, title, problem }) => (
              <li key={id}>
                <a href={`#/events/${id}`}>{title}</a>: {problem}
              </li>
            ))}
          </ul>
        </div>
      )}
      {asks === 'erase' && (
        <Confirm
          title={w.erase_title}
          text={fill(w.erase_text, { count: number(rows.length) })}
          yes={w.act_erase}
          onYes={() => run('erase', (row) => act('erase', row))}
          onNo={() => setAsks(undefined)}
        />
      )}
      {asks === 'change' && (
        <AskChange
          rows={rows}
          apply={(what: Change) => void run('change', (row) => change(what, row))}
          close={() => setAsks(undefined)}
        />
      )}
    </>
  )
}
