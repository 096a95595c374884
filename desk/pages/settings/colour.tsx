import { Field } from '../../parts/field.tsx'
import { w } from '../../words/words.ts'

/** What the choice of a colour begins with. */
const USUAL = '#b5341c'

type Props = {
  value: string
  onValue: (colour: string) => void
  /** Why it can not be changed here. */
  locked?: string | undefined
  error?: string | undefined
}

/** The colour of the site: chosen by eye, or typed. */
export const ColourField = ({ value, onValue, locked, error }: Props) => (
  <Field label={w.site_color} hint={locked ?? w.site_color_hint} error={error}>
    {(given) => (
      <div class="colour">
        <input
          type="color"
          aria-label={w.choose_color}
          disabled={locked !== undefined}
          value={/^#[0-9a-f]{6}$/i.test(value) ? value : USUAL}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
        <input
          {...given}
          placeholder={w.usual_color}
          spellcheck={false}
          disabled={locked !== undefined}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      </div>
    )}
  </Field>
)
