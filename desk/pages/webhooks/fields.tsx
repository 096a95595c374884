import { AreaField, CheckField, TextField } from '../../parts/field.tsx'
import { filterText, readFilters } from '../../rules/filters.ts'
import { fill, type Words, w } from '../../words/words.ts'

/** A webhook as a response has it. */
export type Webhook = {
  id: number
  url: string
  description: string
  kinds: string[]
  operations: string[]
  filters: Record<string, unknown>
  enabled: boolean
  created_utc: string
  state: {
    pending: number
    last_success_utc?: string
    failing_since_utc?: string
    disabled_reason?: string
    gap_utc?: string
  }
}

/** A webhook as it is edited. */
export type HookForm = Pick<Webhook, 'url' | 'description' | 'kinds' | 'operations'> & { filters: string }

const KINDS: Record<string, keyof Words> = {
  ...{ event: 'event', series: 'series_one', venue: 'venue_one', organizer: 'organizer_one' },
  ...{ category: 'category', tag: 'tag' },
}
const OPERATIONS: Record<string, keyof Words> = {
  ...{ created: 'hook_created', updated: 'hook_updated', deleted: 'hook_deleted' },
}

/** What a new webhook begins with: events, and all that happens to them. */
export const EMPTY: HookForm = {
  ...{ url: '', description: '', kinds: ['event'], operations: Object.keys(OPERATIONS), filters: '' },
}
export const toForm = ({ url, description, kinds, operations, filters }: Webhook): HookForm => ({
  ...{ url, description, kinds, operations },
  filters: filterText(filters),
})
/** The body of a request, or what is wrong with the form. */
export function toBody({ filters: text, ...form }: HookForm): {
  body?: object
  errors: Record<string, string>
} {
  const { filters, wrong } = readFilters(text)
  return wrong === undefined
    ? { body: { ...form, filters }, errors: {} }
    : { errors: { filters: fill(w.bad_filter, { line: wrong }) } }
}

type ChoicesProps = {
  legend: string
  words: Record<string, keyof Words>
  value: string[]
  onValue: (value: string[]) => void
  error?: string | undefined
}
/** Several of a few words. */
export const Choices = ({ legend, words, value, onValue, error }: ChoicesProps) => (
  <fieldset class="group choices">
    <legend>{legend}</legend>
    {Object.entries(words).map(([name, word]) => (
      <CheckField
        key={name}
        label={w[word]}
        checked={value.includes(name)}
        onValue={(checked) =>
          onValue(Object.keys(words).filter((one) => (one === name ? checked : value.includes(one))))
        }
      />
    ))}
    {error && (
      <p class="error" role="alert">
        {error}
      </p>
    )}
  </fieldset>
)

type Props = { form: HookForm; change: (values: Partial<HookForm>) => void; errors: Record<string, string> }
/** The fields of a webhook. */
export const HookFields = ({ form, change, errors }: Props) => (
  <>
    <TextField
      label={w.hook_url}
      type="url"
      placeholder="https://"
      value={form.url}
      error={errors.url}
      required
      onValue={(url) => change({ url })}
    />
    <TextField
      label={w.hook_description}
      value={form.description}
      error={errors.description}
      onValue={(description) => change({ description })}
    />
    <Choices
      legend={w.hook_kinds}
      words={KINDS}
      value={form.kinds}
      error={errors.kinds}
      onValue={(kinds) => change({ kinds })}
    />
    <Choices
      legend={w.hook_operations}
      words={OPERATIONS}
      value={form.operations}
      error={errors.operations}
      onValue={(operations) => change({ operations })}
    />
    <AreaField
      label={w.hook_filters}
      hint={w.hook_filters_hint}
      rows={2}
      value={form.filters}
      error={errors.filters}
      onValue={(filters) => change({ filters })}
    />
  </>
)
