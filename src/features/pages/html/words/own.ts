import { localeOf } from '../../../../calendar/formats/texts.ts'
import { en, type Forms, type Words } from './en.ts'
import { shippedIn } from './words.ts'

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
  const shipped = shippedIn(language)
  const given = own
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
