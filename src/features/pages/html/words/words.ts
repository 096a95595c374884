import { localeOf } from '../../../../calendar/formats/texts.ts'
import { ca } from './ca.ts'
import { de } from './de.ts'
import { en, type Forms, type Words } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { pt } from './pt.ts'

export type { Words } from './en.ts'

/** The languages that the pages have words in. */
export const WORDS: Record<string, Words> = { en, ca, es, de, fr, it, pt }

/** The words that the service has of a language. A regional form has those of its language. */
export const shippedIn = (language: string): Words | undefined => WORDS[language.split('-')[0]!]

/** The words of a language; English for a language without own words. */
export const wordsOf = (language: string): Words => shippedIn(language) ?? en

/** Text with its `{places}` filled in. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))

const counting = new Map<string, { forms: Intl.PluralRules; numbers: Intl.NumberFormat }>()
/** The form of a counted noun, with the number in the notation of the language. */
export function counted(forms: Forms, count: number, language: string): string {
  const locale = localeOf(language)
  const known = counting.get(locale) ?? {
    forms: new Intl.PluralRules(locale),
    numbers: new Intl.NumberFormat(locale),
  }
  counting.set(locale, known)
  const form = forms[known.forms.select(count)] ?? forms.other
  return fill(form, { count: known.numbers.format(count) })
}

const RIGHT_TO_LEFT = ['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi']
/** The direction of writing of a language. */
export const directionOf = (language: string): 'ltr' | 'rtl' =>
  RIGHT_TO_LEFT.includes(language.split('-')[0]!) ? 'rtl' : 'ltr'

const names = new Map<string, string>()
/** The name of a language in itself; a code that is not well-formed names itself. */
export function nameOfLanguage(language: string): string {
  const known = names.get(language)
  if (known !== undefined) return known
  const locale = localeOf(language)
  const isOwn = locale !== 'en' || language === 'en'
  const name = isOwn ? new Intl.DisplayNames([locale], { type: 'language' }).of(locale)! : language
  const capital = name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
  names.set(language, capital)
  return capital
}
