import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

/** The present moment of the tests is the morning of Saturday, 21 November 2026. */
async function fill(api: Api) {
  const add = (title: string, start_date: string, end_date: string, more: object = {}) =>
    must(api.editor.post('/events', { ...EVENT, title, start_date, end_date, ...more }))
  await add('Breakfast', '2026-11-21 06:00:00', '2026-11-21 08:00:00')
  await add('Exhibition', '2026-11-01 10:00:00', '2026-12-24 18:00:00')
  await add('Dance', '2026-11-20 22:00:00', '2026-11-21 03:00:00')
  await add('Concert', '2026-11-21 20:00:00', '2026-11-22 02:00:00')
  await add('Talk', '2026-11-22 18:00:00', '2026-11-22 19:00:00', { attendance_mode: 'mixed' })
  await add('Course', '2026-11-23 18:00:00', '2026-11-23 19:00:00', { attendance_mode: 'online' })
  await add('Fair', '2026-11-27 10:00:00', '2026-11-29 19:00:00', { categories: ['Market'] })
  await add('Circus', '2026-11-28 10:00:00', '2026-11-28 19:00:00', { cost: '0' })
}
const shown = async (api: Api, path: string) => {
  const { status, text } = await visit(api, path)
  t.equal(status, 200, path)
  return { text, titles: textsOf(text, 'h3'), title: textsOf(text, 'h1')[0] }
}

t.test('what people look for most has pages of its own', async (t) => {
  const api = await build(t)
  await fill(api)
  for (const [path, title, titles] of [
    ['/events/today/', 'What’s on today', ['Exhibition', 'Concert']],
    ['/events/tomorrow/', 'What’s on tomorrow', ['Exhibition', 'Talk']],
    ['/events/weekend/', 'What’s on this weekend', ['Exhibition', 'Concert', 'Talk']],
    [
      '/events/next-7-days/',
      'What’s on in the next 7 days',
      ['Exhibition', 'Concert', 'Talk', 'Course', 'Fair'],
    ],
    ['/ca/events/today/', 'Què hi ha avui', []],
    ['/es/events/weekend/', 'Qué hay este fin de semana', []],
    ['/events/online/', 'Online events', ['Talk', 'Course']],
    ['/events/free/', 'Free events', ['Circus']],
    ['/ca/events/free/', 'Esdeveniments gratuïts', []],
  ] as const) {
    const page = await shown(api, path)
    t.equal(page.title, title, path)
    t.same(page.titles, titles, path)
    t.match(page.text, `<link rel="canonical" href="http://calendar.test${path}">`)
    t.match(page.text, '<link rel="alternate" hreflang="es"')
    t.notMatch(page.text, 'noindex')
    const home = path.split('events/')[0]
    t.match(
      page.text,
      `<a href="${home}events/" aria-current="true">`,
      'the link to it says so, and takes it off',
    )
  }
  t.same(textsOf((await shown(api, '/events/tomorrow/')).text, 'h2')[0], 'Still on')
  t.same(textsOf((await shown(api, '/events/today/')).text, 'h2')[0], 'On now')
  const map = (await visit(api, '/sitemap-list-1.xml')).text
  for (const page of ['today', 'tomorrow', 'weekend', 'next-7-days', 'online', 'free'])
    t.match(map, `<loc>http://calendar.test/ca/events/${page}/</loc>`)
})

t.test('the days of a list may be chosen', async (t) => {
  const api = await build(t)
  await fill(api)
  for (const [query, title, titles] of [
    ['from=2026-11-22&to=2026-11-23', 'Sun, Nov 22 – Mon, Nov 23', ['Exhibition', 'Talk', 'Course']],
    ['from=2026-11-28&to=2026-11-28', 'Sat, Nov 28', ['Fair', 'Exhibition', 'Circus']],
    ['from=2026-11-28', 'From Sat, Nov 28', ['Fair', 'Exhibition', 'Circus']],
    ['to=2026-11-22', 'Until Sun, Nov 22', ['Exhibition', 'Concert', 'Talk']],
    ['to=2026-11-22&when=past', 'Until Sun, Nov 22', ['Exhibition', 'Concert', 'Talk']],
    [
      'from=2026-11-20&to=2026-11-21',
      'Fri, Nov 20 – Sat, Nov 21',
      ['Exhibition', 'Dance', 'Breakfast', 'Concert'],
    ],
    ['online=yes', 'What’s on', ['Talk', 'Course']],
    ['online=yes&from=2026-11-23', 'From Mon, Nov 23', ['Course']],
  ] as const) {
    const page = await shown(api, `/events/?${query}`)
    t.equal(page.title, title, query)
    t.same(page.titles, titles, query)
    t.match(page.text, '<meta name="robots" content="noindex">', 'one of too many pages')
  }
  const { text } = await shown(api, '/events/?from=2026-11-22&to=2026-11-23&category=market&online=yes')
  t.match(text, /name="from" type="date" value="2026-11-22"/)
  t.match(text, /name="online" type="checkbox" value="yes" checked/)
  t.match(
    text,
    'href="/events/weekend/?category=market&amp;online=yes"',
    'links to days keep the other filters',
  )
  t.match(text, 'events.ics?categories=market&amp;attendance_mode=online%2Cmixed&amp;start_date=2026-11-22')
  for (const query of ['from=2026-11-31', 'to=tomorrow', 'from=2026-11-23&to=2026-11-22', 'online=no'])
    t.equal((await visit(api, `/events/?${query}`)).status, 400, query)
})

t.test(
  'of what goes on for long, the first thirty stand at the page of a day, with a way to all',
  async (t) => {
    const api = await build(t)
    for (let number = 1; number <= 31; number++)
      await must(
        api.editor.post('/events', {
          ...EVENT,
          title: `Exhibition ${number}`,
          start_date: '2026-11-01 10:00:00',
          end_date: '2026-12-24 18:00:00',
        }),
      )
    const { text, titles } = await shown(api, '/events/tomorrow/')
    t.equal(titles.length, 30)
    t.match(text, '<a href="/events/?when=now">Everything that is on now</a>')
  },
)

t.test('feeds of days go on with the days', async (t) => {
  const api = await build(t)
  await fill(api)
  for (const [path, titles] of [
    ['/events/today/', ['Breakfast', 'Concert']],
    ['/events/tomorrow/', ['Talk']],
    ['/events/next-7-days/', ['Breakfast', 'Concert', 'Talk', 'Course', 'Fair']],
    ['/events/online/', ['Talk', 'Course']],
  ] as const) {
    const { text } = await shown(api, path)
    const feed = attributesOf(text, 'link', 'href').find((href) => href.includes('events.jsonfeed'))!
    const { status, body, text: json } = await api.anonymous.get(`/${feed}`)
    t.equal(status, 200, feed)
    const items: { title: string }[] = body.items ?? JSON.parse(json).items
    t.same(items.map(({ title }) => title).sort(), [...titles].sort(), path)
  }
})
