import type { Editing } from '../../api/editing.ts'
import { TextField } from '../../parts/field.tsx'
import { Prose } from '../../parts/prose.tsx'
import { ProseField } from '../../parts/prose-editor.tsx'
import { may, mayEdit } from '../../parts/shell.tsx'
import {
  emptyLinked,
  type LinkedForm,
  type LinkedKind,
  type LinkedRecord,
  linkedFieldOf,
  nameOf,
  toLinkedBody,
  toLinkedForm,
} from '../../rules/linked.ts'
import { w } from '../../words/words.ts'
import type { Kind } from './data.ts'
import { SideBySide, type Wanted } from './side.tsx'

/** What of an address has another name in another language. */
const LINES = ['address', 'city', 'province', 'country'] as const

/** All but the texts of a venue or an organizer, for its translation. */
async function shared(form: LinkedForm, language: string): Promise<Partial<LinkedForm>> {
  const {
    name: _,
    description: __,
    status: ___,
    address: _a,
    city: _b,
    province: _c,
    country: _d,
    ...rest
  } = form
  return { ...rest, language }
}

const kindOf = (kind: LinkedKind): Kind<LinkedRecord, LinkedForm> => ({
  ...{ plural: `${kind}s`, shared, isMine: mayEdit },
  ...{ toForm: toLinkedForm(kind), toBody: toLinkedBody(kind), fieldOf: linkedFieldOf(kind) },
  nameOf: (record) => nameOf(kind, record),
  empty: (_, language) => ({
    ...emptyLinked(kind, language),
    status: may('publish records') ? 'publish' : 'draft',
  }),
  begin: ({ address, city, province, country }) => ({ address, city, province, country }),
  taken: { text: w.taken_over_rest, again: w.take_over_rest },
})

const Original = ({ kind, source }: { kind: LinkedKind; source: LinkedRecord }) => {
  const lines = LINES.flatMap((name) => source[name] || [])
  return (
    <>
      <p class="source-title">{nameOf(kind, source)}</p>
      {lines.length > 0 && <p>{lines.join(', ')}</p>}
      {source.description && <Prose html={source.description} />}
    </>
  )
}

type Fields = Editing<LinkedRecord, LinkedForm> & { kind: LinkedKind; lang: string }

const Fields = ({ kind, form, change, errors, lang }: Fields) => (
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
    {kind === 'venue' && (
      <div class="row">
        {LINES.map((name) => (
          <TextField
            key={name}
            label={w[name]}
            value={form[name]}
            error={errors[name]}
            lang={lang}
            onValue={(value) => change({ [name]: value })}
          />
        ))}
      </div>
    )}
    <ProseField
      label={w.description}
      value={form.description}
      error={errors.description}
      lang={lang}
      onValue={(description) => change({ description })}
    />
  </>
)

/** A venue or an organizer and its translation. */
export const translateLinked = (kind: LinkedKind) => (wanted: Wanted) => (
  <SideBySide
    {...wanted}
    kind={kindOf(kind)}
    original={(source) => <Original kind={kind} source={source} />}
    fields={(part, lang) => <Fields {...part} kind={kind} lang={lang} />}
  />
)
