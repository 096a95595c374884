import type { EventEditing } from '../../api/editing.ts'
import { AreaField, CheckField, SelectField, TextField } from '../../parts/field.tsx'
import { type Words, w } from '../../words/words.ts'
import { Password } from './password.tsx'

const STATES = ['scheduled', 'cancelled', 'postponed', 'rescheduled', 'moved_online']
const FLAGS = ['featured', 'sticky', 'hide_from_listings', 'ticketed', 'show_map', 'show_map_link'] as const

/** Whether an event takes place as planned, and why it does not. */
export const State = ({ form, change, errors }: EventEditing) => (
  <>
    <SelectField
      label={w.event_status}
      value={form.event_status}
      options={STATES.map((state) => [state, w[`event_status_${state}` as keyof Words]])}
      hint={form.event_status === 'rescheduled' ? w.event_status_rescheduled_hint : undefined}
      onValue={(event_status) =>
        change({ event_status, ...(event_status === 'scheduled' && { event_status_reason: '' }) })
      }
    />
    {form.event_status !== 'scheduled' && (
      <AreaField
        label={w.event_status_reason}
        hint={w.event_status_reason_hint}
        value={form.event_status_reason}
        error={errors.event_status_reason}
        rows={2}
        lang={form.language}
        onValue={(event_status_reason) => change({ event_status_reason })}
      />
    )}
  </>
)

/** Price and website, and how an event is shown. */
export function More(part: EventEditing) {
  const { form, change, errors } = part
  return (
    <>
      <fieldset class="group">
        <legend>{w.visit}</legend>
        <div class="row">
          <TextField
            label={w.cost}
            hint={w.cost_hint}
            value={form.cost}
            error={errors.cost}
            onValue={(cost) => change({ cost })}
          />
          <TextField
            label={w.website}
            type="url"
            placeholder="https://"
            value={form.website}
            error={errors.website}
            onValue={(website) => change({ website })}
          />
        </div>
      </fieldset>
      <details class="group" open={form.protected}>
        <summary>{w.more}</summary>
        <div class="flags">
          {FLAGS.map((flag) => (
            <CheckField
              key={flag}
              label={w[flag]}
              checked={form[flag]}
              onValue={(checked) => change({ [flag]: checked })}
            />
          ))}
        </div>
        <div class="row">
          <TextField
            label={w.slug}
            hint={w.slug_hint}
            value={form.slug}
            error={errors.slug}
            onValue={(slug) => change({ slug })}
          />
          <Password {...part} />
        </div>
      </details>
    </>
  )
}
