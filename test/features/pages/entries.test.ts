import sharp from 'sharp'
import t from 'tap'
import { withSymbols } from '../../../src/features/pages/prose.ts'
import { must } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { visit } from '../../support/pages.ts'

const DAY = { all_day: true, start_date: '2026-11-28', end_date: '2026-11-28' }
const RUNNING = { start_date: '2026-11-14 10:00:00', end_date: '2026-11-29 18:00:00' }

/** The first part of a page between two texts. */
const between = (text: string, from: string, to: string) => text.split(from)[1]!.split(to)[0]!

t.test('an event of all day has no hour, in a list and among the highlights', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/events', { ...EVENT, ...DAY, title: 'Fair', featured: true }))
  const { text } = await visit(api, '/')
  t.match(
    between(text, '<ul class="cards">', '</ul>'),
    '<p class="time"><time datetime="2026-11-28">Sat, Nov 28</time></p>',
  )
  t.match(
    between((await visit(api, '/events/')).text, '<ul class="entries">', '</ul>'),
    '<p class="time"><time datetime="2026-11-28">All day</time></p>',
  )
})

t.test('what is running is shown with its end and a small picture', async (t) => {
  const api = await build(t)
  const picture = await sharp({ create: { width: 200, height: 100, channels: 3, background: '#a31' } })
    .png()
    .toBuffer()
  const { id } = await must(
    api.editor.post('/media', picture, {
      headers: { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="icon.png"' },
    }),
  )
  await must(api.editor.post('/events', { ...EVENT, ...RUNNING, title: 'Exhibition', image: id }))
  await must(api.editor.post('/events', { ...EVENT, ...RUNNING, title: 'Workshop' }))
  const running = between((await visit(api, '/events/')).text, '<ul class="briefs">', '</ul>')
  t.match(running, '>until Sun, Nov 29</time>')
  t.match(running, /Workshop/)
  t.equal(running.match(/<div class="thumb"><img src="\/media\/2026\/11\/icon-\w+\.png"/g)?.length, 1)
})

t.test(
  'prices have their symbols where a language writes them, and times the zone before the end',
  async (t) => {
    const api = await build(t, {
      env: { LANGUAGES: 'en,ca,pt,nl', CURRENCY: 'EUR', TIMEZONE: 'Europe/Madrid' },
    })
    for (const cost of ['12', '8,50€ – 1 250 €', '$5', 'Free – 12€', 'Donation'])
      await must(api.editor.post('/events', { ...EVENT, title: cost, cost }))
    const prices = async (path: string) => {
      const facts = (await visit(api, `${path}?language=en`)).text.matchAll(
        /<p class="facts"><span>(.*?)<\/span>/g,
      )
      return [...facts].map(([, price]) => price!.replaceAll('\u00a0', '_')).sort()
    }
    t.same(await prices('/events/'), ['$5', 'Donation', 'Free – €12', '€12', '€8.50 – €1,250'])
    t.same(await prices('/ca/events/'), ['12_€', '5_$', '8,50_€ – 1.250_€', 'Donation', 'Gratuït – 12_€'])
    t.match((await prices('/pt/events/'))[0], '12_€')
    t.match((await prices('/nl/events/')).join(), '€_12')
    await must(
      api.editor.post('/events', {
        ...{ ...EVENT, title: 'Far', timezone: 'UTC+5.5' },
        ...{ start_date: '2026-12-05 20:00:00', end_date: '2026-12-07 22:00:00' },
      }),
    )
    t.match(
      (await visit(api, '/events/')).text,
      'PM</time> <abbr title="UTC+5:30">UTC+5:30</abbr> <span>until Mon, Dec 7</span>',
    )
  },
)

t.test('amounts are written as a language has them, with the decimals that they have', async (t) => {
  for (const [price, language, shown] of [
    ['6,00 € – 21,50 €', 'en', '€6.00 – €21.50'],
    ['€1250', 'en', '€1,250'],
    ['12.5€', 'ca', '12,5_€'],
    ['10,20,30 €', 'en', '€10,20,30'],
    ['Members £4, others £6.50', 'en', 'Members £4, others £6.50'],
  ] as const)
    t.equal(withSymbols(price, language).replaceAll('\u00a0', '_'), shown)
})

t.test('all translations of an event are named', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/events', { ...EVENT, slug: 'one' }))
  for (const language of ['ca', 'es']) {
    const other = { i18n_language: language, translation_of: id, slug: language }
    await must(api.editor.post('/events', { ...EVENT, ...other }))
  }
  t.match(
    (await visit(api, '/event/one/')).text,
    '<p class="translations">Also in <a href="/event/ca/" hreflang="ca" lang="ca">Català</a> · <a href="/event/es/" hreflang="es" lang="es">Español</a></p>',
  )
})

t.test('a title is written in the direction of its language', async (t) => {
  const api = await build(t, { env: { LANGUAGES: 'en,ar' } })
  const sent = {
    method: 'POST',
    url: `/ar${ROOT}/events`,
    payload: { ...EVENT, title: 'حفلة', slug: 'hafla' },
  } as const
  t.equal((await api.editor.send(sent)).status, 201)
  const { text } = await visit(api, '/events/?language=all')
  t.match(text, '<a href="/event/hafla/" lang="ar" dir="auto" hreflang="ar">حفلة</a>')
})
