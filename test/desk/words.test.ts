import t from 'tap'
import ca from '../../words/ca/desk.json' with { type: 'json' }
import caErrors from '../../words/ca/desk-errors.json' with { type: 'json' }
import caProblems from '../../words/ca/desk-problems.json' with { type: 'json' }
import en from '../../words/en/desk.json' with { type: 'json' }
import es from '../../words/es/desk.json' with { type: 'json' }
import esErrors from '../../words/es/desk-errors.json' with { type: 'json' }
import esProblems from '../../words/es/desk-problems.json' with { type: 'json' }

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

/** What is said in another way everywhere else: one word for one thing, and who reads is addressed as a colleague. */
const ODD: Record<string, RegExp[]> = {
  ca: [
    /\b(actes?|llengü?[ae]s?|registres|drets?)\b/iu,
    /\bcalendari\b(?<!programa de calendari)/iu,
    /\b(canvieu|demaneu|deseu|escriviu|feu|mireu|podeu|poseu|teniu|torneu|trieu|voleu)\b/iu,
  ],
  es: [
    /\b(usted|registros|derechos?)\b/iu,
    /\bcalendario\b(?<!programa de calendario)/iu,
    /\b(Haga|Pida|Ponga|Vuelva)\b/u,
  ],
}

t.test('one thing has one word, and the desk speaks to a colleague', async (t) => {
  const spoken = { ca: { ...ca, ...caErrors, ...caProblems }, es: { ...es, ...esErrors, ...esProblems } }
  for (const [language, words] of Object.entries(spoken))
    for (const [name, text] of Object.entries<string>(words))
      for (const odd of ODD[language]!) t.notMatch(text, odd, `${language} ${name}`)
})
