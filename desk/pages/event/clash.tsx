import { useState } from 'preact/hooks'
import type { Clash as Two } from '../../api/editing.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { altLanguage } from '../../rules/picture.ts'
import { fill, languageName, type Words, w } from '../../words/words.ts'

/** A value of a form in words. */
function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return w.nothing
  if (typeof value === 'boolean') return value ? w.yes : w.no
  if (Array.isArray(value)) return value.map(({ name }) => name).join(', ') || w.nothing
  if (typeof value === 'object' && 'rrule' in value) return String(value.rrule)
  if (typeof value === 'object') return `${w.picture} ${(value as { id: number }).id}`
  return String(value)
}

type Props<T extends object> = { clash: Two<T>; resolve: (resolved: T) => void; dismiss: () => void }

/**
 * Two editors have changed a record: shows what the other one made of it beside what is here, and takes of each member the version that
 * is chosen. What only one of them changed is taken from them.
 */
export function Clash<T extends object>({ clash, resolve, dismiss }: Props<T>) {
  const [chosen, setChosen] = useState<Partial<Record<keyof T, 'mine' | 'theirs'>>>({})
  const wordOf = (name: keyof T) => {
    const language = altLanguage(String(name))
    if (language !== undefined) return fill(w.alt_text_in, { language: languageName(language) })
    return w[name as keyof Words] ?? String(name)
  }
  const save = () => {
    const others = clash.conflicts
      .filter(({ name }) => chosen[name] === 'theirs')
      .map(({ name }) => [name, clash.theirs[name]])
    resolve({ ...clash.merged, ...Object.fromEntries(others) } as T)
  }
  return (
    <Dialog title={w.clash_title} onClose={dismiss} wide>
      <p>{w.clash_text}</p>
      {clash.conflicts.map(({ name, mine, theirs }) => (
        <fieldset class="versions" key={String(name)}>
          <legend>{wordOf(name)}</legend>
          {(
            [
              ['mine', mine, w.mine],
              ['theirs', theirs, w.theirs],
            ] as const
          ).map(([whose, value, word]) => (
            <label key={whose}>
              <input
                type="radio"
                name={String(name)}
                checked={(chosen[name] ?? 'mine') === whose}
                onChange={() => setChosen({ ...chosen, [name]: whose })}
              />
              <span>
                <strong>{word}</strong>
                <span class="version">{textOf(value)}</span>
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      {clash.taken.length > 0 && (
        <>
          <h3>{w.taken}</h3>
          <dl class="taken">
            {clash.taken.map((name) => (
              <div key={String(name)}>
                <dt>{wordOf(name)}</dt>
                <dd>{textOf(clash.theirs[name])}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <div class="buttons">
        <button type="button" onClick={save}>
          {w.save_both}
        </button>
        <button type="button" class="plain" onClick={dismiss}>
          {w.back_to_form}
        </button>
      </div>
    </Dialog>
  )
}
