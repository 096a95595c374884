import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { textsOf, visit } from '../../support/pages.ts'
import { draw } from '../../support/pictures.ts'

/** The present moment of the tests is the morning of Saturday, 21 November 2026. */
const on = (day: string, title: string, more: object = {}) => ({
  ...EVENT,
  title,
  start_date: `2026-11-${day} 18:00:00`,
  end_date: `2026-11-${day} 19:00:00`,
  ...more,
})
const add = (api: Api, input: object) => must(api.editor.post('/events', input))
const titles = (html: string) => textsOf(html, 'h3')
const seriesOf = async (api: Api, { series }: { series: number }) =>
  (await must(api.editor.get(`/series/${series}`))) as { id: number; slug: string }
const WEEKLY = { recurrence: { rrule: 'FREQ=WEEKLY;COUNT=10' } }
const DAILY = { recurrence: { rrule: 'FREQ=DAILY;COUNT=60' } }

t.test('lists show each series once, with how it repeats and the way to all of its dates', async (t) => {
  const api = await build(t)
  await add(
    api,
    on('22', 'Yoga', { ...DAILY, venue: { venue: 'Hall' }, categories: ['Sport'], featured: true }),
  )
  await add(api, on('24', 'Choir', WEEKLY))
  await add(api, on('25', 'Talk'))
  for (const path of [
    '/events/',
    '/venue/hall/',
    '/events/category/sport/',
    '/events/?search=yoga',
    '/embed/',
  ])
    t.equal((await visit(api, path)).text.match(/>Yoga</g)?.length, 1, path)
  const { text } = await visit(api, '/events/')
  t.same(titles(text), ['Yoga', 'Choir', 'Talk'])
  t.match(
    text,
    '<p class="repeats"><span>Every day, 60 times</span> · <a href="/series/yoga/">59 more dates</a></p>',
  )
  t.match(text, '<span>Every Tuesday, 10 times</span> · <a href="/series/choir/">9 more dates</a>')
  t.match(text, '<p class="total">3 events')
  const first = (await visit(api, '/')).text
  t.equal(first.match(/59 more dates/g)?.length, 1, 'among the highlights, and nowhere else')
  t.match((await visit(api, '/es/events/?language=all')).text, 'Cada día, 60 veces')
  api.clock.now = Date.parse('2027-01-20T20:00:00Z')
  t.notMatch((await visit(api, '/events/')).text, 'more date', 'the last one stands for itself')
  const past = (await visit(api, '/events/?when=past')).text
  t.same(titles(past), ['Yoga', 'Choir', 'Talk'], 'of what is over the last one')
  t.match(past, 'Wednesday, January 20')
})

t.test('what is running stands once for its series', async (t) => {
  const api = await build(t)
  const day = { all_day: true, start_date: '2026-11-18', end_date: '2026-11-22' }
  await add(api, { ...EVENT, title: 'Fair', ...day, recurrence: { rrule: 'FREQ=DAILY;COUNT=3' } })
  const { text } = await visit(api, '/')
  t.same(titles(text), ['Fair'])
  t.match(text, '2 more dates')
})

t.test('the page of an event tells how it repeats, its next dates, and leads to the others', async (t) => {
  const api = await build(t)
  const choir = await add(api, on('17', 'Choir', WEEKLY))
  const series = await seriesOf(api, choir)
  const { events } = (await api.anonymous.get(`/events?series=${series.id}&when=all`)).body
  await must(api.editor.patch(`/events/${events[2].id}`, { event_status: 'cancelled' }))
  await must(
    api.editor.patch(`/events/${events[3].id}`, {
      start_date: '2026-12-08 20:30:00',
      end_date: '2026-12-08 21:00:00',
    }),
  )
  const first = (await visit(api, new URL(events[1].url).pathname)).text
  t.match(first, '<dt>Repeats</dt><dd><p>Every Tuesday, 10 times</p>')
  const dates = /<ul class="dates">(.*?)<\/ul>/s.exec(first)![1]!
  t.same(textsOf(dates, 'li'), [
    'Tue, Dec 1 Cancelled',
    'Tue, Dec 8 · 8:30 PM',
    'Tue, Dec 15',
    'Tue, Dec 22',
    'Tue, Dec 29',
  ])
  t.match(first, '<a href="/series/choir/">3 more dates</a>')
  const over = (await visit(api, new URL(events[0].url).pathname)).text
  t.match(over, '<a href="/series/choir/">4 more dates</a>')
  api.clock.now = Date.parse('2027-01-19T09:00:00Z')
  const last = (await visit(api, new URL(events[9].url).pathname)).text
  t.match(last, '<p>Every Tuesday, 10 times</p>\n\n<p><a href="/series/choir/">All dates</a></p>')
  await must(api.editor.patch(`/series/${series.id}`, { status: 'draft' }))
  await must(api.editor.patch(`/events/${events[9].id}`, { status: 'publish' }))
  t.notMatch(
    (await visit(api, new URL(events[9].url).pathname)).text,
    'Repeats',
    'of a draft nothing is told',
  )
  await must(api.editor.patch(`/events/${events[8].id}`, { status: 'publish' }))
  api.clock.now = Date.parse('2027-01-21T09:00:00Z')
  const list = (await visit(api, '/events/?when=past')).text
  t.same(titles(list), ['Choir'])
  t.notMatch(list, 'more date')
})

