import { pathOf, SITE } from '../api/site.ts'
import { type Words, w } from '../words/words.ts'
import { SelectField } from './field.tsx'

type Props = {
  value: string
  error: string | undefined
  /** The statuses that whoever has signed in can give. */
  statuses: string[]
  onValue: (status: string) => void
}

/** The status of a record: one that can be given, or the one that it has. */
export const StatusField = ({ value, error, statuses, onValue }: Props) => (
  <SelectField
    label={w.status}
    quiet
    value={value}
    error={error}
    options={(statuses.includes(value) ? statuses : [value, ...statuses]).map((status) => [
      status,
      w[`status_${status}` as keyof Words],
    ])}
    onValue={onValue}
  />
)

/** The way to the public page of a record, as an item of a list; nothing if it has none. */
export const SiteLink = ({ status, url }: { status: string; url: string }) =>
  status === 'publish' && SITE.home ? (
    <li>
      <a href={pathOf(url)} target="_blank" rel="noopener">
        {w.see_on_site}
      </a>
    </li>
  ) : null
