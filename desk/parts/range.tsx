import { useState } from 'preact/hooks'
import { countDates } from '../api/events.ts'
import { useLoaded } from '../api/use.ts'
import type { EventRecord } from '../rules/event.ts'
import type { Range } from '../rules/series.ts'
import { fill, number, w } from '../words/words.ts'
import { Dialog } from './dialog.tsx'

type Props = {
  record: EventRecord
  /** What is done: members change, the repetition ends, or dates go to the trash. */
  act: 'change' | 'end' | 'delete'
  /** The members that change, as `overrides` names them. */
  members?: string[]
  /** Whether one date alone can be meant. */
  hasThis?: boolean
  onYes: (range: Range) => void
  onNo: () => void
}

const RANGES = ['this', 'following', 'all'] as const

/** Asks which dates of a series a change is for, and tells how many they are. */
export function AskRange({ record, act, members = [], hasThis = true, onYes, onNo }: Props) {
  const ranges = hasThis ? RANGES : RANGES.slice(1)
  const [range, setRange] = useState<Range>(ranges[0]!)
  const { value: counts } = useLoaded(`dates of ${record.id}`, () => countDates(record, members))
  const textOf = (one: Range) =>
    act === 'end' ? w[`end_${one}`] : fill(w[`range_${one}`], { count: counts ? number(counts[one]) : '…' })
  return (
    <Dialog title={w[`${act}_which`]} onClose={onNo}>
      {act === 'change' && <p>{hasThis ? w.change_which_text : w.rule_for_several}</p>}
      <fieldset class="ranges" aria-busy={!counts}>
        <legend class="unseen">{w.range}</legend>
        {ranges.map((one) => (
          <label key={one}>
            <input type="radio" name="range" checked={range === one} onChange={() => setRange(one)} />
            <span>{textOf(one)}</span>
          </label>
        ))}
      </fieldset>
      <div class="buttons">
        <button type="button" class={act === 'delete' ? 'danger' : 'primary'} onClick={() => onYes(range)}>
          {act === 'delete' ? w.act_trash : w.save}
        </button>
        <button type="button" class="plain" onClick={onNo}>
          {w.cancel}
        </button>
      </div>
    </Dialog>
  )
}