t.test('a series has a page, with all of its dates', async (t) => {
  const api = await build(t)
  const image = await must(
    api.editor.post('/media', await draw(64, 48), {
      headers: { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="choir.png"' },
    }),
  )
  const choir = await add(
    api,
    on('17', 'Choir', {
      recurrence: { rrule: 'FREQ=DAILY;COUNT=50' },
      image: image.id,
      ...{ description: '<p>We sing.</p>', excerpt: 'Singing', venue: { venue: 'Hall' }, cost: '5 €' },
    }),
  )
  const { id } = await seriesOf(api, choir)
  const { events } = (await api.anonymous.get(`/events?series=${id}&when=all&per_page=50`)).body
  await must(api.editor.patch(`/events/${events[5].id}`, { title: 'Open choir', venue: { venue: 'Church' } }))
  await must(
    api.editor.patch(`/events/${events[6].id}`, {
      all_day: true,
      start_date: '2026-11-23',
      end_date: '2026-11-23',
    }),
  )
  await must(
    api.editor.patch(`/events/${events[7].id}`, {
      start_date: '2026-11-24 18:00:00',
      end_date: '2026-11-26 19:00:00',
    }),
  )
  const { status, text, headers } = await visit(api, '/series/choir/')
  t.equal(status, 200)
  t.ok(headers.etag)
  t.match(text, /<div class="doing"><details class="add">.*<div class="share" hidden>/s)
  t.same(textsOf(text, 'h1'), ['Choir'])
  t.same(textsOf(text, 'h2').slice(0, 1), ['Coming dates'])
  t.match(text, '<dt>Repeats</dt><dd><p>Every day, 50 times</p>')
  t.match(text, 'href="/venue/hall/"')
  t.match(text, '<p>We sing.</p>')
  t.match(text, '<div class="cover"><img src="/media/')
  t.match(text, 'property="og:image"')
  t.match(text, '<link rel="canonical" href="http://calendar.test/series/choir/">')
  t.match(text, `/series/${id}.ics"`, 'the calendar with all of its dates')
  t.match(text, '"@type":"EventSeries"')
  t.match(text, '<p class="total">46 dates · Page 1 of 2</p>')
  const lists = [...text.matchAll(/<ol class="leaves">(.*?)<\/ol>/gs)].map(([, list]) => list!)
  t.same(textsOf(text, 'h3'), ['November 2026', 'December 2026'])
  t.equal(lists.flatMap((list) => textsOf(list, 'li')).length, 24)
  const dates = textsOf(lists[0]!, 'li')
  t.match(dates[0], /^Saturday, November 21, 202621Saturday 6:00.*7:00\sPM$/u)
  t.match(dates[1], /^Sunday, November 22, 2026.*Open choirOther place: Church$/)
  t.equal(dates[2], 'Monday, November 23, 202623Monday All dayOther time')
  t.match(dates[3], /November 24, 2026.*November 26, 2026.* until Thu, Nov 26$/)
  t.match(text, 'href="/series/choir/?page=2"')
  t.match((await visit(api, '/series/choir/?page=2')).text, 'Page 2 of 2')
  const past = (await visit(api, '/series/choir/?when=past')).text
  t.match(past, '<p class="total">4 dates</p>')
  t.match(past, '<title>Past events: Choir')
  t.match(past, '>Coming dates</a>')
  t.equal((await visit(api, '/series/choir/?page=9')).status, 404)
  t.equal((await visit(api, `/series/${id}/`)).headers.location, '/series/choir/')
  api.clock.now = Date.parse('2027-06-01T09:00:00Z')
  const ended = (await visit(api, '/series/choir/')).text
  t.match(ended, 'No dates are planned at the moment.')
  t.notMatch(ended, 'class="add"')
  await must(api.editor.delete(`/series/${id}`))
  t.equal((await visit(api, '/series/choir/')).status, 410)
  const missing = await visit(api, '/series/never/')
  t.same([missing.status, textsOf(missing.text, 'h1')], [404, ['There is no such series']])
})

t.test('a series says what is different on a date, and that all of it is off', async (t) => {
  const api = await build(t)
  const choir = await add(api, on('24', 'Choir', { ...WEEKLY, cost: '5 €' }))
  const { id } = await seriesOf(api, choir)
  const { events } = (await api.anonymous.get(`/events?series=${id}&when=all`)).body
  await must(api.editor.patch(`/events/${events[1].id}`, { event_status: 'cancelled' }))
  await must(
    api.editor.patch(`/events/${events[2].id}`, {
      start_date: '2026-12-08 20:30:00',
      end_date: '2026-12-08 21:00:00',
      cost: '7 €',
    }),
  )
  const read = async () => (await visit(api, '/series/choir/')).text
  const text = await read()
  t.match(text, '<p class="leaf" aria-hidden="true"><span class="label">Next date</span><span>Tuesday</span>')
  const dates = [...text.matchAll(/<ol class="leaves">(.*?)<\/ol>/gs)].flatMap(([, list]) =>
    textsOf(list!, 'li'),
  )
  t.match(dates[0], /PM$/)
  t.match(dates[1], /PM Cancelled$/)
  t.match(text, '<span class="number" aria-hidden="true"><s>1</s></span>')
  t.match(dates[2], /8:30.*PMOther timeOther price: €7$/u)
  await must(
    api.editor.patch(`/series/${id}`, { event_status: 'postponed', event_status_reason: 'Too cold' }),
  )
  const off = await read()
  t.match(off, /<p class="state postponed">This event is postponed.*<span>Too cold<\/span><\/p>/)
  t.notMatch(off, 'class="add"')
})

t.test('a series of which nothing has passed says so', async (t) => {
  const api = await build(t)
  await add(api, on('24', 'Choir', WEEKLY))
  t.match((await visit(api, '/series/choir/?when=past')).text, 'No date has passed yet.')
})

t.test('a protected series shows when it is, and nothing else', async (t) => {
  const api = await build(t)
  await add(
    api,
    on('24', 'Club', { ...WEEKLY, password: 'x', description: '<p>Secret</p>', venue: { venue: 'Den' } }),
  )
  const { text } = await visit(api, '/series/club/')
  t.match(text, 'protected by a password')
  t.match(text, 'Every Tuesday')
  t.notMatch(text, /Secret|Den/)
  t.match(text, '<meta name="robots" content="noindex">')
  t.notMatch((await visit(api, '/sitemap.xml')).text, 'sitemap-series')
})

t.test('a series is in its language, with its translations, and in the site map', async (t) => {
  const api = await build(t)
  const choir = await add(api, on('24', 'Choir', WEEKLY))
  const { id } = await seriesOf(api, choir)
  const catalan = await api.editor.post('/series', {
    ...on('24', 'Cor', WEEKLY),
    ...{ i18n_language: 'ca', translation_of: id },
  })
  t.equal(catalan.status, 201, catalan.text)
  const own = (await visit(api, '/series/choir/')).text
  t.match(own, '<a href="/series/cor/" hreflang="ca" lang="ca">Català</a>')
  const other = (await visit(api, '/series/cor/')).text
  t.match(other, '<html lang="ca"')
  t.match(other, 'Cada dimarts, 10 vegades')
  await must(
    api.editor.post('/series', {
      ...{ ...on('24', 'Coro', WEEKLY), i18n_language: 'es', translation_of: id },
    }),
  )
  t.match((await visit(api, '/series/cor/')).text, 'lang="en">English</a> · <a href="/series/coro/"')
  t.equal((await visit(api, '/ca/series/choir/')).headers.location, '/series/cor/')
  await must(
    api.editor.delete(`/series/${(await must(api.editor.get('/series/by-slug/coro'))).id}?force=true`),
  )
  t.match((await visit(api, '/es/series/choir/')).text, '<h1 lang="en">Choir</h1>')
  const index = (await visit(api, '/sitemap.xml')).text
  t.match(index, 'http://calendar.test/sitemap-series-1.xml')
  const map = (await visit(api, '/sitemap-series-1.xml')).text
  t.match(map, '<loc>http://calendar.test/series/choir/</loc>')
  t.match(map, 'hreflang="ca" href="http://calendar.test/series/cor/"')
})
