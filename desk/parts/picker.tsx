import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Ref } from '../rules/event.ts'
import { fill, w } from '../words/words.ts'
import { failureText } from './notice.tsx'

/** Something to choose, with what tells it from others of its name, and where it stands in a list: its group, and its depth in a tree. */
export type Choice = Ref & { detail?: string; group?: string; depth?: number; lang?: string }

type Props = {
  label: string
  hint?: string
  error?: string | undefined
  value: Ref[]
  onValue: (value: Ref[]) => void
  search: (text: string) => Promise<Choice[]>
  /** Makes a new one of what was typed; absent if that is not allowed. */
  create?: ((text: string) => void) | undefined
  /** Whether one alone is chosen, and another one takes its place. */
  single?: boolean
  /** Whether what is chosen stays in the list with a mark, and the list stays open while nothing is typed. */
  browse?: boolean
  placeholder?: string
}

/** Choices that stand below each other, by group. */
function groupsOf<T extends { choice: Choice | undefined }>(options: T[]): [name: string, options: T[]][] {
  const groups: [string, T[]][] = []
  for (const option of options) {
    const name = option.choice?.group ?? ''
    if (groups.at(-1)?.[0] === name) groups.at(-1)![1].push(option)
    else groups.push([name, [option]])
  }
  return groups
}

/** Milliseconds after the last letter. */
const PAUSE = 150

/** Chooses some of many by typing a part of their names, or makes a new one on the spot. */
export function Picker(props: Props) {
  const { label, hint, error, value, onValue, search, create, single, browse } = props
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [open, setOpen] = useState(false)
  /** What was found, and what for. */
  const [{ choices: found, of }, setFound] = useState<{ choices: Choice[]; of?: string }>({ choices: [] })
  const [problem, setProblem] = useState<string>()
  /** The option that Enter takes: the first one of what was typed, and none before that. */
  const [active, setActive] = useState(-1)
  /** Whether Enter was pressed: what is found for all that was typed by then is taken. */
  const [entered, setEntered] = useState(false)
  const turn = useRef(0)
  const foundOf = useRef<string>(undefined)

  useEffect(() => {
    if (!open) return
    const mine = ++turn.current
    const of = text.trim()
    const timer = setTimeout(
      () => {
        search(of).then(
          (all) => {
            if (mine !== turn.current) return
            const choices = browse ? all : all.filter((one) => !isChosen(one))
            setFound({ choices, of })
            setProblem(undefined)
            if (of !== foundOf.current) setActive(of === '' ? -1 : 0)
            foundOf.current = of
          },
          (failure) => mine === turn.current && setProblem(failureText(failure)),
        )
      },
      of === '' ? 0 : PAUSE,
    )
    return () => clearTimeout(timer)
  }, [text, open, value])

  const isChosen = ({ id }: Choice) => id !== 0 && value.some((ref) => ref.id === id)
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
    if (!choice) create!(name)
    else if (isChosen(choice)) onValue(value.filter(({ id }) => id !== choice.id))
    else onValue([...(single ? [] : value), { id: choice.id, name: choice.name }])
    if (!browse || single || name !== '') clear()
  }
  const remove = (ref: Ref) => {
    onValue(value.filter((one) => one !== ref))
    input.current?.focus()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!open) return setOpen(true)
      const step = event.key === 'ArrowDown' ? 1 : active < 0 ? 0 : -1
      const next = (active + step + options.length) % Math.max(1, options.length)
      setActive(next)
      document.getElementById(`${id}-${options[next]?.key}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter' && open) {
      event.preventDefault()
      event.stopPropagation() // it is not for the form around it
      // what is not found yet is taken when it is
      if (of !== name) setEntered(true)
      else if (options[active]) take(options[active].choice)
    } else if (event.key === 'Escape' && open) {
      event.stopPropagation()
      setOpen(false)
    } else if (event.key === 'Backspace' && text === '' && value.length > 0) remove(value.at(-1)!)
  }
  const said = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  const list = useRef<HTMLDivElement>(null)
  const isShown = open && (options.length > 0 || problem !== undefined || name !== '')
  useEffect(() => {
    if (isShown) list.current?.scrollIntoView({ block: 'nearest' })
  }, [isShown, options.length > 0])
  return (
    <div class="field picker">
      <label for={id}>{label}</label>
      <div class="combo">
        {/* what is chosen looks as if it stood in the field */}
        <div class={error ? 'box wrong' : 'box'}>
          {value.length > 0 && (
            <ul class="chips" aria-label={label}>
              {value.map((ref) => (
                <li key={`${ref.id} ${ref.name}`}>
                  <span dir="auto">{ref.name}</span>
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
            placeholder={value.length > 0 ? undefined : (props.placeholder ?? w.type_to_find)}
            value={text}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value)
              setEntered(false)
              setOpen(true)
            }}
            onKeyDown={press}
            onClick={() => setOpen(true)}
            onBlur={() => {
              setEntered(false)
              setOpen(false)
            }}
          />
        </div>
        <div
          ref={list}
          role="listbox"
          id={`${id}-list`}
          aria-label={label}
          aria-multiselectable={browse && !single ? true : undefined}
          hidden={!isShown}
          onPointerDown={(event) => event.preventDefault()}
        >
          {groupsOf(options).map(([group, some]) => {
            const shown = some.map(({ choice, key }) => (
              <Option
                key={key}
                id={`${id}-${key}`}
                choice={choice}
                name={name}
                isActive={options[active]?.key === key}
                isChosen={choice !== undefined && isChosen(choice)}
                browse={browse === true}
                onTake={() => take(choice)}
              />
            ))
            if (!group) return shown
            return (
              <div key={group} role="group" aria-label={group}>
                <div class="group-name" aria-hidden="true">
                  {group}
                </div>
                {shown}
              </div>
            )
          })}
          {options.length === 0 && (
            <div role="option" aria-selected="false" aria-disabled="true" class="none">
              {problem ?? (of === name ? w.none_found : w.loading)}
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

type OptionProps = {
  id: string
  choice: Choice | undefined
  name: string
  isActive: boolean
  isChosen: boolean
  browse: boolean
  onTake: () => void
}
/** One option: something that was found, or the way to make what was typed. */
const Option = ({ id, choice, name, isActive, isChosen, browse, onTake }: OptionProps) => (
  <div
    id={id}
    role="option"
    class={[isActive && 'active', choice?.depth && `depth-${Math.min(choice.depth, 4)}`]
      .filter(Boolean)
      .join(' ')}
    aria-selected={browse ? isChosen : isActive}
    onClick={onTake}
  >
    {choice ? (
      <>
        <span lang={choice.lang} dir="auto">
          {choice.name}
        </span>
        {choice.detail && <small>{choice.detail}</small>}
      </>
    ) : (
      <span class="make">{fill(w.make_new, { name })}</span>
    )}
  </div>
)
