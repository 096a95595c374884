import { useId } from 'preact/hooks'
import { TextField } from '../../parts/field.tsx'
import { fill, languageName, w } from '../../words/words.ts'

const ZONES = Intl.supportedValuesOf('timeZone')
const CURRENCIES = Intl.supportedValuesOf('currency')

type ChoiceProps = {
  label: string
  value: string
  onValue: (value: string) => void
  error?: string | undefined
  hint?: string | undefined
  disabled?: boolean
}

/** A line of text with values to choose from. */
function Proposed({ values, ...field }: ChoiceProps & { values: readonly string[] }) {
  const list = useId()
  return (
    <>
      <TextField {...field} list={list} />
      <datalist id={list}>
        {values.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  )
}

/** The time zone of the site. */
export const ZoneField = (props: Omit<ChoiceProps, 'label'>) => (
  <Proposed {...props} label={w.timezone} values={ZONES} />
)
/** The currency of the site. */
export const CurrencyField = (props: Omit<ChoiceProps, 'label'>) => (
  <Proposed {...props} label={w.currency} values={CURRENCIES} />
)

/** Languages of a text with commas. */
export const languagesIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

const nameOf = (code: string): string => {
  try {
    return languageName(code)
  } catch {
    return code // what is being typed
  }
}

/** The languages of records, as their codes. */
export const LanguagesField = ({ hint, ...props }: Omit<ChoiceProps, 'label'>) => (
  <TextField
    {...props}
    label={w.languages}
    hint={
      hint ??
      `${w.languages_hint} ${fill(w.languages_are, { names: languagesIn(props.value).map(nameOf).join(', ') })}`
    }
  />
)
