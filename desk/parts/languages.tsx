import { SITE } from '../api/site.ts'
import { hashOf } from '../rules/places.ts'
import { fill, languageName, w } from '../words/words.ts'
import { SelectField } from './field.tsx'

/** What the desk knows of the other languages of a record: IDs by language. */
export type Translated = { id: number; language: string; translations: Record<string, number> }

type Props = {
  /** The path of the records of this kind. */
  plural: string
  /** The record, if it can be translated. */
  record: Translated | undefined
  value: string
  error: string | undefined
  /** Whether whoever has signed in may add translations. */
  isMine: boolean
  onValue: (language: string) => void
}

/** The language of a record, which translations it has, and the way to them and to those that it lacks. */
export function Languages({ plural, record, value, error, isMine, onValue }: Props) {
  if (SITE.languages.length < 2) return null
  const others = SITE.languages.filter((code) => code !== record?.language)
  const shown = others.filter((code) => isMine || record?.translations[code] !== undefined)
  return (
    <section class="translations" aria-label={w.language}>
      <SelectField
        label={w.language}
        value={value}
        error={error}
        options={SITE.languages.map((code) => [code, languageName(code)])}
        onValue={onValue}
      />
      {record && (
        <ul class="links">
          {shown.map((code) => (
            <li key={code}>
              <a href={hashOf(['translate', plural, record.id, code])}>
                {fill(record.translations[code] ? w.edit_translation : w.add_translation, {
                  language: languageName(code),
                })}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
