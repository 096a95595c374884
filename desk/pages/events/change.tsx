import { useState } from 'preact/hooks'
import { SITE } from '../../api/site.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { Picker } from '../../parts/picker.tsx'
import { TermPicker } from '../../parts/terms.tsx'
import { type Change, isEmpty, NO_CHANGE } from '../../rules/bulk.ts'
import type { Ref } from '../../rules/event.ts'
import { PLURAL, type TermKind } from '../../rules/term.ts'
import { fill, number, type Words, w } from '../../words/words.ts'
import { searchLinked } from '../event/places.tsx'
import type { Row } from './query.ts'

const STATES = ['scheduled', 'cancelled', 'postponed', 'moved_online']

type Props = { rows: Row[]; apply: (change: Change) => void; close: () => void }

/** Asks what is to be changed of the chosen events. */
export function AskChange({ rows, apply, close }: Props) {
  const [change, setChange] = useState<Change>(NO_CHANGE)
  const [venue, setVenue] = useState<Ref[]>([])
  const [days, setDays] = useState('')
  const [problem, setProblem] = useState<string>()
  const languages = SITE.languages.filter((code) => rows.some(({ language }) => language === code))
  const set = (more: Partial<Change>) => {
    setProblem(undefined)
    setChange((before) => ({ ...before, ...more }))
  }
  const terms = (how: 'add' | 'remove', kind: TermKind) => (
    <TermPicker
      kind={kind}
      label={w[`${how}_${PLURAL[kind]}`]}
      languages={languages}
      value={change[how][PLURAL[kind]]}
      onValue={(value) => set({ [how]: { ...change[how], [PLURAL[kind]]: value } })}
    />
  )
  const submit = () => {
    const moved = days === '' ? 0 : Number(days)
    const { venue: _, ...rest } = change
    const whole = { ...rest, days: moved, ...(venue[0] && { venue: venue[0].id }) }
    if (isEmpty(whole)) setProblem(w.nothing_to_change)
    else apply(whole)
  }
  return (
    <Dialog title={w.change_title} onClose={close} wide>
      <form
        class="change"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <p class="hint">{fill(w.change_hint, { count: number(rows.length) })}</p>
        <div class="row">
          {terms('add', 'category')}
          {terms('remove', 'category')}
        </div>
        <div class="row">
          {terms('add', 'tag')}
          {terms('remove', 'tag')}
        </div>
        <Picker
          label={w.set_venue}
          hint={w.set_venue_hint}
          value={venue}
          search={searchLinked('venue', languages.length === 1 ? languages[0]! : '')}
          onValue={(value) => {
            setProblem(undefined)
            setVenue(value.slice(-1))
          }}
        />
        <div class="row">
          <SelectField
            label={w.set_featured}
            value={change.featured === undefined ? '' : String(change.featured)}
            options={[
              ['', w.stays],
              ['true', w.is_featured],
              ['false', w.not_featured],
            ]}
            onValue={(value) => {
              const { featured: _, ...rest } = change
              setProblem(undefined)
              setChange(value === '' ? rest : { ...rest, featured: value === 'true' })
            }}
          />
          <SelectField
            label={w.event_status}
            value={change.event_status ?? ''}
            options={[
              ['', w.stays],
              ...STATES.map((state) => [state, w[`event_status_${state}` as keyof Words]] as const),
            ]}
            onValue={(value) => {
              const { event_status: _, ...rest } = change
              setProblem(undefined)
              setChange(value === '' ? rest : { ...rest, event_status: value })
            }}
          />
          <TextField
            label={w.move_days}
            hint={w.move_days_hint}
            type="number"
            min={-3650}
            max={3650}
            value={days}
            onValue={(value) => {
              setProblem(undefined)
              setDays(value)
            }}
          />
        </div>
        {problem && (
          <p class="error" role="alert">
            {problem}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="primary">
            {w.apply}
          </button>
          <button type="button" class="plain" onClick={close}>
            {w.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
