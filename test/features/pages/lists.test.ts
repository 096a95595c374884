import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

/** The present moment of the tests is the morning of Saturday, 21 November 2026. */
const on = (day: string, title: string, more: object = {}) => ({
  ...EVENT,
  title,
  start_date: `2026-11-${day} 20:00:00`,
  end_date: `2026-11-${day} 22:00:00`,
  ...more,
})
const add = (api: Api, input: object) => must(api.editor.post('/events', input))
const titles = (html: string) => textsOf(html, 'h3')
const canonical = (html: string) => /<link rel="canonical" href="([^"]*)">/.exec(html)?.[1]

t.test('the calendar shows what is not over, by day', async (t) => {
  const api = await build(t, { env: { SITE_NAME: 'Town <Calendar>' } })
  await add(api, on('20', 'Over'))
  await add(
    api,
    on('21', 'This morning', { start_date: '2026-11-21 07:00:00', end_date: '2026-11-21 08:00:00' }),
  )
  await add(api, on('21', 'Tonight'))
  await add(
    api,
    on('22', 'Later', { cost: '12 €', venue: { venue: 'Hall', city: 'Vic' }, categories: ['Jazz'] }),
  )
  await add(api, on('22', 'Long', { end_date: '2026-12-24 22:00:00' }))
  await add(api, on('10', 'Exhibition', { end_date: '2026-12-24 22:00:00' }))
  await add(api, on('23', 'Hidden', { hide_from_listings: true }))
  await add(api, on('23', 'Draft', { status: 'draft' }))
  for (const path of ['/events/', '/events']) {
    const { status, headers, text } = await visit(api, path)
    t.same([status, headers['content-type']], [200, 'text/html; charset=utf-8'], path)
    t.same(titles(text), ['Exhibition', 'Tonight', 'Later', 'Long'], path)
    t.same(textsOf(text, 'h1'), ['What’s on'])
    t.match(text, '<title>What’s on · Town &lt;Calendar&gt;</title>')
    t.equal(canonical(text), 'http://calendar.test/events/')
    t.same(
      attributesOf(text, 'time', 'datetime').filter((day) => day.length === 10),
      ['2026-11-21', '2026-11-22'],
    )
    t.match(textsOf(text, 'h2').join(), /Today, Saturday, November 21.*Tomorrow, Sunday, November 22/)
    t.match(text, 'Hall, Vic')
    t.match(text, '€12')
    t.match(text, 'until Thu, Dec 24')
    t.match(text, 'href="/events/category/jazz/"')
    t.match(text, '<p class="total">3 events <a href="/events/month/2026-11/">Show as a month</a></p>')
  }
})

t.test('a calendar without events says so', async (t) => {
  const api = await build(t)
  for (const [path, title] of [
    ['/', 'The first events are on their way'],
    ['/ca/', 'Els primers esdeveniments són a punt d’arribar'],
    ['/events/', 'No events here yet'],
    ['/ca/events/', 'Encara no hi ha esdeveniments'],
    ['/es/events/', 'Todavía no hay eventos'],
    ['/events/?when=past', 'No events here yet'],
    ['/events/?search=nothing', 'Nothing found'],
  ] as const) {
    const { status, text } = await visit(api, path)
    t.equal(status, 200, path)
    t.match(text, title, path)
  }
})

t.test('long lists have pages', async (t) => {
  const api = await build(t)
  for (let number = 1; number <= 65; number++)
    await add(api, on('25', `Event ${String(number).padStart(2, '0')}`, { tags: ['all'] }))
  const first = (await visit(api, '/events/')).text
  t.equal(titles(first).length, 24)
  t.match(first, 'Page 1 of 3')
  t.match(first, '<a class="next" rel="next" href="/events/?page=2">')
  t.notMatch(first, 'rel="prev"')
  const second = (await visit(api, '/events/?page=2')).text
  t.equal(titles(second)[0], 'Event 25')
  t.match(second, '<a class="previous" rel="prev" href="/events/">')
  t.match(second, '<a href="/events/?page=2" aria-label="Page 2" aria-current="page">')
  t.equal(canonical(second), 'http://calendar.test/events/?page=2')
  const last = (await visit(api, '/ca/events/tag/all/?language=en&page=3')).text
  t.equal(titles(last).length, 17)
  t.match(last, 'href="/ca/events/tag/all/?language=en&amp;page=2"', 'pages keep the filters')
  t.notMatch(last, 'rel="next"')
  for (const page of ['4', '9999']) {
    const { status, headers, text } = await visit(api, `/events/?page=${page}`)
    t.same([status, headers['content-type']], [404, 'text/html; charset=utf-8'])
    t.match(text, 'The last page of this list is page 3.')
    t.match(text, '<a class="button" href="/events/">')
  }
})

