import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type FieldProps = {
  label: string
  /** What is wrong with the value, in words. */
  error?: string | undefined
  hint?: string | undefined
  /** Whether the label is for programs that read the screen only. */
  quiet?: boolean
  class?: string
  children: (given: {
    id: string
    'aria-describedby': string | undefined
    'aria-invalid': boolean | undefined
  }) => ComponentChildren
}

/** A control with its label, a hint, and what is wrong with it. */
export function Field({ label, error, hint, quiet, class: name = '', children }: FieldProps) {
  const id = useId()
  const said = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class={`field ${name}`}>
      <label for={id} class={quiet ? 'unseen' : ''}>
        {label}
      </label>
      {children({ id, 'aria-describedby': said || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

type TextProps = Omit<FieldProps, 'children'> & {
  value: string
  onValue: (value: string) => void
  type?:
    | 'text'
    | 'search'
    | 'date'
    | 'datetime-local'
    | 'time'
    | 'url'
    | 'email'
    | 'tel'
    | 'password'
    | 'number'
  min?: number
  max?: number
  name?: string
  list?: string
  lang?: string
  placeholder?: string
  required?: boolean
  disabled?: boolean
  autocomplete?: 'username' | 'current-password' | 'new-password' | 'one-time-code' | 'off'
  autocapitalize?: 'none'
  spellcheck?: boolean
  onKeyDown?: (event: KeyboardEvent) => void
  onBlur?: () => void
}

/** A line of text. */
export const TextField = ({ label, error, hint, quiet, class: name, onValue, ...input }: TextProps) => (
  <Field {...{ label, error, hint, quiet: quiet ?? false, class: name ?? '' }}>
    {(given) => (
      <input
        {...(input.lang && { dir: 'auto' })}
        {...(input as object)}
        {...given}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  </Field>
)

type AreaProps = Omit<FieldProps, 'children'> & {
  value: string
  onValue: (value: string) => void
  rows?: number
  lang?: string
  readOnly?: boolean
}

/** Several lines of text. */
export const AreaField = ({ label, error, hint, quiet, onValue, ...area }: AreaProps) => (
  <Field {...{ label, error, hint, quiet: quiet ?? false }}>
    {(given) => (
      <textarea
        {...(area.lang && { dir: 'auto' as const })}
        {...area}
        {...given}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  </Field>
)

type SelectProps = Omit<FieldProps, 'children'> & {
  value: string
  onValue: (value: string) => void
  options: readonly (readonly [value: string, text: string])[]
  disabled?: boolean
}

/** A choice of one of a few values. */
export const SelectField = ({
  label,
  error,
  hint,
  quiet,
  class: name,
  value,
  onValue,
  options,
  disabled,
}: SelectProps) => (
  <Field {...{ label, error, hint, quiet: quiet ?? false, class: name ?? '' }}>
    {(given) => (
      <select
        {...given}
        value={value}
        disabled={disabled}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
)

/** Yes or no. */
export const CheckField = ({
  label,
  checked,
  onValue,
  hint,
}: {
  label: string
  checked: boolean
  onValue: (checked: boolean) => void
  hint?: string
}) => {
  const id = useId()
  return (
    <div class="check">
      <label>
        <input
          type="checkbox"
          checked={checked}
          aria-describedby={hint && id}
          onChange={({ currentTarget }) => onValue(currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      {hint && (
        <p class="hint" id={id}>
          {hint}
        </p>
      )}
    </div>
  )
}
