import { signal } from '../api/signal.ts'
import { SITE } from '../api/site.ts'
import { problemOf } from '../rules/problems.ts'
import { undelivered } from '../rules/undelivered.ts'
import { ca } from './ca.ts'
import { en } from './en.ts'
import { errors as caErrors, problems as caProblems } from './errors/ca.ts'
import { errors as enErrors, problems as enProblems } from './errors/en.ts'
import { errors as esErrors, problems as esProblems } from './errors/es.ts'
import { es } from './es.ts'
import type { WordsOf } from './translation.ts'

/** The words of one language. */
export type Words = WordsOf<typeof en>

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

/** Text with its `{places}` filled in. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))

/** Words as a list in a sentence. */
export const listText = (words: readonly string[]): string => new Intl.ListFormat(locale()).format(words)

/** A number as it is written in the language of the desk. */
export const number = (value: number): string => new Intl.NumberFormat(locale()).format(value)

const ERRORS: Record<string, Record<string, string>> = { en: enErrors, ca: caErrors, es: esErrors }
const PROBLEMS: Record<string, typeof enProblems | WordsOf<typeof enProblems>> = {
  ...{ en: enProblems, ca: caProblems, es: esProblems },
}

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
