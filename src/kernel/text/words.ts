/** A counted word in the forms that a language has for numbers: `other` stands for those that are left out. */
export type Forms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

/** Texts with the keys of the English ones, of which each language has its own forms of counted words. */
export type Translated<T> = T extends string
  ? string
  : T extends { other: string }
    ? Forms
    : { [Key in keyof T]: Translated<T[Key]> }

/** The text in a form, or in that which stands for it. */
export const formOf = (forms: Forms, form: Intl.LDMLPluralRule): string => forms[form] ?? forms.other

/** Text with its `{places}` filled in. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))

/** What there is in a language, by its code; a regional form has that of its language. */
export const inLanguage = <T>(languages: Record<string, T>, language: string): T | undefined =>
  languages[language.split('-')[0]!]
