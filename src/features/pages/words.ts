import type { Command } from 'commander'
import ca from '../../../words/ca/pages.json' with { type: 'json' }
import de from '../../../words/de/pages.json' with { type: 'json' }
import en from '../../../words/en/pages.json' with { type: 'json' }
import es from '../../../words/es/pages.json' with { type: 'json' }
import fr from '../../../words/fr/pages.json' with { type: 'json' }
import it from '../../../words/it/pages.json' with { type: 'json' }
import pt from '../../../words/pt/pages.json' with { type: 'json' }
import { localeOf } from '../../calendar/formats/texts.ts'
import { type Forms, fill, formOf, inLanguage, type Translated } from '../../kernel/text/words.ts'
import type { Tools } from '../host.ts'

/** The words of one language, as `words/<language>/pages.json` has them: those that English has. */
export type Words = Translated<typeof en>

/** The languages that the pages have words in. */
export const WORDS: Record<string, Words> = { en, ca, es, de, fr, it, pt }

/** The words that the service has of a language. A regional form has those of its language. */
export const shippedIn = (language: string): Words | undefined => inLanguage(WORDS, language)

/** The words of a language; English for a language without own words. */
export const wordsOf = (language: string): Words => shippedIn(language) ?? en

const counting = new Map<string, { forms: Intl.PluralRules; numbers: Intl.NumberFormat }>()
/** The form of a counted noun, with the number in the notation of the language. */
export function counted(forms: Forms, count: number, language: string): string {
  const locale = localeOf(language)
  const known = counting.get(locale) ?? {
    forms: new Intl.PluralRules(locale),
    numbers: new Intl.NumberFormat(locale),
  }
  counting.set(locale, known)
  const form = formOf(forms, known.forms.select(count))
  return fill(form, { count: known.numbers.format(count) })
}

const WRITTEN_LEFT = ['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi']
/** The direction of writing of a language. */
export const directionOf = (language: string): 'ltr' | 'rtl' =>
  WRITTEN_LEFT.includes(language.split('-')[0]!) ? 'rtl' : 'ltr'

/** The name of a language in a language; a code that is not well-formed names itself. */
export function languageIn(language: string, within: string): string {
  const locale = localeOf(language)
  const isKnown = locale !== 'en' || language === 'en'
  return isKnown ? new Intl.DisplayNames([localeOf(within)], { type: 'language' }).of(locale)! : language
}

/** Letters that are written in one direction, and in the other. */
export const LEFT_TO_RIGHT = /\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Han}/u
export const RIGHT_TO_LEFT = /\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac}|\p{Script=Thaana}/u

const names = new Map<string, string>()
/** The name of a language in itself, as a title. */
export function nameOfLanguage(language: string): string {
  const known = names.get(language)
  if (known !== undefined) return known
  const locale = localeOf(language)
  const name = languageIn(language, language)
  const capital = name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
  names.set(language, capital)
  return capital
}

/** Every form that some language has of a counted word. */
const FORMS = ['zero', 'one', 'two', 'few', 'many', 'other']
/** Words that an error names one by one. */
const NAMED = 8

/** The forms of counted words that a language needs for whole numbers, and the one for all that is left. */
function formsOf(language: string): string[] {
  const rules = new Intl.PluralRules(localeOf(language))
  const needed = new Set<string>(Array.from({ length: 200 }, (_, count) => rules.select(count))).add('other')
  return FORMS.filter((form) => needed.has(form))
}

const placesOf = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort().join(' and ')
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is wrong with a text that stands for an English one: nothing, or one sentence. */
function checkText(name: string, text: unknown, english: string): string[] {
  if (typeof text !== 'string' || !text.trim()) return [`${name} must be a text`]
  const wanted = placesOf(english)
  if (placesOf(text) === wanted) return []
  return [`${name} must have ${wanted ? `${wanted} and no other placeholder` : 'no placeholder'}`]
}

/** What is wrong with the forms of a counted word. */
function checkForms(name: string, forms: unknown, english: Forms, needed: string[]): string[] {
  if (!isObject(forms)) return [`${name} must have the forms ${needed.join(', ')}`]
  const unknown = Object.keys(forms).filter((form) => !FORMS.includes(form))
  const lacking = needed.filter((form) => !Object.hasOwn(forms, form))
  return [
    ...unknown.map((form) => `${name} has the unknown form "${form}"`),
    ...lacking.map((form) => `${name} lacks the form "${form}"`),
    ...Object.entries(forms).flatMap(([form, text]) =>
      checkText(`"${form}" of ${name}`, text, english.other),
    ),
  ]
}

const named = (words: string[]) =>
  `${words.slice(0, NAMED).join(', ')}${words.length > NAMED ? ` and ${words.length - NAMED} more` : ''}`

/**
 * The words of a language from the text of a JSON file of the operator: all of them, or some in place of those that the service has. Throws
 * an error that names every mistake.
 */
export function readWords(text: string, language: string): Words {
  let own: unknown
  try {
    own = JSON.parse(text)
  } catch (error) {
    throw new Error(`is not JSON: ${(error as Error).message}`)
  }
  if (!isObject(own)) throw new Error('must be an object with the words by their names')
  const given = own
  const shipped = shippedIn(language)
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(en, key))
  const lacking = shipped ? [] : Object.keys(en).filter((key) => !Object.hasOwn(given, key))
  const needed = formsOf(language)
  const mistakes = [
    ...(unknown.length > 0 ? [`has unknown words: ${named(unknown)}`] : []),
    ...(lacking.length > 0 ? [`lacks words: ${named(lacking)}`] : []),
    ...Object.entries<string | Forms>(en).flatMap(([key, english]) => {
      if (!Object.hasOwn(given, key)) return []
      const [name, value] = [`"${key}"`, given[key]]
      return typeof english === 'string'
        ? checkText(name, value, english)
        : checkForms(name, value, english, needed)
    }),
  ]
  if (mistakes.length > 0) throw new Error(mistakes.join('; '))
  return { ...shipped, ...given } as Words
}

/** `words`: prints the words of the pages, as a file to begin with for `SITE_WORDS`. */
export function addWordsCommand(command: Command, shell: Tools) {
  command
    .description('print the words of the pages as JSON, for a file of SITE_WORDS')
    .argument('[language]', 'such as de; English for a language without own words', 'en')
    .action((language: string) => {
      shell.print(`${JSON.stringify(wordsOf(language), undefined, 2)}\n`)
    })
}
