import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

/** The present moment of the tests is the morning of Saturday, 21 November 2026. */
const on = (day: string, title: string, more: object = {}) => ({
  ...{ ...EVENT, title, start_date: `2026-${day} 20:00:00`, end_date: `2026-${day} 22:00:00` },
  ...more,
})
const add = (api: Api, input: object) => must(api.editor.post('/events', input))
/** The titles below the headings of the page. */
const partsOf = (html: string) =>
  Object.fromEntries(
    [
      ...html.matchAll(
        /<section class="(?:highlights|running)" aria-labelledby="(\w+)">(.*?)<\/section>\n/gs,
      ),
    ].map(([, id, part]) => [id, textsOf(part!, 'h3')]),
  )
const graphs = (html: string) =>
  [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(([, text]) =>
    JSON.parse(text!),
  )

t.test('what is cancelled or put off is no highlight, and its date is struck out', async (t) => {
  const api = await build(t)
  for (const event_status of ['cancelled', 'postponed', 'rescheduled', 'moved_online'])
    await add(api, on('11-28', event_status, { featured: true, event_status }))
  const { text } = await visit(api, '/')
  t.same(partsOf(text).highlights, ['rescheduled New date', 'moved_online Now online'])
  const dates = [...text.matchAll(/<li class="entry"[^>]*>.*?<\/h3>/gs)].filter(([entry]) =>
    entry.includes('<s>'),
  )
  t.same(dates.length, 2)
  for (const [entry] of dates) t.match(entry, /<s><time [^>]*>.*<\/time><\/s>.*note (cancelled|postponed)/s)
  const month = (await visit(api, '/events/month/2026-11/')).text
  t.equal(month.match(/<span class="time"><s>/g)?.length, 2)
})

t.test('the first page shows what is put forward, on now, at the weekend, next and new', async (t) => {
  const api = await build(t, { env: { SITE_NAME: 'Town' } })
  api.clock.now = Date.parse('2026-10-01T09:00:00Z')
  await add(api, on('11-10', 'Exhibition', { end_date: '2026-12-24 22:00:00' }))
  for (const day of ['23', '24', '25', '26']) await add(api, on(`11-${day}`, `Old ${day}`))
  for (let day = 1; day <= 9; day++) await add(api, on(`12-0${day}`, `Talk ${day}`))
  for (let day = 10; day <= 12; day++) await add(api, on(`12-${day}`, `Far ${day}`))
  api.clock.now = Date.parse('2026-11-21T09:00:00Z')
  await add(api, on('12-20', 'Gala', { featured: true, excerpt: 'Song' }))
  await add(api, on('11-21', 'Dance'))
  await add(api, on('11-22', 'Brunch', { featured: true }))
  for (let hour = 10; hour <= 16; hour++)
    await add(api, on('11-22', `Tour ${hour}`, { start_date: `2026-11-22 ${hour}:00:00` }))
  await add(api, on('12-30', 'Fireworks', { recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } }))
  await add(api, on('12-28', 'Feast'))
  await add(api, on('12-29', 'Hidden', { hide_from_listings: true }))
  await add(api, on('12-29', 'Draft', { status: 'draft' }))
  await add(api, on('12-29', 'Festa', { i18n_language: 'ca' }))
  const { status, text } = await visit(api, '/')
  t.equal(status, 200)
  t.same(textsOf(text, 'h1'), ['What’s on'])
  t.same(textsOf(text, 'title'), ['Town'])
  t.same(partsOf(text), {
    highlights: ['Brunch', 'Gala'],
    running: ['Exhibition'],
    weekend: ['Dance', 'Tour 10', 'Tour 11', 'Tour 12', 'Tour 13', 'Tour 14'],
    next: ['Tour 15', 'Tour 16', 'Old 23', 'Old 24', 'Old 25', 'Old 26', 'Talk 1', 'Talk 2', 'Talk 3'],
    added: ['Feast', 'Fireworks'],
  })
  t.match(text, '<a href="/events/weekend/">Everything this weekend</a>')
  t.match(text, '<a class="button" href="/events/">The whole calendar</a> 28 events')
  t.match(text, '<meta name="description" content="What’s on: 28 events, such as Brunch, Gala, and Dance.">')
  const [{ '@context': context, '@graph': graph }] = graphs(text)
  t.equal(context, 'https://schema.org')
  t.match(graph[0], {
    ...{ '@type': 'Event', name: 'Brunch', url: 'http://calendar.test/event/brunch/' },
    startDate: '2026-11-22T20:00:00+00:00',
  })
  t.equal(graph.length, new Set(graph.map(({ url }: { url: string }) => url)).size, 'each stands there once')
  api.clock.now = Date.parse('2026-12-06T09:00:00Z')
  const later = partsOf((await visit(api, '/')).text)
  t.same([later.weekend, later.added], [['Talk 6'], undefined], 'what was added two weeks ago is not new')
  t.same(partsOf((await visit(api, '/ca/')).text).next, ['Festa'])
})

