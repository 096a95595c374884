import ca from '../../../words/ca/recurrence.json' with { type: 'json' }
import en from '../../../words/en/recurrence.json' with { type: 'json' }
import es from '../../../words/es/recurrence.json' with { type: 'json' }
import { type Forms, fill, formOf, inLanguage, type Translated } from '../../kernel/text/words.ts'

/** The words of a language for rules, as `words/<language>/recurrence.json` has them: those that English has. */
type Texts = Translated<typeof en>
type KeyOf<Kind> = { [Key in keyof Texts]: Texts[Key] extends Kind ? Key : never }[keyof Texts]

/** What the texts of a language leave to its grammar. */
type Grammar = {
  /** The language whose lists these are. */
  locale: string
  /** Which form of `digits` an ordinal number has. */
  ordinalForm(n: number): Intl.LDMLPluralRule
  /** A sentence with what changes where its parts meet. */
  adjust(sentence: string): string
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const ENGLISH: Grammar = {
  locale: 'en-GB',
  ordinalForm: (n) => ordinals.select(n),
  adjust: (sentence) => sentence.replace(/ on (?=on |from )/g, ' ').replace(/ on (?=every day)/g, ', '),
}

const ELIDED: Record<string, string> = { el: 'l’', de: 'd’', al: 'a l’', del: 'de l’' }
const CATALAN: Grammar = {
  locale: 'ca',
  ordinalForm: () => 'other',
  /** Before what begins with a vowel as spoken, such as `abril`, `1` (u) and `11` (onze), articles are short. */
  adjust: (sentence) =>
    sentence
      .replace(/\b(el|de|al|del) (?=[aeiou]|11?\b)/g, (_, word: string) => ELIDED[word]!)
      .replace(/\bla (?=11a)/g, 'l’'),
}

const SPANISH: Grammar = {
  locale: 'es',
  /** As `primer` and `tercer`, numbers that end in 1 or 3 are short before a noun: `13.er lunes`. 11 is `undécimo`. */
  ordinalForm: (n) => (n !== 11 && [1, 3].includes(n % 10) ? 'one' : 'other'),
  /** Without a noun they are not. */
  adjust: (sentence) =>
    sentence
      .replace(/(primer|tercer)(?= de todos )/g, '$1o')
      .replace(/\.er(?= (de todos|empezando) )/g, '.º'),
}

const LANGUAGES: Record<string, [texts: Texts, grammar: Grammar]> = {
  en: [en, ENGLISH],
  ca: [ca, CATALAN],
  es: [es, SPANISH],
}

/** Joins what is said one after the other: `a, b and c`. */
type Join = (items: string[]) => string

function openWords(texts: Texts, { locale, ordinalForm, adjust }: Grammar) {
  const plural = new Intl.PluralRules(locale)
  const joinBy = (type: Intl.ListFormatType): Join => {
    const format = new Intl.ListFormat(locale, { type })
    return (items) => format.format(items)
  }
  const inDigits = (n: number, { digits }: { digits: Forms }) => fill(formOf(digits, ordinalForm(n)), { n })
  return {
    texts,
    adjust,
    and: joinBy('conjunction'),
    or: joinBy('disjunction'),
    /** A text with its places filled in. */
    say: (key: KeyOf<string>, values: Record<string, string | number> = {}) => fill(texts[key], values),
    /** A text in the form of a number. */
    count: (key: KeyOf<Forms>, count: number) => fill(formOf(texts[key], plural.select(count)), { count }),
    /** `13th`, as days of a month are numbered. */
    numbered: (n: number) => inDigits(n, texts.ordinals_of_days),
    /** `the second Friday`, `the last week`; `the third` without a noun. */
    nth(
      n: number,
      noun: string,
      of: 'ordinals_of_days' | 'ordinals_of_weeks_and_times' = 'ordinals_of_days',
    ) {
      const { words, nth, last, nth_to_last } = texts[of]
      const size = Math.abs(n)
      const ordinal = words[size - 1] ?? inDigits(size, texts[of])
      const text = n > 0 ? nth : (last[size - 1] ?? nth_to_last)
      return fill(text, { ordinal, noun }).replace('  ', ' ').trim()
    },
  }
}
/** The words of a language and how it joins them. */
export type RuleWords = ReturnType<typeof openWords>

const opened = new Map<string, RuleWords>()
/** Whether a language has words for rules of its own. */
export const hasRuleWords = (language: string): boolean => inLanguage(LANGUAGES, language) !== undefined
/** The words of a language; English for a language without own words. */
export function ruleWordsOf(language: string): RuleWords {
  const [texts, grammar] = inLanguage(LANGUAGES, language) ?? LANGUAGES.en!
  const words = opened.get(grammar.locale) ?? openWords(texts, grammar)
  opened.set(grammar.locale, words)
  return words
}
