import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

const HALL = {
  venue: 'Hall',
  address: 'Main Street 1',
  city: 'Vic',
  zip: '08500',
  country: 'Spain',
  geo_lat: 41.93,
  geo_lng: 2.25,
}
const FULL = {
  ...EVENT,
  title: 'Concert',
  start_date: '2026-11-28 20:00:00',
  end_date: '2026-11-28 22:00:00',
  description: '<p>With a <b>choir</b>.</p>',
  excerpt: '<p>A night of songs.</p>',
  cost: 'Free – 12 €',
  website: 'https://www.concert.test/',
  venue: HALL,
  organizer: [{ organizer: 'Choir' }, { organizer: 'Band' }],
  categories: ['Music'],
  tags: ['live'],
}
const data = (html: string) =>
  JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)![1]!)

t.test('a page names the site that its event was taken from', async (t) => {
  const { editor, ...api } = await build(t)
  const from = { ...EVENT, source: 'club.example', external_id: '1' }
  await must(editor.post('/events', { ...from, title: 'Linked', website: 'https://club.example/one' }))
  await must(editor.post('/events', { ...from, title: 'Plain', external_id: '2' }))
  await must(editor.post('/events', { ...from, title: 'Inside', source: 'crm' }))
  const recurrence = { rrule: 'FREQ=DAILY;COUNT=2' }
  const date = await must(editor.post('/events', { ...EVENT, title: 'Daily', recurrence }))
  await must(editor.patch(`/series/${date.series}`, { source: 'band.example:81', external_id: '1' }))
  const pageOf = async (path: string) => (await visit({ editor, ...api }, path)).text
  t.match(
    await pageOf('/event/linked/'),
    '<div><dt>From</dt><dd><a href="https://club.example/one" rel="noopener">club.example</a></dd></div>',
  )
  t.match(await pageOf('/event/plain/'), '<div><dt>From</dt><dd>club.example</dd></div>')
  t.notMatch(await pageOf('/event/inside/'), '<dt>From</dt>')
  t.match(await pageOf(new URL(date.url).pathname), '<dt>From</dt><dd>band.example:81</dd>')
})

t.test('a page tells all about its event', async (t) => {
  const { editor, ...api } = await build(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  const event = await must(editor.post('/events', FULL))
  const { status, text } = await visit({ editor, ...api }, '/event/concert/')
  t.equal(status, 200)
  t.same(textsOf(text, 'h1'), ['Concert'])
  t.match(
    text,
    '<time datetime="2026-11-28T20:00:00+01:00" data-here="In your time zone: {time}">Saturday, November 28, 2026</time>',
  )
  t.match(text, /8:00\s–\s10:00\sPM/u)
  t.match(text, '<a href="/venue/hall/">Hall</a>')
  t.match(text, 'Main Street 1, 08500 Vic, Spain')
  t.match(text, 'https://www.openstreetmap.org/?mlat=41.93&amp;mlon=2.25#map=17/41.93/2.25')
  t.match(text, '<dd><span>Free – €12</span></dd>')
  t.match(text, '<dt>Organizers</dt>')
  t.match(text, '<a href="/organizer/choir/">Choir</a>')
  t.match(
    text,
    '<a class="button" href="https://www.concert.test/" rel="noopener">Visit the website</a> <span>concert.test</span>',
  )
  t.match(text, '<p>With a <b>choir</b>.</p>')
  t.match(text, '<meta name="description" content="A night of songs.">')
  t.match(text, '<meta property="og:title" content="Concert">')
  t.match(text, '<link rel="canonical" href="http://calendar.test/event/concert/">')
  t.match(text, `<a href="/calendar/events/v1/events/${event.id}.ics">`)
  for (const term of ['/events/category/music/', '/events/tag/live/']) t.match(text, `href="${term}"`)
  t.match(data(text), {
    '@type': 'Event',
    name: 'Concert',
    url: 'http://calendar.test/event/concert/',
    location: { '@type': 'Place', url: 'http://calendar.test/venue/hall/' },
  })
})

t.test('web calendars are told what they need', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  await must(api.editor.post('/events', FULL))
  await must(
    api.editor.post('/events', {
      ...EVENT,
      title: 'Fair',
      all_day: true,
      start_date: '2026-12-05',
      end_date: '2026-12-06',
    }),
  )
  const links = async (slug: string) => {
    const all = attributesOf((await visit(api, `/event/${slug}/`)).text, 'a', 'href').map(
      (href) => new URL(href, 'http://calendar.test'),
    )
    const of = (host: string) => Object.fromEntries(all.find((url) => url.host === host)!.searchParams)
    return [of('calendar.google.com'), of('outlook.live.com')]
  }
  t.match(await links('concert'), [
    {
      action: 'TEMPLATE',
      text: 'Concert',
      dates: '20261128T190000Z/20261128T210000Z',
      details: 'A night of songs.\n\nhttp://calendar.test/event/concert/',
      location: 'Hall, Main Street 1, 08500 Vic, Spain',
    },
    { subject: 'Concert', startdt: '2026-11-28T19:00:00Z', enddt: '2026-11-28T21:00:00Z', rru: 'addevent' },
  ])
  t.match(await links('fair'), [
    { dates: '20261205/20261207', details: 'http://calendar.test/event/fair/', location: '' },
    { startdt: '2026-12-05', enddt: '2026-12-07', allday: 'true' },
  ])
})

