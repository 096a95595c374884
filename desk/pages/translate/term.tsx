import type { Editing } from '../../api/editing.ts'
import { AreaField, TextField } from '../../parts/field.tsx'
import { Prose } from '../../parts/prose.tsx'
import { may } from '../../parts/shell.tsx'
import {
  emptyTerm,
  PLURAL,
  type TermForm,
  type TermKind,
  type TermRecord,
  termFieldOf,
  toTermBody,
  toTermForm,
} from '../../rules/term.ts'
import { w } from '../../words/words.ts'
import { inLanguage, type Kind } from './data.ts'
import { SideBySide, type Wanted } from './side.tsx'

/** Where the translation of a category stands: below that of its parent, or at the top if that has none. */
async function shared({ parent }: TermForm, language: string): Promise<Partial<TermForm>> {
  const id = Number(parent)
  const above = id === 0 ? undefined : await inLanguage('categories', 'name', language)({ id, name: '' })
  return { language, parent: above === undefined || above.id === id ? '0' : String(above.id) }
}

const kindOf = (kind: TermKind): Kind<TermRecord, TermForm> => ({
  ...{ plural: PLURAL[kind], toForm: toTermForm, toBody: toTermBody(kind), fieldOf: termFieldOf, shared },
  nameOf: ({ name }) => name,
  isMine: () =>
    may(kind === 'tag' ? 'create, change and delete tags' : 'create, change and delete categories'),
  empty: (_, language) => emptyTerm('0', language),
})

const Original = ({ name, description }: TermRecord) => (
  <>
    <p class="source-title">{name}</p>
    <Prose html={description} />
  </>
)

const Fields = ({ form, change, errors, lang }: Editing<TermRecord, TermForm> & { lang: string }) => (
  <>
    <TextField
      class="title"
      label={w.name}
      value={form.name}
      error={errors.name}
      required
      lang={lang}
      onValue={(name) => change({ name })}
    />
    <AreaField
      label={w.description}
      rows={3}
      lang={lang}
      value={form.description}
      error={errors.description}
      onValue={(description) => change({ description })}
    />
  </>
)

/** A category or a tag and its translation. */
export const translateTerm = (kind: TermKind) => (wanted: Wanted) => (
  <SideBySide
    {...wanted}
    kind={kindOf(kind)}
    original={Original}
    fields={(part, lang) => <Fields {...part} lang={lang} />}
  />
)
