import t from 'tap'
import { countryIn } from '../../../src/features/pages/place.ts'
import { must } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

t.test('a venue and an organizer have pages with their events', async (t) => {
  const api = await build(t)
  const venue = {
    venue: 'Hall',
    address: 'Main 1',
    city: 'Vic',
    phone: '+34 93 000 00 00',
    website: 'https://hall.test',
    description: '<p>By the river.</p>',
  }
  const organizer = {
    organizer: 'Choir',
    email: 'hello@choir.test',
    phone: '1 2 3',
    website: 'https://choir.test',
  }
  await must(
    api.editor.post('/events', {
      ...EVENT,
      title: 'Concert',
      start_date: '2026-11-28 20:00',
      end_date: '2026-11-28 22:00',
      venue,
      organizer,
    }),
  )
  await must(
    api.editor.post('/events', {
      ...EVENT,
      title: 'Elsewhere',
      start_date: '2026-11-28 20:00',
      end_date: '2026-11-28 22:00',
    }),
  )
  const place = (await visit(api, '/venue/hall/')).text
  t.same([textsOf(place, 'h1'), textsOf(place, 'h3')], [['Hall'], ['Concert']])
  t.match(place, 'Main 1, Vic')
  t.match(place, '<a href="tel:+34930000000">+34 93 000 00 00</a>')
  t.match(place, '<p>By the river.</p>')
  t.match(place, /"@type":"Place"/)
  t.match(place, /events\.jsonfeed\?venue=\d+&amp;when=upcoming"/)
  t.same(attributesOf(place, 'link', 'hreflang'), ['en', 'ca', 'es', 'x-default'])
  const host = (await visit(api, '/ca/organizer/choir/')).text
  t.same([textsOf(host, 'h1'), textsOf(host, 'h3')], [['Choir'], []])
  t.match(host, '<a href="mailto:hello@choir.test">hello@choir.test</a>')
  t.match(host, '<p class="kind">Organització</p>')
  t.match(host, '<link rel="canonical" href="http://calendar.test/ca/organizer/choir/">')
  t.match(textsOf((await visit(api, '/venue/hall/?when=past')).text, 'h1')[0], 'Past events: Hall')
})

t.test('a venue in another language leads to its translation', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/venues', { venue: 'Lighthouse' }))
  await must(api.editor.post('/venues', { venue: 'Far', i18n_language: 'ca', translation_of: id }))
  t.match(await visit(api, '/ca/venue/lighthouse/'), { status: 302, headers: { location: '/ca/venue/far/' } })
  t.match(await visit(api, '/venue/far/'), { status: 302, headers: { location: '/venue/lighthouse/' } })
  t.match(await visit(api, '/es/venue/far/'), { status: 200, text: '<html lang="es"' })
})

t.test('a category shows the events in it and below it, a tag its own', async (t) => {
  const api = await build(t)
  const arts = await must(api.editor.post('/categories', { name: 'Arts', description: 'All <b>arts</b>' }))
  await must(api.editor.post('/categories', { name: 'Music', parent: arts.id }))
  await must(api.editor.post('/categories', { name: 'Unused', parent: arts.id }))
  const day = { start_date: '2026-11-28 20:00', end_date: '2026-11-28 22:00' }
  await must(
    api.editor.post('/events', { ...EVENT, ...day, title: 'Concert', categories: ['music'], tags: ['live'] }),
  )
  const { text } = await visit(api, '/events/category/arts/')
  t.same([textsOf(text, 'h1'), textsOf(text, 'h3')], [['Arts'], ['Concert']])
  t.match(text, 'All <b>arts</b>')
  t.match(text, '<a href="/events/category/music/">Music</a>')
  t.notMatch(text, 'Unused')
  t.match(text, '/events.jsonfeed?categories=arts')
  const tag = (await visit(api, '/events/tag/live/')).text
  t.same([textsOf(tag, 'h1'), textsOf(tag, 'h3')], [['live'], ['Concert']])
  t.match(tag, '/events.jsonfeed?tags=live')
  t.match(await visit(api, '/events/tag/live/?page=2'), { status: 404, text: 'The last page' })
})

