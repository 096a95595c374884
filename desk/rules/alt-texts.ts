/** The alternative texts of a picture as they are edited, by the names of their fields; empty where there is none. */
export type AltForm = Record<string, string>

const FIELD = 'alt_'

/** The name of the field for the text in a language. */
export const altField = (language: string): string => FIELD + language

/** The language of the text in a field; undefined for a field of something else. */
export const altLanguage = (field: string): string | undefined =>
  field.startsWith(FIELD) ? field.slice(FIELD.length) : undefined

/** The texts of a picture as they are edited, in the languages of the site. */
export const toAltForm =
  (languages: readonly string[]) =>
  ({ alt_texts }: { alt_texts: Record<string, string> }): AltForm =>
    Object.fromEntries(languages.map((language) => [altField(language), alt_texts[language] ?? '']))

/** The body for the fields that an editor has changed: an empty text removes one. */
export const toAltBody = (form: AltForm, names: readonly string[]) => ({
  alt_texts: Object.fromEntries(names.map((name) => [altLanguage(name)!, form[name]!])),
})

/** Of what the API says about alternative texts, the sentence about one language, without its code. */
export const altError = (said: string | undefined, language: string): string | undefined =>
  said
    ?.split(/(?<=\.) /)
    .find((sentence) => sentence.startsWith(`${language} `))
    ?.slice(language.length + 1)