t.test('dates of every kind', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  const when = async (more: object, language = 'en') => {
    const { slug } = await must(
      api.editor.post('/events', { ...EVENT, title: 'Event', ...more, i18n_language: language }),
    )
    const { text } = await visit(api, `/event/${slug}/`)
    return /<dl class="facts">\s*<div><dt>[^<]*<\/dt><dd>(.*?)<\/dd>/s
      .exec(text)![1]!
      .replace(/<[^>]*>/g, ' ')
      .replace(/[\s\u202f\u2009]+/g, ' ')
      .trim()
  }
  const hours = (start_date: string, end_date: string, timezone = 'Europe/Madrid') => ({
    start_date,
    end_date,
    timezone,
  })
  for (const [more, language, expected] of [
    [hours('2026-12-05 20:00:00', '2026-12-05 20:00:00'), 'en', 'Saturday, December 5, 2026 8:00 PM'],
    [
      hours('2026-12-05 22:00:00', '2026-12-06 02:00:00'),
      'en',
      'Saturday, December 5, 2026 10:00 PM – 2:00 AM',
    ],
    [
      hours('2026-12-05 20:00:00', '2026-12-05 22:00:00'),
      'ca',
      'dissabte, 5 de desembre del 2026 20:00–22:00',
    ],
    [
      hours('2026-12-05 20:00:00', '2026-12-07 22:00:00'),
      'es',
      'sábado, 5 de diciembre de 2026, 20:00 – lunes, 7 de diciembre de 2026, 22:00',
    ],
    [{ all_day: true, start_date: '2026-12-05', end_date: '2026-12-05' }, 'en', 'Saturday, December 5, 2026'],
    [
      { all_day: true, start_date: '2026-12-05', end_date: '2026-12-06' },
      'en',
      'Saturday, December 5 – Sunday, December 6, 2026',
    ],
    [
      hours('2026-12-05 20:00:00', '2026-12-05 22:00:00', 'Asia/Tokyo'),
      'en',
      'Saturday, December 5, 2026 8:00 – 10:00 PM Japan Standard Time',
    ],
    [
      hours('2026-12-05 20:00:00', '2026-12-06 22:00:00', 'UTC+5.5'),
      'en',
      'Saturday, December 5, 2026 at 8:00 PM – Sunday, December 6, 2026 at 10:00 PM UTC+5:30',
    ],
    [
      hours('2026-12-05 20:00:00', '2026-12-05 22:00:00', 'Europe/Paris'),
      'en',
      'Saturday, December 5, 2026 8:00 – 10:00 PM',
    ],
  ] as const)
    t.equal(await when(more, language), expected)
})

t.test('places without coordinates, without an address, and without a map', async (t) => {
  const api = await build(t)
  const map = async (venue: object) => {
    const { slug } = await must(api.editor.post('/events', { ...EVENT, title: 'Event', venue }))
    return attributesOf((await visit(api, `/event/${slug}/`)).text, 'a', 'href').find((href) =>
      href.includes('openstreetmap'),
    )
  }
  t.equal(
    await map({ venue: 'A', address: 'Main 1', city: 'Vic' }),
    'https://www.openstreetmap.org/search?query=Main+1%2C+Vic',
  )
  t.equal(await map({ venue: 'B', city: 'Vic' }), undefined)
  t.equal(await map({ ...HALL, venue: 'C', show_map_link: false }), undefined)
})

