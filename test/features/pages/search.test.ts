import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

const LANGUAGES = { env: { LANGUAGES: 'en,ca,es' } }

t.test('the search of the pages finds places and towns, and tells what it took for what', async (t) => {
  const api = await build(t, LANGUAGES)
  const venue = { venue: 'Sala Apolo', city: 'Palafrugell' }
  for (const language of ['en', 'ca', 'es'])
    await must(
      api.editor.post('/events', {
        ...EVENT,
        title: `Jazz ${language}`,
        i18n_language: language,
        venue,
        start_date: '2026-11-25 20:00:00',
        end_date: '2026-11-25 21:00:00',
      }),
    )
  for (const [path, title, note] of [
    ['/events/?q=apolo', 'Jazz en', []],
    ['/events/?q=palafrugel', 'Jazz en', []],
    [
      '/events/?q=Apolo+palafurgell',
      'Jazz en',
      ['Showing results for “Apolo palafrugell”. Nothing was found for “palafurgell”.'],
    ],
    [
      '/ca/events/?q=palafurgell',
      'Jazz ca',
      ['Es mostren els resultats de «palafrugell». No s’ha trobat res amb «palafurgell».'],
    ],
    [
      '/es/events/?q=palafurgell',
      'Jazz es',
      ['Se muestran los resultados de «palafrugell». No se ha encontrado nada con «palafurgell».'],
    ],
    [
      '/events/?q=palafurgell&search=jazz',
      'Jazz en',
      ['Showing results for “palafrugell”. Nothing was found for “palafurgell”.'],
    ],
    [
      '/events/day/2026-11-25/?q=palafurgell',
      'Jazz en',
      ['Showing results for “palafrugell”. Nothing was found for “palafurgell”.'],
    ],
    [
      '/embed/?q=palafurgell',
      'Jazz en',
      ['Showing results for “palafrugell”. Nothing was found for “palafurgell”.'],
    ],
  ] as const) {
    const { text } = await visit(api, path)
    t.same(
      textsOf(text, 'h3').filter((one) => one.startsWith('Jazz')),
      [title],
      path,
    )
    t.same(
      textsOf(text, 'p').filter((one) => /^(Showing|Es mostren|Se muestran) /.test(one)),
      note,
      path,
    )
  }
  for (const path of [
    '/events/month/2026-11/?q=palafurgell',
    '/embed/?view=month&month=2026-11&q=palafurgell',
  ])
    t.match((await visit(api, path)).text, /Showing results for “palafrugell”.*Jazz en/s, path)
  const { text } = await visit(api, '/events/?q=palafurgell')
  t.match(text, '<title>Events with “palafrugell” · Almanac</title>')
  t.same(attributesOf(text, 'input', 'value').slice(0, 2), ['palafurgell', 'palafurgell'])
  t.match(text, '/en/calendar/events/v1/events.jsonfeed?q=palafurgell')
  t.match(text, '<meta name="robots" content="noindex">')
})

t.test('a search without words, or with too many, is told as one', async (t) => {
  const api = await build(t)
  for (const [q, words] of [
    ['%22%22', 'Please enter at least one word'],
    ['a%20b'.repeat(500), 'Please enter fewer words'],
    [Array.from({ length: 21 }, (_, at) => `w${at}w`).join('%20'), 'Please enter fewer words'],
  ] as const) {
    const { status, text } = await visit(api, `/events/?q=${q}`)
    t.match({ status, text }, { status: 400, text: words })
  }
  t.match(await visit(api, '/events/?q='), { status: 200 })
})

t.test('the fields of searches know where to ask, in the language of the page', async (t) => {
  const api = await build(t, { env: { ...LANGUAGES.env, BASE_URL: 'http://calendar.test/town' } })
  const { text } = await visit(api, '/town/ca/events/')
  for (const name of ['data-suggest', 'data-pages', 'data-site', 'data-name'])
    t.equal(attributesOf(text, 'input', name).length, 1, name)
  t.match(text, / data-suggest>/, 'another field takes them from the first')
  t.equal(attributesOf(text, 'input', 'data-suggest')[0], '/town/ca/calendar/events/v1/suggest')
  t.equal(attributesOf(text, 'input', 'data-pages')[0], '/town/ca/')
  t.equal((await api.anonymous.get('//town/ca/calendar/events/v1/suggest?q=x')).status, 200)
  const [, script] = /<script src="([^"]*calendar-[^"]*)"/.exec(text)!
  const [, name] = /import\('\.\/(suggest-[^']+)'\)/.exec((await visit(api, script!)).text)!
  t.match((await visit(api, `/town/assets/${name}`)).text, 'aria-activedescendant')
})
