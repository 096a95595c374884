import { useState } from 'preact/hooks'
import { AUDIT_CODES } from '../../../schemas/audit-codes.ts'
import { SelectField, TextField } from '../../parts/field.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { calledText, fill, w } from '../../words/words.ts'
import type { Known } from './data.ts'

const CODES = AUDIT_CODES.map((code) => [code, `code_${code}`] as const)

/** The users to choose from; who is chosen and was deleted is there by ID. */
function optionsOf(known: Known[], chosen: string): [id: string, called: string][] {
  const users = known.map(({ id, login, name }): [string, string] => [String(id), calledText(login, name)])
  const isKnown = chosen === '' || users.some(([id]) => id === chosen)
  return isKnown ? users : [...users, [chosen, fill(w.user_number, { id: chosen })]]
}

/** The filters of the audit log, which stand in the address. */
export function Filters({ place: { path, query }, users }: { place: Place; users: Known[] }) {
  const { code = '', user = '', from = '', to = '' } = query
  const [open, setOpen] = useState(false)
  const go = (change: Record<string, string>) => {
    location.hash = hashOf(path, { ...query, page: undefined, ...change })
  }
  return (
    <form
      class={open ? 'filters open' : 'filters'}
      role="search"
      onSubmit={(event) => event.preventDefault()}
    >
      <button type="button" class="plain toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        {w.filters}
      </button>
      <SelectField
        label={w.what}
        value={code}
        options={[['', w.every], ...CODES.map(([one, word]) => [one, w[word]] as const)]}
        onValue={(code) => go({ code })}
      />
      <SelectField
        label={w.who}
        value={user}
        options={[['', w.every], ...optionsOf(users, user)]}
        onValue={(user) => go({ user })}
      />
      <TextField label={w.from} type="date" value={from} onValue={(from) => go({ from })} />
      <TextField label={w.to} type="date" value={to} onValue={(to) => go({ to })} />
    </form>
  )
}