t.test('translations, and the page of an event below another language', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/events', { ...FULL, slug: 'en-concert' }))
  const other = { title: 'Concert', slug: 'ca-concert', i18n_language: 'ca', translation_of: id }
  await must(api.editor.post('/events', { ...FULL, ...other }))
  await must(
    api.editor.post('/events', {
      ...FULL,
      slug: 'es-concert',
      i18n_language: 'es',
      translation_of: id,
      status: 'draft',
    }),
  )
  const { text } = await visit(api, '/event/en-concert/')
  t.match(text, '<html lang="en"')
  t.match(text, 'Also in <a href="/event/ca-concert/" hreflang="ca" lang="ca">Català</a></p>')
  t.notMatch(text, 'es-concert', 'drafts are not told')
  t.match(text, '<link rel="alternate" hreflang="ca" href="http://calendar.test/event/ca-concert/">')
  const catalan = await visit(api, '/event/ca-concert/')
  t.match(catalan.text, '<html lang="ca"', 'a page is in the language of its event')
  t.match(catalan.text, '<dt>Quan</dt>')
  t.match(await visit(api, '/ca/event/ca-concert/'), {
    status: 200,
    text: '<link rel="canonical" href="http://calendar.test/event/ca-concert/">',
  })
  t.match(await visit(api, '/ca/event/en-concert/'), {
    status: 302,
    headers: { location: '/event/ca-concert/' },
  })
  const spanish = await visit(api, '/es/event/en-concert/')
  t.match(spanish, { status: 200, text: '<html lang="es"' })
  t.match(spanish.text, '<h1 lang="en">Concert</h1>')
  t.match(spanish.text, '<div class="text"><div lang="en">')
  t.match(spanish.text, '<dt>Cuándo</dt>')
})

t.test('the next and the previous event of the language', async (t) => {
  const api = await build(t)
  const at = (title: string, start_date: string, more = {}) =>
    must(api.editor.post('/events', { ...EVENT, title, start_date, end_date: start_date, ...more }))
  await at('A', '2026-11-01 20:00:00')
  await at('B', '2026-11-25 09:00:00')
  await at('C', '2026-11-25 09:00:00')
  await at('Català', '2026-11-25 09:00:00', { i18n_language: 'ca' })
  await at('Hidden', '2026-11-25 10:00:00', { hide_from_listings: true })
  await at('D', '2026-12-25 10:00:00')
  const around = async (slug: string) =>
    textsOf(
      (await visit(api, `/event/${slug}/`)).text.split('<nav class="neighbours"')[1]?.split('</nav>')[0] ??
        '',
      'a',
    ).join()
  t.equal(await around('a'), 'B')
  t.equal(await around('b'), 'A,C')
  t.equal(await around('c'), 'B,D')
  t.equal(await around('d'), 'C')
  t.equal(await around('hidden'), '')
  t.equal(await around('catala'), '')
})

t.test('the next and the previous event of a crowded day', async (t) => {
  const api = await build(t)
  for (let number = 1; number <= 202; number++)
    await must(api.editor.post('/events', { ...EVENT, slug: `n${number}`, title: `N${number}` }))
  const around = async (slug: string) =>
    textsOf((await visit(api, `/event/${slug}/`)).text.split('<nav class="neighbours"')[1] ?? '', 'a')
      .filter((text) => text.startsWith('N'))
      .join()
  for (const [slug, names] of [
    ['n1', 'N2'],
    ['n19', 'N18,N20'],
    ['n20', 'N19,N21'],
    ['n199', 'N198,N200'],
    ['n200', ''],
    ['n202', ''],
  ] as const)
    t.equal(await around(slug), names, slug)
})

t.test('an event that is over says so from its end on', async (t) => {
  const api = await build(t)
  await must(
    api.editor.post('/events', {
      ...FULL,
      start_date: '2026-11-21 08:00:00',
      end_date: '2026-11-21 09:30:00',
    }),
  )
  const isOver = async () => /This event is over/.test((await visit(api, '/event/concert/')).text)
  for (let time = 0; time < 3; time++) t.notOk(await isOver())
  api.clock.now += 30 * 60_000
  t.ok(await isOver())
})

