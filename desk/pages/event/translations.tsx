import { SITE } from '../../api/site.ts'
import { SelectField } from '../../parts/field.tsx'
import type { EventForm, EventRecord } from '../../rules/event.ts'
import { fill, languageName, w } from '../../words/words.ts'

type Props = {
  record: EventRecord | undefined
  form: EventForm
  change: (values: Partial<EventForm>) => void
  error: string | undefined
}

/** The language of an event, and its other languages. */
export function Translations({ record, form, change, error }: Props) {
  if (SITE.languages.length < 2) return null
  const others = SITE.languages.filter((code) => code !== record?.language)
  return (
    <section class="translations" aria-label={w.language}>
      <h2>{w.language}</h2>
      <SelectField
        label={w.language}
        quiet
        value={form.language}
        error={error}
        options={SITE.languages.map((code) => [code, languageName(code)])}
        onValue={(language) => change({ language })}
      />
      {record && record.status !== 'trash' && (
        <ul class="links">
          {others.map((code) => (
            <li key={code}>
              <a href={`#/translate/${record.id}/${code}`}>
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
