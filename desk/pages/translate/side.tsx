import type { ComponentChildren } from 'preact'
import { type Editing, useEditing } from '../../api/editing.ts'
import { useLoaded } from '../../api/use.ts'
import { Actions } from '../../parts/actions.tsx'
import { RecordForm } from '../../parts/form.tsx'
import type { Translated } from '../../parts/languages.tsx'
import { Failed, tell } from '../../parts/notice.tsx'
import { hashOf } from '../../rules/places.ts'
import { fill, languageName, w } from '../../words/words.ts'
import { type Kind, type Pair, readPair } from './data.ts'

/** A record and its language: what a page of a translation is asked for. */
export type Wanted = { id: number; language: string }

type Shown<R extends Translated, T extends object> = {
  kind: Kind<R, T>
  /** The texts of the original. */
  original(source: R): ComponentChildren
  /** The fields of the translation. */
  fields(part: Editing<R, T>, lang: string): ComponentChildren
  notice?(source: R, form: T): string | false | undefined
}

/** A record and its translation, side by side. */
export function SideBySide<R extends Translated & { status?: string }, T extends object>(
  props: Shown<R, T> & Wanted,
) {
  const { kind, id, language } = props
  const { value, failure, again } = useLoaded(`${kind.plural} ${id} ${language}`, () =>
    readPair(kind, id, language),
  )
  if (failure) return <Failed failure={failure} again={again} />
  if (!value) return <p class="loading">{w.loading}</p>
  return <Both {...props} pair={value} />
}

function Both<R extends Translated & { status?: string }, T extends object>(
  props: Shown<R, T> & Wanted & { pair: Pair<R, T> },
) {
  const { kind, original, fields, notice, language, pair } = props
  const { source, other, shared, name, id, etag, base, form: begun } = pair
  const { plural, toForm, toBody, fieldOf, taken } = kind
  const part = useEditing<R, T>({
    ...{ name, path: `/${plural}`, id, etag, base, toForm, toBody, fieldOf },
    ...(begun && { form: begun }),
    more: { translation_of: source.id },
  })
  const { status } = part.form as { status?: string }
  const took = (saved: R | undefined) => {
    if (!saved) return
    tell({ text: w[saved.status === 'publish' ? 'saved_published' : 'saved'] })
    if (id === undefined) location.replace(hashOf([plural, saved.id]))
  }
  const save = async (values: Partial<T> = {}) => took(await part.save(values))
  return (
    <RecordForm
      part={part}
      layout="pair"
      title={fill(w.translation_into, { title: kind.nameOf(source), language: languageName(language) })}
      head={<a href={hashOf([plural, source.id])}>{w.back_to_original}</a>}
      isMine={kind.isMine(other ?? source)}
      save={save}
      took={took}
      notices={[notice?.(source, part.form)]}
      acts={
        <Actions
          {...(status !== undefined && { status })}
          busy={part.busy}
          publish={(goal) => save({ status: goal } as unknown as Partial<T>)}
        />
      }
    >
      <section lang={source.language} aria-label={languageName(source.language)}>
        <h2>{languageName(source.language)}</h2>
        {original(source)}
      </section>
      <section aria-label={languageName(language)}>
        <h2 lang={language}>{languageName(language)}</h2>
        {fields(part, language)}
        {taken && id === undefined && <p class="hint">{taken.text}</p>}
        {taken && id !== undefined && (
          <button type="button" class="plain" onClick={() => part.change(shared)}>
            {taken.again}
          </button>
        )}
        {id !== undefined && (
          <p>
            <a href={hashOf([plural, id])}>{w.whole_form}</a>
          </p>
        )}
      </section>
    </RecordForm>
  )
}
