import { useRef, useState } from 'preact/hooks'
import { type Failure, list, send } from '../../api/client.ts'
import type { EventEditing } from '../../api/editing.ts'
import { SelectField, TextField } from '../../parts/field.tsx'
import { Limited } from '../../parts/limited.tsx'
import { failureText } from '../../parts/notice.tsx'
import { type Choice, Picker } from '../../parts/picker.tsx'
import { may } from '../../parts/shell.tsx'
import { treeOf } from '../../rules/term.ts'
import { w } from '../../words/words.ts'
import { type Category, categoryOptions, useCategories } from '../events/filters.tsx'

/** Tags of a language whose names have what was typed, the most used first; of all languages without one. */
export const searchTags =
  (language: string) =>
  async (text: string): Promise<Choice[]> => {
    const query = {
      search: text,
      per_page: 8,
      hide_empty: false,
      i18n_language: language,
      orderby: 'count',
      order: 'desc',
    }
    const { rows } = await list<{ id: number; name: string; count: number }>('/tags', 'tags', query)
    return rows.map(({ id, name, count }) => ({ id, name, detail: String(count) }))
  }

/** Makes a category, at the top or below another one. */
function MakeCategory({
  categories,
  language,
  made,
}: {
  categories: Category[]
  language: string
  made: (category: Category) => void
}) {
  const [name, setName] = useState('')
  const [parent, setParent] = useState('0')
  const [problem, setProblem] = useState<string>()
  const make = async () => {
    try {
      const { body } = await send<Category>('POST', '/categories', {
        body: { name, parent: Number(parent), i18n_language: language },
      })
      setName('')
      setProblem(undefined)
      made(body)
    } catch (error) {
      setProblem((error as Failure).params.name ?? failureText(error))
    }
  }
  return (
    <details class="make-category">
      <summary>{w.new_category}</summary>
      <div class="row">
        <TextField
          label={w.name}
          value={name}
          error={problem}
          onValue={setName}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            make()
          }}
        />
        <SelectField
          label={w.parent}
          value={parent}
          onValue={setParent}
          options={[['0', w.top_level], ...categoryOptions(categories)]}
        />
        <button type="button" class="plain" onClick={make}>
          {w.create}
        </button>
      </div>
    </details>
  )
}

/** The categories and tags of an event. */
export function Terms({ form, change, errors }: EventEditing) {
  const { value = [], again } = useCategories()
  const own = value.filter(({ language }) => language === form.language)
  // terms of an event that stand in another language are shown as well
  const foreign = form.categories.filter(({ id }) => !own.some((category) => category.id === id))
  const shown = [...treeOf(own), ...foreign.map((category) => ({ ...category, depth: 0 }))]
  // others may be chosen while a category is made
  const latest = useRef(form)
  latest.current = form
  const toggle = (id: number, name: string, checked: boolean) => {
    const { categories } = latest.current
    change({
      categories: checked ? [...categories, { id, name }] : categories.filter((one) => one.id !== id),
    })
  }
  return (
    <fieldset class="group">
      <legend>{w.categories}</legend>
      <Limited language={form.language} />
      <ul class="tree">
        {shown.map(({ id, name, depth }) => (
          <li key={id} class={`depth-${Math.min(depth, 4)}`}>
            <label>
              <input
                type="checkbox"
                checked={form.categories.some((one) => one.id === id)}
                onChange={({ currentTarget }) => toggle(id, name, currentTarget.checked)}
              />
              <span>{name}</span>
            </label>
          </li>
        ))}
      </ul>
      {errors.categories && <p class="error">{errors.categories}</p>}
      {may('create, change and delete categories') && (
        <MakeCategory
          categories={own}
          language={form.language}
          made={(category) => {
            again()
            toggle(category.id, category.name, true)
          }}
        />
      )}
      <Picker
        label={w.tags}
        value={form.tags}
        error={errors.tags}
        search={searchTags(form.language)}
        create={
          may('create, change and delete tags')
            ? (name) => change({ tags: [...form.tags, { id: 0, name }] })
            : undefined
        }
        onValue={(tags) => change({ tags })}
      />
    </fieldset>
  )
}
