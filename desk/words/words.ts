import { fill } from '../../src/kernel/text/words.ts'
import ca from '../../words/ca/desk.json' with { type: 'json' }
import caErrors from '../../words/ca/desk-errors.json' with { type: 'json' }
import caProblems from '../../words/ca/desk-problems.json' with { type: 'json' }
import en from '../../words/en/desk.json' with { type: 'json' }
import enErrors from '../../words/en/desk-errors.json' with { type: 'json' }
import enProblems from '../../words/en/desk-problems.json' with { type: 'json' }
import es from '../../words/es/desk.json' with { type: 'json' }
import esErrors from '../../words/es/desk-errors.json' with { type: 'json' }
import esProblems from '../../words/es/desk-problems.json' with { type: 'json' }
import { signal } from '../api/signal.ts'
import { SITE } from '../api/site.ts'
import { type Problem, problemOf, undelivered } from '../rules/problems.ts'

export { fill }

/** The words of one language, as `words/<language>/desk.json` has them: those that English has. */
export type Words = Record<keyof typeof en, string>

const ALL: Record<string, Words> = { en, ca, es }
const KEPT = 'desk.language'
const NAMES: Record<string, string> = { en: 'English', ca: 'Català', es: 'Español' }

/** The languages that the desk speaks, by their codes. */
export const LANGUAGES = Object.keys(ALL)
/** The name of a language in itself. */
export const languageName = (code: string): string =>
  NAMES[code] ?? new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code

const preferred = () =>
  [localStorage.getItem(KEPT) ?? '', ...navigator.languages.map((tag) => tag.split('-')[0]!)].find(
    (tag) => tag in ALL,
  )

/** The language of the desk: the one that was chosen, or one of the browser. */
export const language = signal(preferred() ?? 'en')
/** The words of that language. */
export let w: Words = ALL[language.get()]!

/** Chooses the language of the desk, in this browser. */
export function speak(code: string) {
  localStorage.setItem(KEPT, code)
  w = ALL[code]!
  document.documentElement.lang = code
  language.set(code)
}
document.documentElement.lang = language.get()

/** The language of what is written anew: that of the desk, if records may have it. */
export const languageOfNew = (): string =>
  SITE.languages.includes(language.get()) ? language.get() : SITE.languages[0]!

/** The language of the desk as the browser has it, with its country: it says how dates are written and when weeks begin. */
export const locale = (): string =>
  navigator.languages.find((tag) => tag.split('-')[0] === language.get()) ?? language.get()

/** Words as a list in a sentence. */
export const listText = (words: readonly string[]): string => new Intl.ListFormat(locale()).format(words)

/** A number as it is written in the language of the desk. */
export const number = (value: number): string => new Intl.NumberFormat(locale()).format(value)

const ERRORS: Record<string, Record<string, string>> = { en: enErrors, ca: caErrors, es: esErrors }
const PROBLEMS: Record<string, Record<Problem, string>> = { en: enProblems, ca: caProblems, es: esProblems }

/** An error of the API in the language of the desk. The API speaks English itself, and says there what it is about. */
export const errorText = (code: string, message: string): string =>
  (language.get() === 'en' && message) || (ERRORS[language.get()]![code] ?? message)

/** What the desk says less exactly than the API, which says it in English. */
const EXACT = ['other', 'rule']

/** What the API says of a value, in words of the desk; in English as the API says it where that tells more. */
export function problemText(text: string): string {
  const { problem, values } = problemOf(text)
  if (language.get() === 'en' && EXACT.includes(problem)) return text
  return fill(PROBLEMS[language.get()]![problem], values)
}

/** Why a message of a webhook was not taken, in words of the desk where it has them. */
export function undeliveredText(text: string): string {
  const known = undelivered(text)
  return known ? fill(w[known.word], known.values) : text
}

/** What others see of a user: the name beside the login, or the login alone. */
export const calledText = (login: string, name = ''): string => (name === '' ? login : `${name} (${login})`)
