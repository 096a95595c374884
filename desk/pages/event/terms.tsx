import { useEffect, useRef, useState } from 'preact/hooks'
import { type Failure, send } from '../../api/client.ts'
import type { EventEditing } from '../../api/editing.ts'
import { TextField } from '../../parts/field.tsx'
import { Limited } from '../../parts/limited.tsx'
import { may } from '../../parts/shell.tsx'
import { TermPicker, termsChanged } from '../../parts/terms.tsx'
import type { Ref } from '../../rules/event.ts'
import { w } from '../../words/words.ts'
import { MakeFrame } from './make.tsx'

type Made = { name: string; language: string; made: (category: Ref) => void; close: () => void }
/** Makes a category, at the top or below another one. */
function MakeCategory({ name: typed, language, made, close }: Made) {
  const [name, setName] = useState(typed)
  const [parent, setParent] = useState<Ref[]>([])
  const [failure, setFailure] = useState<Failure>()
  const make = async () => {
    try {
      const { body } = await send<Ref>('POST', '/categories', {
        body: { name, parent: parent[0]?.id ?? 0, i18n_language: language },
      })
      termsChanged('category')
      made({ id: body.id, name: body.name })
      close()
    } catch (error) {
      setFailure(error as Failure)
    }
  }
  const problem = failure?.params.name
  return (
    <MakeFrame
      title={w.new_category}
      failure={problem ? undefined : failure}
      isTyped={parent.length > 0}
      close={close}
      onMake={make}
    >
      <TextField label={w.name} value={name} error={problem} lang={language} onValue={setName} />
      <TermPicker
        kind="category"
        label={w.parent}
        languages={[language]}
        value={parent}
        onValue={setParent}
        placeholder={w.top_level}
        single
      />
    </MakeFrame>
  )
}

/** The categories and tags of an event. */
export function Terms({ form, change, errors }: EventEditing) {
  const [making, setMaking] = useState<string>()
  const { language } = form
  // others may be chosen while a category is made
  const latest = useRef(form)
  latest.current = form
  // a tag that is made with the event is known to others once that is saved
  const makesTags = form.tags.some(({ id }) => id === 0)
  useEffect(() => (makesTags ? () => termsChanged('tag') : undefined), [makesTags])
  return (
    <fieldset class="group">
      <legend>{w.categories_and_tags}</legend>
      <Limited language={language} />
      <TermPicker
        kind="category"
        label={w.categories}
        languages={[language]}
        value={form.categories}
        error={errors.categories}
        create={may('create, change and delete categories') ? setMaking : undefined}
        onValue={(categories) => change({ categories })}
      />
      <TermPicker
        kind="tag"
        label={w.tags}
        languages={[language]}
        value={form.tags}
        error={errors.tags}
        create={
          may('create, change and delete tags')
            ? (name) => change({ tags: [...form.tags, { id: 0, name }] })
            : undefined
        }
        onValue={(tags) => change({ tags })}
      />
      {making !== undefined && (
        <MakeCategory
          name={making}
          language={language}
          made={(category) => change({ categories: [...latest.current.categories, category] })}
          close={() => setMaking(undefined)}
        />
      )}
    </fieldset>
  )
}
