import { signal } from '../api/signal.ts'
import { alike as caAlike } from './alike/ca.ts'
import { alike as enAlike } from './alike/en.ts'
import { alike as esAlike } from './alike/es.ts'
import { audit as caAudit } from './audit/ca.ts'
import { audit as enAudit } from './audit/en.ts'
import { audit as esAudit } from './audit/es.ts'
import { ca } from './ca.ts'
import { drafts as caDrafts } from './drafts/ca.ts'
import { drafts as enDrafts } from './drafts/en.ts'
import { drafts as esDrafts } from './drafts/es.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { records as caRecords } from './records/ca.ts'
import { records as enRecords } from './records/en.ts'
import { records as esRecords } from './records/es.ts'
import { repeats as caRepeats } from './repeats/ca.ts'
import { repeats as enRepeats } from './repeats/en.ts'
import { repeats as esRepeats } from './repeats/es.ts'
import type { WordsOf } from './translation.ts'

/** The words of one language. */
export type Words = WordsOf<
  typeof en & typeof enRecords & typeof enAudit & typeof enRepeats & typeof enDrafts & typeof enAlike
>

const ALL: Record<string, Words> = {
  en: { ...en, ...enRecords, ...enAudit, ...enRepeats, ...enDrafts, ...enAlike },
  ca: { ...ca, ...caRecords, ...caAudit, ...caRepeats, ...caDrafts, ...caAlike },
  es: { ...es, ...esRecords, ...esAudit, ...esRepeats, ...esDrafts, ...esAlike },
}
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
