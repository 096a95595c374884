import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { documentOf, operationsOf } from '../../support/document.ts'
import { draw } from '../../support/pictures.ts'

t.test('FullCalendar gets the events between start and end, with exclusive ends of days', async (t) => {
  const { editor, anonymous } = await build(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  const add = (event: object) => must(editor.post('/events', { ...EVENT, ...event }))
  await add({
    title: 'Days',
    start_date: '2026-12-01',
    end_date: '2026-12-03',
    all_day: true,
    categories: ['Fairs'],
    venue: { venue: 'Hall', city: 'Vic' },
  })
  await add({
    title: 'Tokyo',
    timezone: 'Asia/Tokyo',
    event_status: 'cancelled',
    website: 'https://tokyo.test/',
    virtual_url: 'https://tokyo.test/room',
  })
  await add({ title: 'Before', start_date: '2026-11-29 10:00:00', end_date: '2026-11-29 11:00:00' })
  await add({ title: 'After', start_date: '2026-12-05 00:00:00', end_date: '2026-12-05 01:00:00' })
  const ask = (query: string) => anonymous.get(`/events.fullcalendar.json?${query}`)
  const window = 'start=2026-11-30T00:00:00%2B01:00&end=2026-12-05T00:00:00%2B01:00'
  const props = { status: 'scheduled', attendance_mode: 'offline', language: 'en' }
  t.same((await ask(window)).body, [
    {
      ...{ id: '1', title: 'Days', start: '2026-12-01', end: '2026-12-04', allDay: true },
      url: 'http://calendar.test/event/days/',
      extendedProps: {
        ...{ ...props, timezone: 'Europe/Madrid', location: 'Hall, Vic' },
        ...{ categories: ['fairs'], tags: [] },
      },
    },
    {
      ...{ id: '3', title: 'Cancelled: Tokyo', allDay: false, url: 'https://tokyo.test/' },
      ...{ start: '2026-12-01T20:00:00+09:00', end: '2026-12-01T22:00:00+09:00' },
      classNames: ['cancelled'],
      extendedProps: {
        ...{ ...props, status: 'cancelled', timezone: 'Asia/Tokyo' },
        ...{ virtual_url: 'https://tokyo.test/room', categories: [], tags: [] },
      },
    },
  ])
  const times = async (query: string) =>
    (await ask(query)).body.map(({ start, end }: Record<string, string>) => [start, end])[1]
  t.same(await times(`${window}&timeZone=UTC`), ['2026-12-01T11:00:00+00:00', '2026-12-01T13:00:00+00:00'])
  t.same(await times(`${window}&timeZone=`), ['2026-12-01T20:00:00+09:00', '2026-12-01T22:00:00+09:00'])
  t.equal((await ask(`${window}&categories=fairs`)).body.length, 1)
  t.equal((await ask('')).body.length, 4, 'the default dates')
  t.match(await ask('timeZone=Nowhere'), { status: 400, body: { data: { params: { timeZone: String } } } })
  t.match(await ask('start=nonsense'), { status: 400, body: { data: { params: { start: String } } } })
})

t.test('FullCalendar has every filter of events, beside its own window', async (t) => {
  const { editor, anonymous, app } = await build(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  for (const [title, day] of [
    ['Old', '2020-01-02'],
    ['Early', '2026-12-01'],
    ['Middle', '2026-12-02'],
    ['Late', '2026-12-03'],
  ])
    await must(editor.post('/events', { title, start_date: `${day} 10:00:00`, end_date: `${day} 12:00:00` }))
  const window = 'start=2026-12-01T11:00:00%2B01:00&end=2026-12-03T10:00:00%2B01:00'
  for (const [query, titles] of [
    ['', 'Early Middle Late'],
    ['when=all', 'Old Early Middle Late'],
    ['when=past', 'Old'],
    ['start_date=2026-12-02', 'Middle Late'],
    ['start_date=2026-12-02&end_date=2026-12-02', 'Middle'],
    ['starts_after=2026-12-01', 'Middle Late'],
    ['ends_before=2026-12-02T12:00:00&strict_dates=1', 'Old Early'],
    ['orderby=title', 'Early Late Middle'],
    ['orderby=start&order=desc', 'Late Middle Early'],
    [window, 'Early Middle'],
    ['start=2026-12-02T00:00:00%2B01:00', 'Middle Late'],
    ['end=2026-12-02T00:00:00%2B01:00', 'Old Early'],
    [`${window}&starts_before=2026-12-01`, 'Early'],
    [`${window}&starts_after=2026-12-01`, 'Middle'],
    [`${window}&when=past`, ''],
    [`${window}&order=desc&orderby=title`, 'Middle Early'],
    [`${window}&include=1`, 'Old'],
  ] as const) {
    const { status, body, headers } = await anonymous.get(`/events.fullcalendar.json?${query}`)
    t.equal(status, 200, query)
    t.equal(body.map(({ title }: { title: string }) => title).join(' '), titles, query)
    t.equal(headers['x-ignored-parameters'], undefined)
  }
  const parameters = (id: string) =>
    operationsOf(documentOf(app))
      .find(({ operationId }) => operationId === id)!
      .parameters.map(({ name }) => name)
      .filter((name) => !['page', 'per_page', 'password', '_fields'].includes(name))
  const own = parameters('feedFullCalendar')
  t.same(
    parameters('listEvents').filter((name) => !own.includes(name)),
    [],
  )
})

t.test('a picture is an enclosure, and the facts stand above the description', async (t) => {
  const { editor, anonymous } = await build(t)
  const headers = { 'content-type': 'image/jpeg' }
  const image = await must(
    editor.send({ method: 'POST', url: `${ROOT}/media`, headers, payload: await draw(40, 30, 'jpeg') }),
  )
  await must(
    editor.post('/events', {
      ...EVENT,
      image: image.id,
      excerpt: `<p>${'word '.repeat(100)}</p>`,
      description: '<p>All of it</p>',
      cost: ['10', '20'],
      website: 'https://band.test/',
      virtual_url: 'https://band.test/?a=1&b=2',
      event_status: 'moved_online',
      attendance_mode: 'mixed',
      i18n_language: 'ca',
      venue: { venue: 'Hall', address: 'Carrer 1', geo_lat: 41.5, geo_lng: 2.25 },
    }),
  )
  const rss = (await anonymous.get('/events.rss')).text
  t.match(rss, `<enclosure url="${image.url}" length="${image.filesize}" type="image/jpeg"/>`)
  t.match(rss, '<title>Ara en línia: Concert</title>')
  t.match(rss, '<georss:point>41.5 2.25</georss:point>')
  const atom = (await anonymous.get('/events.atom')).text
  t.match(atom, `<link rel="enclosure" type="image/jpeg" length="${image.filesize}" href="${image.url}"/>`)
  t.match(atom, '<link rel="related" href="https://band.test/"/>')
  t.match(atom, /<id>urn:uuid:[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}<\/id>/)
  const [item] =
    (await anonymous.get('/events.jsonfeed')).body &&
    JSON.parse((await anonymous.get('/events.jsonfeed')).text).items
  t.match(item, {
    image: image.url,
    attachments: [{ url: image.url, mime_type: 'image/jpeg', size_in_bytes: image.filesize }],
    external_url: 'https://band.test/',
    summary: /^(word )+…$/,
    content_html:
      /Hall, Carrer 1<br \/>.*10.*<br \/><a href="https:\/\/band.test\/\?a=1&amp;b=2">.*<p>All of it<\/p>$/,
  })
  const {
    '@graph': [thing],
  } = JSON.parse((await anonymous.get('/events.jsonld')).text)
  t.match(thing, {
    eventStatus: 'https://schema.org/EventMovedOnline',
    eventAttendanceMode: 'https://schema.org/OnlineEventAttendanceMode',
    location: { '@type': 'VirtualLocation', url: 'https://band.test/?a=1&b=2' },
    offers: [{ price: '10', priceCurrency: 'USD' }, { price: '20' }],
    image: image.url,
  })
})

t.test('single facts of events in JSON-LD: words for a cost, days, a meeting without a place', async (t) => {
  const { editor, anonymous } = await build(t, { env: { LANGUAGES: 'en-x,en' } })
  const of = async (event: object) => {
    const { id } = await must(editor.post('/events', { ...EVENT, ...event }))
    t.match(
      (await anonymous.get(`/events/${id}.rss`)).text,
      /<description>.*2026/,
      'a language that programs do not know',
    )
    return JSON.parse((await anonymous.get(`/events/${id}.jsonld`)).text)
  }
  t.match(await of({ cost: 'Free' }), { offers: [{ '@type': 'Offer', description: 'Free' }] })
  t.match(await of({ start_date: '2026-12-01', end_date: '2026-12-02', all_day: true }), {
    startDate: /^2026-12-01$/,
    endDate: /^2026-12-02$/,
  })
  const online = await of({ virtual_url: 'https://meet.test/1', attendance_mode: 'online' })
  t.same(online.location, { '@type': 'VirtualLocation', url: 'https://meet.test/1' })
  t.notOk('location' in (await of({})))
})
