import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

const FEED = 'calendar.test/en/calendar/events/v1/events'
const CALENDAR = `${FEED}.ics?ends_after=-1month`

t.test('a page says how to subscribe, in words', async (t) => {
  const api = await build(t, { env: { SITE_NAME: 'Town' } })
  const { status, text } = await visit(api, '/events/subscribe/')
  t.equal(status, 200)
  t.same(textsOf(text, 'h1'), ['Subscribe'])
  t.same(textsOf(text, 'h3').slice(0, 4), [
    ...['Calendar on this device', 'Google Calendar', 'Outlook', 'Address of the calendar'],
  ])
  t.same(textsOf(text, 'code'), [`http://${CALENDAR}`])
  const links = attributesOf(text, 'a', 'href')
  t.ok(links.includes(`webcal://${CALENDAR}`))
  const to = (host: string) => new URL(links.find((href) => href.includes(host))!).searchParams
  t.equal(to('calendar.google.com').get('cid'), `webcal://${CALENDAR}`)
  t.equal(to('outlook.live.com').get('url'), `http://${CALENDAR}`)
  for (const extension of ['rss', 'atom', 'jsonfeed'])
    t.ok(links.includes(`/en/calendar/events/v1/events.${extension}?when=upcoming`), extension)
  t.notMatch(text, 'noindex')
  t.same(textsOf((await visit(api, '/ca/events/subscribe/')).text, 'h1'), ['Subscripció'])
  t.match((await visit(api, '/sitemap-list-1.xml')).text, '<loc>http://calendar.test/events/subscribe/</loc>')
})

t.test('lists lead to the page with their filters, and it names them', async (t) => {
  const api = await build(t)
  const { venue, organizer } = await must(
    api.editor.post('/events', {
      ...EVENT,
      ...{
        venue: { venue: 'Hall' },
        organizer: { organizer: 'Choir' },
        categories: ['Jazz'],
        tags: ['live'],
      },
      recurrence: { rrule: 'FREQ=DAILY;COUNT=2' },
      title: 'Songs',
    }),
  )
  for (const [path, name, filter] of [
    ['/events/category/jazz/', 'Jazz', 'categories=jazz'],
    ['/events/?tag=live&q=son', '“son” · live', 'q=son&tags=live'],
    ['/events/?search=son', '“son”', 'search=son'],
    ['/venue/hall/', 'Hall', `venue=${venue.id}`],
    ['/organizer/choir/', 'Choir', `organizer=${organizer[0].id}`],
    ['/series/songs/', 'Songs', /^series=\d+$/],
    ['/events/online/', 'Online', 'attendance_mode=online%2Cmixed'],
    ['/events/free/', 'Free', 'free=true'],
    ['/events/?free=yes', 'Free', 'free=true'],
    ['/events/tomorrow/', undefined, undefined],
  ] as const) {
    const [link] = attributesOf((await visit(api, path)).text, 'a', 'href').filter((href) =>
      href.startsWith('/events/subscribe/'),
    )
    t.match(link!.split('?')[1], filter, path)
    const { text } = await visit(api, link!)
    t.equal(textsOf(text, 'h1')[0], 'Subscribe')
    t.match(text, filter ? '<meta name="robots" content="noindex">' : 'all readers')
    if (name) t.match(textsOf(text, 'p').join('\n'), name)
    if (typeof filter === 'string')
      t.equal(new URL(textsOf(text, 'code')[0]!).search, `?${filter}&ends_after=-1month`)
  }
  for (const [query, status] of [
    ['categories=none', 404],
    ['tags=none', 404],
    ['venue=999', 404],
    ['series=x', 404],
    ['attendance_mode=offline', 400],
    ['free=false', 400],
    [`q=${'x'.repeat(201)}`, 400],
  ] as const)
    t.equal((await visit(api, `/events/subscribe/?${query}`)).status, status, query)
})

t.test(
  'what is subscribed to keeps what is not over, and a calendar what was in the last month',
  async (t) => {
    const api = await build(t)
    for (const [title, start_date, end_date] of [
      ['Running', '2026-11-01', '2027-01-31'],
      ['Over', '2026-11-01', '2026-11-02'],
      ['Long over', '2026-09-01', '2026-10-02'],
      ['Far off', '2029-05-01', '2029-05-02'],
    ])
      await must(api.editor.post('/events', { ...EVENT, title, start_date, end_date, all_day: true }))
    const { text } = await visit(api, '/events/')
    const [calendar, ...feeds] = attributesOf(text, 'link', 'href').filter((href) =>
      href.includes('/events.'),
    )
    const titlesIn = async (path: string) => {
      const { text } = await api.anonymous.get(`/${path}`)
      return ['Running', 'Over', 'Long over', 'Far off'].filter((title) => text.includes(title))
    }
    t.same(await titlesIn(calendar!), ['Running', 'Over', 'Far off'])
    for (const feed of feeds) t.same(await titlesIn(feed), ['Running', 'Far off'], feed)
  },
)
