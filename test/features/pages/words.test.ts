import t from 'tap'
import {
  counted,
  directionOf,
  nameOfLanguage,
  readWords,
  WORDS,
  wordsOf,
} from '../../../src/features/pages/words.ts'
import { fill } from '../../../src/kernel/text/words.ts'

const PLACES = /\{\w+\}/g

t.test('every language has all words, with the same places to fill in', async (t) => {
  const { en } = WORDS
  for (const [language, words] of Object.entries(WORDS))
    for (const [key, english] of Object.entries(en!)) {
      const own = words[key as keyof typeof words]
      t.equal(typeof own, typeof english, `${language} ${key}`)
      const texts = typeof own === 'string' ? [own] : Object.values(own)
      const places = String(typeof english === 'string' ? english : english.one).match(PLACES) ?? []
      for (const text of texts) {
        t.same((text.match(PLACES) ?? []).sort(), [...places].sort(), `${language} ${key}`)
        t.ok(text.trim(), `${language} ${key}`)
      }
    }
})

t.test('no word is left over', async (t) => {
  const { en } = WORDS
  for (const [language, words] of Object.entries(WORDS))
    t.same(Object.keys(words), Object.keys(en!), language)
})

/** Words that are the same in English and in another language. */
const SHARED: Record<string, string[]> = {
  ca: ['categories', 'dates'],
  de: ['website', 'online', 'links'],
  fr: ['menu', 'suggestions', 'page', 'dates', 'submit_description'],
  it: ['online', 'password', 'dates'],
  pt: ['online'],
}
const NAMES = ['add_google', 'add_outlook']

t.test('no word is English in another language by mistake', async (t) => {
  const textsOf = (word: object | string) => (typeof word === 'string' ? [word] : Object.values(word))
  const { en, ...others } = WORDS
  for (const [language, words] of Object.entries(others)) {
    for (const [key, word] of Object.entries(words)) {
      const english = textsOf(en![key as keyof typeof words])
      for (const text of textsOf(word)) {
        const isSame = english.includes(text)
        const mayBe = [...NAMES, ...(SHARED[language] ?? [])].includes(key)
        t.notOk(isSame && !mayBe, `${language} ${key}: ${text}`)
        t.notMatch(
          text,
          /["]|\w'\w|\.\.\.| {2}|\b(the|this|and|with|event|events|please)\b/i,
          `${language} ${key}`,
        )
      }
    }
  }
})

t.test(
  'a file of the operator has all words of another language, or some of one that the service has',
  async (t) => {
    const { en } = WORDS
    t.same(readWords(JSON.stringify(en), 'eu'), en)
    const own = readWords('{ "until": "a {date}" }', 'de-AT')
    t.same([own.until, own.search], ['a {date}', 'Suchen'])
    const forms = { one: '{count} a', few: '{count} b', many: '{count} c', other: '{count} d' }
    const counts = Object.entries(en!).filter(([, word]) => typeof word !== 'string')
    const polish = { ...en, ...Object.fromEntries(counts.map(([key]) => [key, forms])) }
    const { count } = readWords(JSON.stringify(polish), 'pl')
    t.same(
      [1, 2, 5].map((n) => counted(count, n, 'pl')),
      ['1 a', '2 b', '5 c'],
    )
    t.equal(counted({ other: '{count} d' }, 1, 'en'), '1 d')
  },
)

t.test('the mistakes of a file are named, all at once', async (t) => {
  const { en } = WORDS
  for (const [file, language, message] of [
    ['{', 'de', /^is not JSON: /],
    ['[]', 'de', 'must be an object with the words by their names'],
    ['{ "serach": "x", "toString": "x" }', 'de', 'has unknown words: serach, toString'],
    [{ ...en, skip: undefined, menu: undefined }, 'eu', 'lacks words: skip, menu'],
    ['{}', 'eu', /^lacks words: (\w+, ){7}\w+ and \d+ more$/],
    [{ skip: 1, menu: ' ' }, 'de', '"skip" must be a text; "menu" must be a text'],
    [{ until: 'bis' }, 'de', '"until" must have {date} and no other placeholder'],
    [{ page_of: '{page} {day}' }, 'de', '"page_of" must have {pages} and {page} and no other placeholder'],
    [{ skip: '{date}' }, 'de', '"skip" must have no placeholder'],
    [{ count: '{count}' }, 'de', '"count" must have the forms one, other'],
    [
      { count: { one: '{n}', tow: '{count}' } },
      'de',
      '"count" has the unknown form "tow"; "count" lacks the form "other"; "one" of "count" must have {count} and no other placeholder',
    ],
  ] as const)
    t.throws(() => readWords(typeof file === 'string' ? file : JSON.stringify(file), language), { message })
})

t.test('other languages have the words of a near one, or English ones', async (t) => {
  t.equal(wordsOf('ca-ES').search, 'Cerca')
  t.equal(wordsOf('de-AT').search, 'Suchen')
  t.equal(wordsOf('pt-BR').search, 'Pesquisar')
  t.equal(wordsOf('eu').search, 'Search')
  t.equal(nameOfLanguage('ca'), 'Català')
  t.equal(nameOfLanguage('en'), 'English')
  t.equal(nameOfLanguage('en-GB'), 'British English')
  t.equal(nameOfLanguage('ab-c'), 'Ab-c', 'a code that no program knows')
  t.equal(directionOf('ar-EG'), 'rtl')
  t.equal(directionOf('ca'), 'ltr')
})

t.test('words are filled in and counted', async (t) => {
  t.equal(fill('{a} of {b}', { a: 1, b: 'two' }), '1 of two')
  const { en } = WORDS
  t.equal(counted(en!.count, 1, 'en'), '1 event')
  t.equal(counted(en!.count, 1234, 'en'), '1,234 events')
  t.equal(counted(WORDS.es!.count, 1234567, 'es'), '1.234.567 eventos')
})