t.test('many pages are not all linked', async (t) => {
  const api = await build(t)
  for (let number = 0; number < 180; number++) await add(api, on('25', `Event ${number}`))
  const numbers = async (page: number) => {
    const { text } = await visit(api, `/events/?page=${page}`)
    return textsOf(/<nav class="paging".*?<\/nav>/s.exec(text)![0], 'li').join(' ')
  }
  t.equal(await numbers(1), '1 2 … 8')
  t.equal(await numbers(3), '1 2 3 4 … 8')
  t.equal(await numbers(8), '1 … 7 8')
})

t.test('filters and searches select, and the form keeps them', async (t) => {
  const api = await build(t)
  const { venue } = await add(
    api,
    on('22', 'Jazz night', { categories: ['Jazz'], tags: ['live'], venue: { venue: 'Hall' } }),
  )
  await must(
    api.editor.post('/categories', {
      name: 'Bebop',
      parent: (await must(api.anonymous.get('/categories'))).categories[0].id,
    }),
  )
  await add(api, on('23', 'Bebop', { categories: ['Bebop'] }))
  await add(api, on('24', 'Reading', { tags: ['live'] }))
  const shown = async (query: string) => titles((await visit(api, `/events/${query}`)).text).join()
  t.equal(await shown('?category=jazz'), 'Jazz night,Bebop')
  t.equal(await shown('?category=bebop&tag='), 'Bebop')
  t.equal(await shown('?tag=live'), 'Jazz night,Reading')
  t.equal(await shown('?tag=live&category=jazz'), 'Jazz night')
  t.equal(await shown(`?venue=${venue.slug}`), 'Jazz night')
  t.equal(await shown('?search=READ'), 'Reading')
  t.equal(await shown('?utm_source=letter'), 'Jazz night,Bebop,Reading')
  const { text } = await visit(api, `/events/?search=night&category=jazz&tag=live&venue=${venue.slug}`)
  t.match(text, '<h1>Events with “night”</h1>')
  t.match(text, 'name="q" type="search" maxlength="200" value="night"')
  t.same(
    [...text.matchAll(/<option value="([^"]+)" selected>/g)].map(([, value]) => value),
    ['jazz', 'live', venue.slug],
  )
  t.match(text, '<meta name="robots" content="noindex">')
  t.match(text, '\u00a0\u00a0Bebop</option>', 'categories stand below their parents')
  t.match(text, '/en/calendar/events/v1/events.jsonfeed?search=night&amp;categories=jazz&amp;tags=live')
})

