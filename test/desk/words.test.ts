import t from 'tap'
import { audit as caAudit } from '../../desk/words/audit/ca.ts'
import { audit as enAudit } from '../../desk/words/audit/en.ts'
import { audit as esAudit } from '../../desk/words/audit/es.ts'
import { ca } from '../../desk/words/ca.ts'
import { en } from '../../desk/words/en.ts'
import { es } from '../../desk/words/es.ts'
import { history as caHistory } from '../../desk/words/history/ca.ts'
import { history as enHistory } from '../../desk/words/history/en.ts'
import { history as esHistory } from '../../desk/words/history/es.ts'
import { hooks as caHooks } from '../../desk/words/hooks/ca.ts'
import { hooks as enHooks } from '../../desk/words/hooks/en.ts'
import { hooks as esHooks } from '../../desk/words/hooks/es.ts'
import { records as caRecords } from '../../desk/words/records/ca.ts'
import { records as enRecords } from '../../desk/words/records/en.ts'
import { records as esRecords } from '../../desk/words/records/es.ts'
import { repeats as caRepeats } from '../../desk/words/repeats/ca.ts'
import { repeats as enRepeats } from '../../desk/words/repeats/en.ts'
import { repeats as esRepeats } from '../../desk/words/repeats/es.ts'
import { site as caSite } from '../../desk/words/site/ca.ts'
import { site as enSite } from '../../desk/words/site/en.ts'
import { site as esSite } from '../../desk/words/site/es.ts'
import { work as caWork } from '../../desk/words/work/ca.ts'
import { work as enWork } from '../../desk/words/work/en.ts'
import { work as esWork } from '../../desk/words/work/es.ts'

const ENGLISH = Object.entries({
  ...en,
  ...enRecords,
  ...enAudit,
  ...enRepeats,
  ...enSite,
  ...enHooks,
  ...enHistory,
  ...enWork,
})
const OTHERS: [string, Record<string, string>][] = [
  ['ca', { ...ca, ...caRecords, ...caAudit, ...caRepeats, ...caSite, ...caHooks, ...caHistory, ...caWork }],
  ['es', { ...es, ...esRecords, ...esAudit, ...esRepeats, ...esSite, ...esHooks, ...esHistory, ...esWork }],
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