t.test(
  'a term of another language leads to its translation, or shows the events of that language',
  async (t) => {
    const api = await build(t)
    const { id } = await must(api.editor.post('/tags', { name: 'Night' }))
    await must(api.editor.post('/tags', { name: 'Nit', i18n_language: 'ca', translation_of: id }))
    t.match(await visit(api, '/ca/events/tag/night/'), {
      status: 302,
      headers: { location: '/events/tag/nit/' },
    })
    const { text } = await visit(api, '/events/tag/nit/')
    t.match(text, '<html lang="ca"')
    t.match(text, '<link rel="alternate" hreflang="en" href="http://calendar.test/events/tag/night/">')
    t.match(text, '<link rel="alternate" hreflang="es" href="http://calendar.test/es/events/tag/night/">')
    t.match(await visit(api, '/es/events/tag/nit/'), { status: 200, text: '<html lang="es"' })
  },
)

t.test('what is not there is told', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/venues', { venue: 'Gone' }))
  await must(api.editor.delete(`/venues/${id}`))
  await must(api.editor.post('/organizers', { organizer: 'Secret', status: 'private' }))
  for (const [path, status] of [
    ['/venue/none/', 404],
    ['/venue/gone/', 410],
    ['/organizer/secret/', 404],
    ['/events/category/none/', 404],
    ['/ca/events/tag/none/', 404],
  ] as const) {
    const answer = await visit(api, path)
    t.same([answer.status, answer.headers['content-type']], [status, 'text/html; charset=utf-8'], path)
    t.notMatch(answer.text, 'Secret')
  }
})

t.test('a country is named in the language of the page', async (t) => {
  for (const [country, language, shown] of [
    ['Spain', 'ca', 'Espanya'],
    ['ES', 'en', 'Spain'],
    ['espanya', 'de', 'Spanien'],
    ['Deutschland', 'eu', 'Alemania'],
    ['USA', 'es', 'Estados Unidos'],
    ['UK', 'fr', 'Royaume-Uni'],
    ['Narnia', 'ca', 'Narnia'],
    ['', 'ca', ''],
  ] as const)
    for (let time = 0; time < 2; time++)
      t.equal(countryIn(country, language), shown, `${country} ${language}`)
})

t.test(
  'events have their places and organizers in the language of the page, where it has them',
  async (t) => {
    const api = await build(t, { env: { LANGUAGES: 'en,ca,es' } })
    const { editor } = api
    const hall = await must(
      editor.post('/venues', { venue: 'City Hall', country: 'Spain', city: 'Vic', i18n_language: 'en' }),
    )
    const own = { i18n_language: 'ca', translation_of: hall.id, country: 'Spain' }
    const catalan = await must(editor.post('/venues', { venue: 'Ajuntament', ...own }))
    const band = await must(editor.post('/organizers', { organizer: 'Band', i18n_language: 'en' }))
    const recurrence = { rrule: 'FREQ=DAILY;COUNT=2' }
    const event = { ...EVENT, venue: hall.id, organizer: band.id, i18n_language: 'ca' }
    await must(editor.post('/events', { ...event, title: 'Ball' }))
    await must(editor.post('/events', { ...event, title: 'Cor', recurrence }))
    const pages = ['/ca/events/', '/event/ball/', '/series/cor/', '/ca/events/month/2026-12/']
    for (const path of pages) {
      const { text } = await visit(api, path)
      t.match(text, 'Ajuntament', path)
      t.notMatch(text, 'City Hall, Vic', path)
    }
    const { text } = await visit(api, '/event/ball/')
    t.match(text, '<a href="/ca/venue/ajuntament/">Ajuntament</a>')
    t.match(text, '<a href="/ca/organizer/band/" lang="en">Band</a>')
    t.match(text, 'Vic, Espanya</p>')
    await must(editor.patch(`/venues/${catalan.id}`, { status: 'draft' }))
    t.match((await visit(api, '/event/ball/')).text, '<a href="/ca/venue/city-hall/" lang="en">City Hall</a>')
  },
)

t.test('texts of the other direction are set apart', async (t) => {
  const api = await build(t, { env: { LANGUAGES: 'en,ar' } })
  const venue = { venue: 'قاعة', city: 'دبي' }
  await must(api.editor.post('/events', { ...EVENT, title: 'حفلة 2026', slug: 'hafla', venue }))
  const { text } = await visit(api, '/event/hafla/')
  t.match(text, '<h1 dir="auto">حفلة 2026</h1>')
  t.match(text, /<a href="[^"]*" dir="auto">قاعة<\/a>/)
  t.match((await visit(api, '/events/')).text, '<span dir="auto">قاعة, دبي</span>')
  const payload = { ...EVENT, title: 'Jazz', slug: 'jazz' }
  await api.editor.send({ method: 'POST', url: `/ar${ROOT}/events`, payload })
  t.match((await visit(api, '/event/jazz/')).text, '<h1 dir="auto">Jazz</h1>')
})
