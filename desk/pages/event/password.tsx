import { useState } from 'preact/hooks'
import type { EventEditing } from '../../api/editing.ts'
import { TextField } from '../../parts/field.tsx'
import { w } from '../../words/words.ts'

/** The password that visitors need: there is one or not, and it is set, changed or removed when the form is saved. */
export function Password({ form, change, errors, base }: EventEditing) {
  /** The version of the event whose password is being changed: when it is saved there is another one. */
  const [changing, setChanging] = useState<object>()
  const { protected: isProtected, password } = form
  const keep = () => {
    setChanging(undefined)
    change({ password: undefined } as Partial<typeof form>)
  }
  if (isProtected && password === '')
    return (
      <div class="password" role="group" aria-label={w.visitor_password}>
        <p>{w.password_goes}</p>
        <button type="button" class="plain" onClick={keep}>
          {w.keep_password}
        </button>
      </div>
    )
  if (isProtected && password === undefined && changing !== base)
    return (
      <div class="password" role="group" aria-label={w.visitor_password}>
        <p>{w.protected_long}</p>
        <div class="buttons">
          <button type="button" class="plain" onClick={() => setChanging(base)}>
            {w.change_password}
          </button>
          <button type="button" class="plain" onClick={() => change({ password: '' })}>
            {w.remove_password}
          </button>
        </div>
      </div>
    )
  return (
    <div class="password">
      <TextField
        label={isProtected ? w.new_visitor_password : w.visitor_password}
        hint={w.visitor_password_hint}
        autocomplete="off"
        value={password ?? ''}
        error={errors.password}
        onValue={(text) => change({ password: text || undefined } as Partial<typeof form>)}
      />
      {isProtected && (
        <button type="button" class="plain" onClick={keep}>
          {w.keep_password}
        </button>
      )}
    </div>
  )
}