t.test('a language shows its own events, all of them, or those of another one', async (t) => {
  const api = await build(t)
  await add(api, on('22', 'English'))
  await add(api, on('22', 'Català', { i18n_language: 'ca' }))
  const shown = async (path: string) => {
    const { text } = await visit(api, path)
    return `${/<html lang="(\w+)" dir="ltr">/.exec(text)![1]}: ${titles(text)}`
  }
  t.equal(await shown('/events/'), 'en: English')
  t.equal(await shown('/ca/events/'), 'ca: Català')
  t.equal(await shown('/ca'), 'ca: Català')
  t.equal(await shown('/es/'), 'es: ')
  t.equal(await shown('/es/events/?language=all'), 'es: English,Català')
  t.equal(await shown('/events/?language=ca'), 'en: Català')
  const { text } = await visit(api, '/es/events/?language=ca')
  t.match(text, '<a href="/es/event/catala/" lang="ca" hreflang="ca">Català</a>')
  const all = (await visit(api, '/es/events/')).text
  t.same(attributesOf(all, 'link', 'hreflang'), ['en', 'ca', 'es', 'x-default'])
  t.match(all, '<link rel="alternate" hreflang="ca" href="http://calendar.test/ca/events/">')
  for (const [path, location] of [
    ['/en', '/'],
    ['/en/', '/'],
    ['/en/events/?page=2', '/events/?page=2'],
    ['/en/event/en/', '/event/en/'],
    ['/en//evil.test/', '/evil.test/'],
    ['/en/\\evil.test/', '/evil.test/'],
  ] as const) {
    const { status, headers } = await visit(api, path)
    t.same([status, headers.location], [301, location])
  }
})

t.test('the past is listed backwards, and what began before today has a list of its own', async (t) => {
  const api = await build(t)
  await add(api, on('18', 'Older'))
  await add(api, on('19', 'Newer'))
  for (let number = 1; number <= 7; number++)
    await add(
      api,
      on('19', `Running ${number}`, { end_date: `2026-11-2${8 - number} 22:00:00`, tags: ['x'] }),
    )
  const past = (await visit(api, '/events/?when=past')).text
  t.same(titles(past), ['Newer', 'Older'])
  t.match(past, '<a href="/events/">Upcoming events</a>')
  const { text } = await visit(api, '/events/?tag=x')
  t.same(
    titles(text),
    [7, 6, 5, 4, 3, 2].map((number) => `Running ${number}`),
    'what ends first stands first',
  )
  t.match(text, '<a href="/events/?tag=x&amp;when=now">Everything that is on now</a>')
  t.match(text, '<a href="/events/?tag=x&amp;when=past">Past events</a>')
  const now = (await visit(api, '/events/?when=now')).text
  t.equal(titles(now).length, 7)
  t.match(now, '<h1>On now</h1>')
  t.match(now, '<input type="hidden" name="when" value="now">')
})

t.test('what can not be shown is told in words, with a way back', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/venues', { venue: 'Secret', status: 'private' }))
  for (const [path, status, words] of [
    ['/events/?page=0', 400, 'This address cannot be read'],
    ['/events/?page=x', 400, 'This address cannot be read'],
    ['/events/?page=1000000', 400, 'This address cannot be read'],
    ['/events/?when=soon', 400, 'This address cannot be read'],
    ['/events/?language=fr', 400, 'This address cannot be read'],
    ['/events/?search=""', 400, 'Please enter at least one word'],
    [`/events/?search=${'a%20b'.repeat(500)}`, 400, 'Please enter fewer words'],
    [
      `/events/?search=${Array.from({ length: 21 }, (_, at) => `w${at}w`).join('%20')}`,
      400,
      'Please enter fewer words',
    ],
    ['/events/?category=none', 404, 'There is nothing named “none” in this calendar.'],
    ['/events/?tag=<script>', 404, 'There is nothing named “&lt;script&gt;” in this calendar.'],
    ['/events/?venue=none', 404, 'This filter does not exist'],
    ['/events/?venue=secret', 404, 'This filter does not exist'],
    ['/ca/events/?venue=none', 404, 'Aquest filtre no existeix'],
    ['/nowhere', 404, 'This page does not exist'],
    ['/es/nowhere', 404, 'Esta página no existe'],
    ['/fr/events/', 404, 'This page does not exist'],
    ['/event/%zz', 400, 'This address cannot be read'],
  ] as const) {
    const answer = await visit(api, path)
    t.same([answer.status, answer.headers['content-type']], [status, 'text/html; charset=utf-8'], path)
    t.match(answer.text, words, path)
    t.match(answer.text, /<a class="button" href="(\/\w\w)?\/events\/">/)
    t.match(answer.headers['content-security-policy'], "script-src 'self'", path)
    t.match(answer.text, '<meta name="robots" content="noindex">')
  }
})