t.test('what is over can not be added to a calendar, and no longer says what has changed', async (t) => {
  const api = await build(t)
  const states = ['scheduled', 'rescheduled', 'moved_online', 'postponed', 'cancelled']
  for (const event_status of states)
    await must(api.editor.post('/events', { ...FULL, slug: event_status, event_status }))
  const read = async (status: string) => (await visit(api, `/event/${status}/`)).text
  t.match(await read('rescheduled'), 'The date of this event has changed.')
  api.clock.now = Date.parse('2026-11-29T09:00:00Z')
  for (const status of states) {
    const text = await read(status)
    const isOff = ['postponed', 'cancelled'].includes(status)
    t.equal(text.includes('<p class="state">This event is over.</p>'), !isOff, status)
    t.equal(text.includes(`<p class="state ${status}">`), isOff, status)
    t.notMatch(text, 'class="add"', status)
  }
})

t.test('an event without a picture has its day in large, and needs no text', async (t) => {
  const api = await build(t)
  const days = { all_day: true, start_date: '2027-01-09', end_date: '2027-01-11' }
  await must(api.editor.post('/events', { ...EVENT, ...days, title: 'Fair', event_status: 'cancelled' }))
  const { text } = await visit(api, '/event/fair/')
  const leaf = /<p class="leaf" aria-hidden="true">(.*?)<\/p>/s.exec(text)![1]!
  t.same(textsOf(leaf, 'span'), ['Saturday', '9', 'January 2027', 'until Jan 11, 2027'])
  t.match(leaf, '<span class="number"><s>9</s></span>')
  t.match(text, '<article class="frame event bare short"')
  t.notMatch(text, 'class="text"')
})

t.test('nobody is shown what is not published', async (t) => {
  const api = await build(t)
  for (const status of ['draft', 'pending', 'private', 'future'] as const) {
    const more = { slug: status, status, ...(status === 'future' && { status: 'publish', date: '+2 days' }) }
    await must(api.editor.post('/events', { ...EVENT, ...more }))
    const headers = { authorization: api.credentials.administrator.authorization, accept: 'text/html' }
    const missing = await visit(api, '/event/none/')
    for (const answer of [
      await visit(api, `/event/${status}/`),
      await api.anonymous.get(`//event/${status}/`, undefined, { headers }),
    ]) {
      t.equal(answer.status, 404, status)
      t.match(answer.text, 'There is no such event')
      t.equal(answer.text.replaceAll(status, 'none'), missing.text, 'as if it did not exist')
    }
  }
  const { id } = await must(api.editor.post('/events', { ...EVENT, slug: 'gone', title: 'Secret title' }))
  await must(api.editor.delete(`/events/${id}`))
  for (const path of ['/event/gone/', '/event/gone__trashed/', '/ca/event/gone/']) {
    const { status, text } = await visit(api, path)
    t.equal(status, 410, path)
    t.notMatch(text, 'Secret')
  }
  t.match((await visit(api, '/event/gone/')).text, 'This is no longer here')
})

t.test('addresses in texts are links', async (t) => {
  const api = await build(t)
  const shown = async (description: string) => {
    const { slug } = await must(api.editor.post('/events', { ...EVENT, title: 'Linked', description }))
    const { text } = await visit(api, `/event/${slug}/`)
    return /<div class="text"><div><p>(.*?)<\/p>/s.exec(text)![1]
  }
  for (const [given, expected] of [
    [
      'See https://a.test/?a=1&b=2.',
      'See <a href="https://a.test/?a=1&amp;b=2">https://a.test/?a=1&amp;b=2</a>.',
    ],
    ['(www.teatre.cat)', '(<a href="https://www.teatre.cat">www.teatre.cat</a>)'],
    ['teatre.cat/obra, sí', '<a href="https://teatre.cat/obra">teatre.cat/obra</a>, sí'],
    ['info@a.test!', '<a href="mailto:info@a.test">info@a.test</a>!'],
    ['1 < 2, https://a.test/', '1 &lt; 2, <a href="https://a.test/">https://a.test/</a>'],
    // what is a link, typed, no address of the web, or two sentences
    ['<a href="https://a.test">https://a.test</a>', '<a href="https://a.test">https://a.test</a>'],
    ['<code>https://a.test</code>', '<code>https://a.test</code>'],
    ['ftp://a.test //b.test javascript://c.test', 'ftp://a.test //b.test javascript://c.test'],
    ['Hi ha ball.Es fa tard, 1/2', 'Hi ha ball.Es fa tard, 1/2'],
  ] as const)
    t.equal(await shown(given), expected, given)
})

