import t from 'tap'
import { inOneLine, problemOf, problemsIn } from '../../desk/rules/problems.ts'
import { errors } from '../../src/kernel/errors.ts'
import ca from '../../words/ca/desk-errors.json' with { type: 'json' }
import caProblems from '../../words/ca/desk-problems.json' with { type: 'json' }
import en from '../../words/en/desk-errors.json' with { type: 'json' }
import enProblems from '../../words/en/desk-problems.json' with { type: 'json' }
import es from '../../words/es/desk-errors.json' with { type: 'json' }
import esProblems from '../../words/es/desk-problems.json' with { type: 'json' }
import { build, EVENT } from '../support/app.ts'

const LANGUAGES: [string, Record<string, string>, Record<string, string>][] = [
  ['en', en, enProblems],
  ['ca', ca, caProblems],
  ['es', es, esProblems],
]
const placesOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()

t.test('every error of the API has words in every language of the desk', async (t) => {
  for (const [language, words] of LANGUAGES) {
    t.same(Object.keys(words).sort(), Object.keys(errors).sort(), language)
    for (const [code, text] of Object.entries(words)) t.match(text, /^\p{Lu}.{9,}\.$/u, `${language} ${code}`)
  }
})

t.test('what is wrong with a value has the same places to fill in, in every language', async (t) => {
  for (const [language, words, problems] of LANGUAGES) {
    for (const [name, text] of Object.entries(problems)) {
      t.same(placesOf(text), placesOf(enProblems[name as keyof typeof enProblems]), `${language} ${name}`)
      t.match(text, /\.$/, `${language} ${name}`)
    }
    for (const text of [...Object.values(words), ...Object.values(problems)]) t.notMatch(text, /['"]/, text)
  }
})

t.test('what the API says of values is known to the desk', async (t) => {
  const { administrator } = await build(t)
  const bodies: [path: string, body: object][] = [
    [
      '/events',
      {
        ...{ ...EVENT, title: 'A', end_date: '2020-01-01', timezone: 'Nowhere', venue: 999, author: 99 },
        ...{ website: 'x', status: 'gone', slug: '-', event_status: 'x', excerpt: '0', image: 99 },
        ...{ categories: 'x'.repeat(3_000) },
      },
    ],
    ['/events', { ...EVENT, start_date: '01/02/2027', end_date: '2027-02-30', cost: 'x'.repeat(1_001) }],
    ['/venues', { venue: 'A', geo_lat: 100, geo_lng: 1, virtual_url: 'mailto:a@b.test' }],
    ['/users', { login: '', role: 'x' }],
    ['/users', { login: 'administrator', role: 'author' }],
    ['/tokens', { user: 99, name: 'x', scopes: ['x'], expires: '2020-01-01' }],
    ['/webhooks', { url: 'x', kinds: ['x'] }],
    ['/settings', { color: 'red', currency: 'XXL', languages: '?', links: [{}], logo: 9 }],
    ['/settings', { color: 'red', currency: 'XXL', logo: 9 }],
  ]
  const problems = new Set<string>()
  for (const [path, body] of bodies) {
    const send = path === '/settings' ? administrator.patch : administrator.post
    const answer = await send(path, body)
    t.ok(answer.status >= 400, path)
    for (const [name, text] of Object.entries(answer.body.data.params as Record<string, string>)) {
      const { problem, values } = problemOf(text)
      t.not(problem, 'other', `${path} ${name}: ${text}`)
      for (const place of placesOf(enProblems[problem]))
        t.ok(values[place.slice(1, -1)], `${path} ${name}: ${place} in ${text}`)
      problems.add(problem)
    }
  }
  t.ok(problems.size > 12, [...problems].join())
  t.match(problemOf('something else'), { problem: 'other', values: {} })
})

t.test('a text about several parts is divided, with the names and values of a file', async (t) => {
  t.same(
    problemsIn(
      'Event Start Date "Friday 20:00": must be a date such as 2027-05-14 20:00. Event Website "a: b": must be an absolute http URL. FREQ of RRULE: is "X". title is missing.',
    ),
    [
      { name: 'Event Start Date "Friday 20:00"', text: 'must be a date such as 2027-05-14 20:00.' },
      { name: 'Event Website "a: b"', text: 'must be an absolute http URL.' },
      { name: 'FREQ of RRULE', text: 'is "X". title is missing.' },
    ],
  )
  t.same(problemsIn('has no DTSTART'), [{ name: undefined, text: 'has no DTSTART' }])
})

t.test('statements about one record are divided', async (t) => {
  t.equal(
    inOneLine(['title is missing.', 'has no SUMMARY', 'is tentative']),
    'title is missing. has no SUMMARY; is tentative',
  )
  t.equal(inOneLine([]), '')
})
