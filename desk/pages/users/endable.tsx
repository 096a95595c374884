import type { ComponentChild } from 'preact'
import { useState } from 'preact/hooks'
import { Confirm } from '../../parts/dialog.tsx'
import { tell, tellFailure } from '../../parts/notice.tsx'
import { instantText } from '../../words/dates.ts'
import { fill, w } from '../../words/words.ts'

/** When something was made and used, and when it ends by itself. */
export type Times = { created_utc: string; last_used_utc?: string; expires_utc?: string }

/** These times in words; how the first is called depends on what was made. */
export const timesOf = ({ created_utc, last_used_utc, expires_utc }: Times, made: string = w.made_at) => [
  fill(made, { time: instantText(created_utc) }),
  last_used_utc && fill(w.used_at, { time: instantText(last_used_utc) }),
  expires_utc && fill(w.expires_at, { time: instantText(expires_utc) }),
]

/** The words in which something is ended: those of its button, of the question before, and of what was done. */
export type Ending = { label: string; title: string; text: string; yes: string; done?: string }

type Props<Row> = {
  title: string
  rows: Row[]
  facts: (row: Row) => (string | undefined)[]
  badge?: (row: Row) => ComponentChild
  ending: (row: Row) => Ending
  end: (row: Row) => Promise<void>
}

/** A list of what gives access, each entry of which can be ended. */
export function Endable<Row extends { id: number; name: string }>({ title, rows, ...of }: Props<Row>) {
  const [asked, setAsked] = useState<Row>()
  const question = asked && of.ending(asked)
  return (
    <>
      <ul class="credentials" aria-label={title}>
        {rows.map((row) => (
          <li key={row.id}>
            <div>
              <strong>{row.name}</strong> {of.badge?.(row)}
              <p class="hint">{of.facts(row).filter(Boolean).join(' · ')}</p>
            </div>
            <button
              type="button"
              class="danger"
              aria-label={of.ending(row).label}
              onClick={() => setAsked(row)}
            >
              {of.ending(row).yes}
            </button>
          </li>
        ))}
      </ul>
      {rows.length === 0 && <p class="hint">{w.none_of_them}</p>}
      {question && (
        <Confirm
          {...question}
          onYes={() => {
            setAsked(undefined)
            of.end(asked).then(() => question.done && tell({ text: question.done }), tellFailure)
          }}
          onNo={() => setAsked(undefined)}
        />
      )}
    </>
  )
}