t.test('what editors write stays text, and pictures of other hosts become links', async (t) => {
  const api = await build(t)
  const hostile = `"><script>alert(1)</script>'&`
  const description = `<p>One <img src="https://other.test/a.png" alt="A sea">, <a href="https://b.test">a link <img src="https://other.test/b.png" alt="boat"></a>,
    <img src="https://other.test/c.png">, <img src="http://calendar.test/media/2026/11/own.png" alt=""><img src="http://calendar.test/media/2026/11/lazy.png" loading="eager"></p>`
  await must(
    api.editor.post('/events', {
      ...FULL,
      slug: 'x',
      title: `T ${hostile}`,
      description,
      excerpt: '',
      venue: { venue: `V ${hostile}` },
      organizer: { organizer: `O ${hostile}` },
      tags: [`t ${hostile}`],
      cost: `c ${hostile}`,
    }),
  )
  for (const path of ['/event/x/', '/', '/events/?search=alert']) {
    const { text } = await visit(api, path)
    t.notMatch(text, '<script>', path)
    t.notMatch(text, 'other.test/a.png" alt', path)
    t.notMatch(text, /[^=]">&lt;script/)
  }
  const { text } = await visit(api, '/event/x/')
  t.match(text, '<a href="https://other.test/a.png">A sea</a>')
  t.match(text, '<a href="https://b.test">a link boat</a>')
  t.match(text, '<a href="https://other.test/c.png">https://other.test/c.png</a>')
  t.match(text, '<img loading="lazy" src="http://calendar.test/media/2026/11/own.png"')
  t.match(text, 'lazy.png" loading="eager"')
  t.same(
    attributesOf(text, 'img', 'src').filter((src) => !src.startsWith('http://calendar.test/')),
    [],
  )
})

t.test('an event that does not take place as planned says so', async (t) => {
  const api = await build(t)
  for (const [event_status, note, sentence, isAddable] of [
    ['cancelled', 'Cancelled', 'This event is cancelled.', false],
    ['postponed', 'Postponed', 'This event is postponed. The new date is not known yet.', false],
    ['rescheduled', 'New date', 'The date of this event has changed. This page has the new one.', true],
    ['moved_online', 'Now online', 'This event now takes place online.', true],
  ] as const) {
    await must(api.editor.post('/events', { ...FULL, slug: event_status, event_status }))
    const { text } = await visit(api, `/event/${event_status}/`)
    t.match(text, `<p class="state ${event_status}">${sentence}</p>`)
    t.equal(/<details class="add">/.test(text), isAddable, event_status)
    t.equal(/<p><s><time [^>]*>Saturday, November 28, 2026<\/time><\/s><\/p>/.test(text), !isAddable)
    t.match((await visit(api, '/events/')).text, `<span class="note ${event_status}">${note}</span>`)
  }
})

t.test('a page says why an event is off, and when one that was moved was to be', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid', LANGUAGES: 'en,ca,es' } })
  const { editor } = api
  const off = { event_status: 'cancelled', event_status_reason: 'Rain & wind. Tickets stay valid.' }
  const { id } = await must(editor.post('/events', { ...FULL, ...off }))
  const read = async (path = '/event/concert/') => (await visit(api, path)).text
  t.match(await read(), '<span>Rain &amp; wind. Tickets stay valid.</span></p>')
  await must(editor.patch(`/events/${id}`, { event_status: 'scheduled' }))
  t.notMatch(await read(), 'Rain')
  await must(editor.patch(`/events/${id}`, { ...off, password: 'sesame' }))
  t.match(await read(), /cancelled\.<\/p>/)
  await must(editor.patch(`/events/${id}`, { password: '' }))

  const dates = { start_date: '2026-12-05 18:00:00', end_date: '2026-12-05 20:00:00' }
  await must(editor.patch(`/events/${id}`, { event_status: 'rescheduled', ...dates }))
  const moved = await read()
  t.match(moved, /<p class="zone">Moved: it was to be on Saturday, November 28 at 8:00\sPM\.<\/p>/u)
  t.equal(data(moved).previousStartDate, '2026-11-28T20:00:00+01:00')
  t.match(await read('/ca/event/concert/'), 'estava previst per al dissabte, 28 de novembre, a les 20:00.')
  t.match(await read('/es/event/concert/'), 'estaba previsto para el sábado, 28 de noviembre, 20:00.')
  const year = { start_date: '2027-01-05', end_date: '2027-01-05', all_day: true }
  await must(editor.patch(`/events/${id}`, year))
  t.match(await read(), /Saturday, November 28, 2026 at 8:00\sPM\.</u)
  await must(editor.patch(`/events/${id}`, { event_status: null }))
  t.notMatch(await read(), /Moved|previousStartDate/)
  await must(
    editor.patch(`/events/${id}`, { ...year, start_date: '2027-01-04', event_status: 'rescheduled' }),
  )
  t.match(await read(), 'Moved: it was to be on Tuesday, January 5.')
  t.equal(data(await read()).previousStartDate, '2027-01-05')
})

