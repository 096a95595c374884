import { withoutControls } from '../text/text.ts'

/** A mail as it is queued: a plain text. */
export type Mail = { recipient: string; subject: string; text: string }
/** A subject and the paragraphs of its text, with places such as `{name}` for values. */
type Letter = { subject: string; text: string[] }
/** Letters by name. */
export type Letters = Record<string, Letter>
/** Letters in the languages that mail is written in. */
export type Translated<L extends Letters> = { en: L } & Record<string, L>

/** A value on one line, so that it begins no line and no header of its own. */
const lineOf = (value: string) =>
  withoutControls(value)
    .replace(/[\u2028\u2029]/g, ' ')
    .trim()

/** A text without addresses of pages, with `https://` or without, so that nobody sends such to others by what they fill in. */
export const withoutLinks = (text: string): string =>
  text.replace(/\S*(?::\/\/|www\.|[\p{L}\p{N}-]\.\p{L}{2})\S*/giu, '…')

/** Words with their places, such as `{name}`, filled in; without a value a place is empty. What is filled in is not read again. */
export const fill = (words: string, values: Record<string, string>): string =>
  words.replace(/\{(\w+)\}/g, (_, name: string) => lineOf(values[name] ?? ''))

/**
 * Writes a letter to a recipient in a language; English stands for languages without words, and a regional form has those of its language.
 * Values fill the places in subject and text.
 */
export function composeMail<L extends Letters>(
  letters: Translated<L>,
  { letter, language, recipient }: { letter: keyof L; language: string; recipient: string },
  values: Record<string, string>,
): Mail {
  const { subject, text } = (letters[language.split('-')[0]!] ?? letters.en)[letter]!
  return { recipient, subject: fill(subject, values), text: `${fill(text.join('\n\n'), values).trim()}\n` }
}
