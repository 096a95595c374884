import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Ref } from '../rules/event.ts'
import { fill, w } from '../words/words.ts'
import { failureText } from './notice.tsx'

/** Something to choose, with what tells it from others of its name. */
export type Choice = Ref & { detail?: string }

type Props = {
  label: string
  hint?: string
  error?: string | undefined
  value: Ref[]
  onValue: (value: Ref[]) => void
  search: (text: string) => Promise<Choice[]>
  /** Makes a new one of what was typed; absent if that is not allowed. */
  create?: ((text: string) => void) | undefined
}

/** Milliseconds after the last letter. */
const PAUSE = 150

/** Chooses some of many by typing a part of their names, or makes a new one on the spot. */
export function Picker({ label, hint, error, value, onValue, search, create }: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [open, setOpen] = useState(false)
  /** What was found, and what for. */
  const [{ choices: found, of }, setFound] = useState<{ choices: Choice[]; of?: string }>({ choices: [] })
  const [problem, setProblem] = useState<string>()
  const [active, setActive] = useState(0)
  /** Whether Enter was pressed: what is found for all that was typed by then is taken. */
  const [entered, setEntered] = useState(false)
  const turn = useRef(0)

  useEffect(() => {
    if (!open) return
    const mine = ++turn.current
    const of = text.trim()
    const timer = setTimeout(() => {
      search(of).then(
        (all) => {
          if (mine !== turn.current) return
          const choices = all.filter((one) => !value.some((ref) => ref.id === one.id && one.id !== 0))
          setFound({ choices, of })
          setProblem(undefined)
          setActive(0)
        },
        (failure) => mine === turn.current && setProblem(failureText(failure)),
      )
    }, PAUSE)
    return () => clearTimeout(timer)
  }, [text, open, value])

  const name = text.trim()
  const isNew = name !== '' && !found.some((one) => one.name.toLowerCase() === name.toLowerCase())
  const options = [
    ...found.map((choice) => ({ choice, key: String(choice.id) })),
    ...(create && isNew ? [{ choice: undefined, key: 'new' }] : []),
  ]
  useEffect(() => {
    if (!entered || of !== name) return
    setEntered(false)
    if (options[active]) take(options[active].choice)
  }, [entered, of])
  const clear = () => {
    setText('')
    setOpen(false)
    input.current?.focus()
  }
  const take = (choice: Choice | undefined) => {
    if (choice) onValue([...value, { id: choice.id, name: choice.name }])
    else create!(name)
    clear()
  }
  const remove = (ref: Ref) => {
    onValue(value.filter((one) => one !== ref))
    input.current?.focus()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!open) return setOpen(true)
      const step = event.key === 'ArrowDown' ? 1 : -1
      setActive((active + step + options.length) % Math.max(1, options.length))
    } else if (event.key === 'Enter' && open) {
      event.preventDefault()
      setEntered(true)
    } else if (event.key === 'Escape' && open) {
      event.stopPropagation()
      setOpen(false)
    } else if (event.key === 'Backspace' && text === '' && value.length > 0) remove(value.at(-1)!)
  }
  const said = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  const isShown = open && (options.length > 0 || problem !== undefined || name !== '')
  return (
    <div class="field picker">
      <label for={id}>{label}</label>
      {value.length > 0 && (
        <ul class="chips" aria-label={label}>
          {value.map((ref) => (
            <li key={`${ref.id} ${ref.name}`}>
              <span>{ref.name}</span>
              <button
                type="button"
                class="quiet icon"
                aria-label={fill(w.remove_one, { name: ref.name })}
                onClick={() => remove(ref)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="combo">
        <input
          ref={input}
          id={id}
          role="combobox"
          autocomplete="off"
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isShown && options[active] ? `${id}-${options[active].key}` : undefined}
          aria-describedby={said || undefined}
          aria-invalid={error ? true : undefined}
          placeholder={w.type_to_find}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            setEntered(false)
            setOpen(true)
          }}
          onKeyDown={press}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onBlur={() => {
            setEntered(false)
            setOpen(false)
          }}
        />
        <div role="listbox" id={`${id}-list`} aria-label={label} hidden={!isShown}>
          {options.map(({ choice, key }, at) => (
            <div
              key={key}
              id={`${id}-${key}`}
              role="option"
              aria-selected={at === active}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => take(choice)}
            >
              {choice ? (
                <>
                  <span>{choice.name}</span>
                  {choice.detail && <small>{choice.detail}</small>}
                </>
              ) : (
                <span class="make">{fill(w.make_new, { name })}</span>
              )}
            </div>
          ))}
          {options.length === 0 && (
            <div role="option" aria-selected="false" aria-disabled="true" class="none">
              {problem ?? w.none_found}
            </div>
          )}
        </div>
      </div>
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
