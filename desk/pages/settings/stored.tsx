import { useId } from 'preact/hooks'
import { TextField } from '../../parts/field.tsx'
import { townOf } from '../../rules/countries.ts'
import { fill, languageName, locale, w } from '../../words/words.ts'

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
/** A zone by its town, and how far its clocks are from UTC now. */
export function zoneText(timeZone: string): string {
  const parts = new Intl.DateTimeFormat(locale(), { timeZone, timeZoneName: 'shortOffset' }).formatToParts()
  return `${townOf(timeZone)} (${parts.find(({ type }) => type === 'timeZoneName')!.value})`
}

/** What a currency is called; nothing for what is being typed. */
const currencyName = (code: string): string | undefined =>
  CURRENCIES.includes(code) ? new Intl.DisplayNames([locale()], { type: 'currency' }).of(code) : undefined

/** The currency of the site. */
export const CurrencyField = ({ hint, ...props }: Omit<ChoiceProps, 'label'>) => (
  <Proposed {...props} label={w.currency} values={CURRENCIES} hint={hint ?? currencyName(props.value)} />
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