t.test('a reason that a language lacks is that of a translation, and says so', async (t) => {
  const api = await build(t, { env: { LANGUAGES: 'en,ca,es' } })
  const off = { event_status: 'cancelled' }
  const { id } = await must(
    api.editor.post('/events', { ...FULL, ...off, event_status_reason: 'The singer is ill.' }),
  )
  const catalan = { ...FULL, ...off, title: 'Concert', slug: 'ca', i18n_language: 'ca', translation_of: id }
  const other = await must(api.editor.post('/events', catalan))
  const stateOf = async (path: string) => /<p class="state.*?<\/p>/.exec((await visit(api, path)).text)![0]
  t.equal(
    await stateOf('/event/ca/'),
    '<p class="state cancelled">Aquest esdeveniment s’ha cancel·lat.<span lang="en">The singer is ill.</span> <small>en anglès</small></p>',
  )
  await must(api.editor.patch(`/events/${other.id}`, { event_status: 'postponed' }))
  t.notMatch(await stateOf('/event/ca/'), 'ill', 'a reason of another state is none')
  await must(api.editor.patch(`/events/${other.id}`, { ...off, event_status_reason: 'Està malalta.' }))
  t.match(await stateOf('/event/ca/'), '<span>Està malalta.</span></p>')
})

t.test('an event online says where to take part', async (t) => {
  const api = await build(t)
  const where = async (slug: string, more: object) => {
    await must(api.editor.post('/events', { ...EVENT, title: slug, slug, ...more }))
    const { text } = await visit(api, `/event/${slug}/`)
    return /<dt>Where<\/dt><dd>(.*?)<\/dd>/s.exec(text)?.[1]
  }
  const virtual_url = 'https://meet.test/room'
  const link = '<p><a href="https://meet.test/room" rel="noopener">Take part online</a></p>'
  t.equal(
    await where('a', { attendance_mode: 'online', virtual_url }),
    '<p>Online</p>',
    'its link is the button',
  )
  const website = 'https://tickets.test/'
  t.equal(
    await where('b', { attendance_mode: 'mixed', venue: { venue: 'Hall' }, virtual_url, website }),
    `<p><a href="/venue/hall/">Hall</a></p><p>In person and online</p>${link}`,
  )
  const online = { attendance_mode: 'online', venue: { venue: 'Online' } }
  t.equal(await where('d', online), '<p><a href="/venue/online/">Online</a></p>', 'once is enough')
  t.equal(await where('c', {}), undefined)
  const moved = { event_status: 'moved_online', venue: { venue: 'Church', address: 'Street 1' } }
  t.equal(await where('e', moved), '<p>Online</p><p><s>Church</s></p>', 'nobody is sent there')
  const button = await where('f', { ...moved, virtual_url })
  t.equal(button, '<p>Online</p><p><s>Church</s></p>', 'the link is a button')
  const { text } = await visit(api, '/events/')
  t.match(text, '<span>Online</span>')
  t.match(text, '<span>Hall · In person and online</span>')
  t.notMatch(text, '<span>Church', 'nor by a list')
})