t.test('with a filter the first page is the list', async (t) => {
  const api = await build(t)
  await add(api, on('12-20', 'Gala', { featured: true, tags: ['x'] }))
  for (const path of ['/', '/?page=1', '/?category=', '/?utm_source=letter'])
    t.match((await visit(api, path)).text, 'id="highlights"', path)
  for (const path of ['/events/', '/?tag=x', '/?when=past', '/?q=gala']) {
    const { text } = await visit(api, path)
    t.notMatch(text, 'id="highlights"', path)
    t.match(attributesOf(text, 'link', 'href')[0], /\/events\//)
  }
})

t.test('lists, days and months describe what they show', async (t) => {
  const api = await build(t)
  const place = { venue: { venue: 'Hall', city: 'Vic' }, categories: ['Jazz'] }
  await add(api, on('12-01', 'Old', { event_status: 'cancelled', ...place }))
  await add(api, on('12-02', 'Stream', { virtual_url: 'https://s.test/', end_date: '2026-12-04 22:00:00' }))
  await add(api, on('12-03', 'Days', { all_day: true, start_date: '2026-12-05', end_date: '2026-12-06' }))
  await add(api, on('12-07', 'Secret', { password: 'sesame' }))
  const { text } = await visit(api, '/events/')
  t.match(text, 'content="What’s on: 4 events, such as Old, Stream, and Days."')
  const url = (slug: string) => `http://calendar.test/event/${slug}/`
  t.same(graphs(text)[0]['@graph'], [
    {
      ...{ '@type': 'Event', name: 'Old', url: url('old'), startDate: '2026-12-01T20:00:00+00:00' },
      eventStatus: 'https://schema.org/EventCancelled',
      location: { '@type': 'Place', name: 'Hall', address: 'Vic' },
    },
    {
      ...{ '@type': 'Event', name: 'Stream', url: url('stream'), startDate: '2026-12-02T20:00:00+00:00' },
      endDate: '2026-12-04T22:00:00+00:00',
      location: { '@type': 'VirtualLocation', url: 'https://s.test/' },
    },
    { '@type': 'Event', name: 'Days', url: url('days'), startDate: '2026-12-05', endDate: '2026-12-06' },
  ])
  for (const [path, sentence, count] of [
    ['/events/day/2026-12-01/', 'Tuesday, December 1: 1 event, such as Old.', 1],
    ['/events/month/2026-12/', 'December 2026: 4 events, such as Old, Stream, and Days.', 0],
    ['/ca/events/?language=en', 'Agenda: 4 esdeveniments, com ara Old, Stream i Days.', 1],
    ['/es/events/month/2026-12/?language=en', 'Diciembre de 2026: 4 eventos, como Old, Stream y Days.', 0],
    ['/events/category/jazz/', 'Jazz: 1 event, such as Old.', 1],
    ['/venue/hall/', 'Hall: 1 event, such as Old.', 2],
    ['/events/tomorrow/', 'What’s on tomorrow. Nothing is planned for this selection at the moment.', 0],
  ] as const) {
    const page = (await visit(api, path)).text
    t.match(page.toLowerCase(), `<meta name="description" content="${sentence}">`.toLowerCase(), path)
    t.match(page, '<meta property="og:description"')
    t.equal(graphs(page).length, count, path)
  }
  api.clock.now = Date.parse('2026-12-05T12:00:00Z')
  t.match(
    (await visit(api, '/events/month/2026-12/')).text,
    'such as Days and Secret.',
    'what is over comes last',
  )
  api.clock.now = Date.parse('2026-12-20T12:00:00Z')
  t.match((await visit(api, '/events/month/2026-12/')).text, 'such as Old, Stream, and Days.')
})
