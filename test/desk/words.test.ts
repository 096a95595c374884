import tap from 'tap'
import { ca } from '../../desk/words/ca.ts'
import { en } from '../../desk/words/en.ts'
import { es } from '../../desk/words/es.ts'
import { checks } from '../support/checks.ts'

const t = checks(tap)

const ENGLISH = Object.entries(en)
const OTHERS: [string, Record<string, string>][] = [
  ['ca', ca],
  ['es', es],
]

const placesOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()
/** The mark at the end of a sentence; labels and buttons have none. */
const endOf = (text: string) => /[.?:…]?$/.exec(text)![0]

t.test('the words of the desk have the same places to fill in, in every language', async (t) => {
  for (const [language, words] of OTHERS)
    for (const [name, english] of ENGLISH)
      t.same(placesOf(words[name]!), placesOf(english), `${language} ${name}`)
})

t.test('a sentence is one in every language, a label is one in every language', async (t) => {
  for (const [language, words] of OTHERS)
    for (const [name, english] of ENGLISH) t.equal(endOf(words[name]!), endOf(english), `${language} ${name}`)
})

t.test('apostrophes and quotation marks are those of print', async (t) => {
  for (const [language, words] of [['en', Object.fromEntries(ENGLISH)] as const, ...OTHERS])
    for (const [name, text] of Object.entries(words)) t.notMatch(text, /['"]/, `${language} ${name}`)
})

t.test('a question in Spanish begins with its mark', async (t) => {
  for (const [name, text] of Object.entries(OTHERS[1]![1]))
    t.equal(text.includes('?'), text.includes('¿'), name)
})
