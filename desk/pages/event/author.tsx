import { listAll } from '../../api/client.ts'
import type { EventEditing } from '../../api/editing.ts'
import { session } from '../../api/session.ts'
import { useLoaded } from '../../api/use.ts'
import { SelectField } from '../../parts/field.tsx'
import { may } from '../../parts/shell.tsx'
import { fill, w } from '../../words/words.ts'

type User = { id: number; login: string; name?: string; role: string; disabled: boolean }
type Props = EventEditing & {
  /** ID of the user who owns the event now. */
  owner: string
}

/** Who owns an event, for those who may give it to somebody else. */
export const Author = (props: Props) => (may('give records to another author') ? <Choice {...props} /> : null)

/** Administrators choose among all who write; editors, who may not read the list of users, take an event over. */
function Choice({ form, change, errors, owner }: Props) {
  const { user, login, name: own = login } = session.get()!
  const knowsAll = may('manage users and tokens')
  const { value = [] } = useLoaded('authors', async () =>
    knowsAll ? await listAll<User>('/users', 'users') : [],
  )
  const known = new Map([
    [user, own],
    ...value.map(({ id, login, name = login }): [number, string] => [id, name]),
  ])
  const writers = value.filter(({ role, disabled }) => !disabled && role !== 'subscriber')
  const ids = new Set([Number(owner), user, ...writers.map(({ id }) => id), Number(form.author)])
  const nameOf = (id: number) => {
    const name = known.get(id) ?? fill(w.user_number, { id })
    return id === user ? fill(w.yourself, { login: name }) : name
  }
  return (
    <SelectField
      label={w.author}
      hint={knowsAll ? undefined : w.author_hint}
      value={form.author}
      error={errors.author}
      options={[...ids].map((id) => [String(id), nameOf(id)] as const)}
      onValue={(author) => change({ author })}
    />
  )
}
