import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'

const DATES = ['2026-11-21', '2026-12-01', '2026-12-31', '2027-01-05']

async function seed({ editor }: Api) {
  for (const date of DATES)
    await must(
      editor.post('/events', {
        ...EVENT,
        title: `On ${date}`,
        start_date: `${date} 12:00:00`,
        end_date: `${date} 13:00:00`,
        ...(date.startsWith('2026-12') && { categories: ['Music'], tags: ['Late'] }),
      }),
    )
}

const summaries = (text: string) => [...text.matchAll(/^SUMMARY:On (.*?)\r$/gm)].map(([, date]) => date)

t.test('calendars are at the addresses that people copy from The Events Calendar', async (t) => {
  const api = await build(t)
  await seed(api)
  const december = DATES.slice(1, 3)
  const cases: [path: string, dates: string[]][] = [
    ['/?ical=1', DATES],
    ['/?outlook-ical=1', DATES],
    ['/?post_type=tribe_events&ical=1&eventDisplay=list', DATES],
    ['/?post_type=tribe_events&ical=1&tribe_events_cat=music', december],
    ['/events/?ical=1', DATES],
    ['/events/list/?ical=1', DATES],
    ['/events/list/?ical=1&tribe-bar-date=2026-12-02', DATES.slice(2)],
    ['/events/list/page/1/?ical=1', DATES],
    ['/events/?ical=1&tribe_paged=1', DATES],
    ['/events/?ical=1&tribe_eventcategory%5B0%5D=music&tribe_tags[]=late', december],
    ['/events/photo/?ical=1&tribe-bar-search=2027', DATES.slice(3)],
    ['/events/month/?ical=1', DATES],
    ['/events/month/?ical=1&tribe-bar-date=2026-12', december],
    ['/events/month/2026-12/?ical=1', december],
    ['/events/2026-12/?outlook-ical=1', december],
    ['/events/day/2026-12-01/?ical=1', ['2026-12-01']],
    ['/events/list/?ical=1&tribe-bar-date=whenever', DATES],
    ['/events/category/music/?ical=1', december],
    ['/events/category/music/list/?ical=1', december],
    ['/events/category/arts/music/month/2026-12/?ical=1', december],
    ['/events/tag/late/list/?ical=1', december],
    ['/events/ical/', DATES],
    ['/events/feed/?ical=1', DATES],
    ['/?tribe_events=on-2026-12-01&ical=1', ['2026-12-01']],
    ['/event/on-2026-12-01/?ical=1', ['2026-12-01']],
    ['/event/on-2026-12-01/ical/', ['2026-12-01']],
    ['/events/today/?ical=1', ['2026-11-21']],
    ['/events/day/?ical=1', ['2026-11-21']],
    ['/events/day/?ical=1&tribe-bar-date=2026-12-01', ['2026-12-01']],
    ['/index.php?ical=1&post_type=tribe_events', DATES],
    ['/index.php/?post_type=tribe_events&outlook-ical=1&tribe_events_cat=music', december],
    ['/ca/index.php?ical=1', []],
    ['/ca/events/list/?ical=1', []],
  ]
  for (const [path, dates] of cases) {
    const { status, headers, text } = await api.anonymous.get(`/${path}`)
    t.same([status, headers['content-type']], [200, 'text/calendar; charset=utf-8'], path)
    t.same(summaries(text), dates, path)
    const { status: ofHead } = await api.anonymous.send({ method: 'HEAD', url: path })
    t.equal(ofHead, 200, path)
  }
  const odd = await api.anonymous.get('//events/?ical=1&utm=1&tribe_tags[]=late&tribe_other=2')
  t.equal(odd.headers['x-ignored-parameters'], 'utm, tribe_other')
  t.same(summaries(odd.text), december)
  for (const [path, status] of [
    ['/events/category/none/list/?ical=1', 404],
    ['/events/page/2/?ical=1', 404],
    ['/events/2026-99/?ical=1', 400],
    ['/events/0000-00/?ical=1', 400],
    ['/events/category/%zz/list/?ical=1', 400],
    ['/event/none/ical/', 404],
    ['/ical/', 404],
    ['/-ical/events', 404],
  ] as const)
    t.equal((await api.anonymous.get(`/${path}`)).status, status, path)
  t.equal((await api.anonymous.post('//events/list/?ical=1', {})).status, 404)
})

t.test('the calendar of today is that of another day on the next one', async (t) => {
  const api = await build(t)
  await seed(api)
  const today = async () => summaries((await api.anonymous.get('//events/today/?ical=1')).text)
  for (let again = 0; again < 3; again++) t.same(await today(), ['2026-11-21'])
  api.clock.now = Date.parse('2026-12-01T09:00:00Z')
  t.same(await today(), ['2026-12-01'])
})

t.test('feeds are where those of WordPress are', async (t) => {
  const api = await build(t)
  await seed(api)
  for (const [path, count] of [
    ['/feed/', 4],
    ['/feed', 4],
    ['/events/feed/', 4],
    ['/ca/feed/', 0],
    ['/events/list/feed/', 4],
    ['/events/category/music/feed/', 2],
    ['/events/tag/late/feed/', 2],
    ['/events/feed/?search=2027', 1],
    ['/?feed=rss2&post_type=tribe_events', 4],
    ['/?feed=rss2', 4],
    ['/events/?feed=atom&tribe_events_cat=music', 2],
    ['/index.php?post_type=tribe_events&feed=feed', 4],
    ['/ca/?feed=rss2&post_type=tribe_events', 0],
  ] as const) {
    const { status, headers, text } = await api.anonymous.get(`/${path}`)
    t.same([status, headers['content-type']], [200, 'application/rss+xml; charset=utf-8'], path)
    t.equal(text.split('<item>').length - 1, count, path)
  }
  t.equal((await api.anonymous.get('//events/category/none/feed/')).status, 400)
  t.equal((await api.anonymous.get('//events/category/%zz/feed/')).status, 400)
})

t.test('addresses of other views lead to pages with the same events', async (t) => {
  const { anonymous } = await build(t)
  for (const [path, to] of [
    ['/events/list/', '/events/'],
    ['/events/photo', '/events/'],
    ['/events/map/', '/events/'],
    ['/events/week/', '/events/'],
    ['/events/summary/', '/events/'],
    ['/events/day/', '/events/'],
    ['/events/list/page/2/', '/events/?page=2'],
    ['/events/page/3/', '/events/?page=3'],
    ['/events/?paged=3', '/events/?page=3'],
    ['/events/list/?eventDisplay=past', '/events/?when=past'],
    ['/events/list/?tribe-bar-search=jazz+%26+co&utm=1', '/events/?utm=1&q=jazz+%26+co'],
    ['/events/2026-12/', '/events/month/2026-12/'],
    ['/events/2026-12-01/', '/events/day/2026-12-01/'],
    ['/events/month/?tribe-bar-date=2026-12', '/events/month/2026-12/'],
    ['/events/list/?tribe-bar-date=2026-12-01', '/events/day/2026-12-01/'],
    ['/events/category/music/list/', '/events/category/music/'],
    ['/events/category/arts/music/', '/events/category/music/'],
    ['/events/category/caf%C3%A9/month/', '/events/month/?category=caf%C3%A9'],
    ['/events/category/a+b/month/2026-12', '/events/month/2026-12/?category=a%2Bb'],
    ['/events/tag/late/2026-12-01/', '/events/day/2026-12-01/?tag=late'],
    ['/events/tag/late/page/2/', '/events/tag/late/?page=2'],
    ['/ca/events/list/', '/ca/events/'],
    ['/?post_type=tribe_events', '/events/'],
    ['/?post_type=tribe_events&eventDisplay=month', '/events/'],
    ['/?post_type=tribe_events&feed=other', '/events/'],
    ['/index.php?post_type=tribe_events', '/events/'],
    ['/?s=jazz+%26+co&post_type=tribe_events', '/events/?q=jazz+%26+co'],
    ['/?post_type=tribe_events&s=', '/events/'],
    ['/?tribe_events=a%2Fb', '/event/a%2Fb/'],
    ['/ca/?post_type=tribe_events&tribe_events=concert&utm=1', '/ca/event/concert/?utm=1'],
    ['/ca/index.php?post_type=tribe_events', '/ca/events/'],
    ['/ca/?post_type=tribe_events&tribe_events_cat=a%2Fb', '/ca/events/category/a%2Fb/'],
  ] as const) {
    const { status, headers } = await anonymous.get(`/${path}`)
    t.same([status, headers.location], [301, to], path)
  }
  for (const path of [
    '/',
    '/?utm=1',
    '/?s=jazz',
    '/?post_type=post',
    '/events/',
    '/events',
    '/events/?page=1&q=a+b',
    '/events/month/2026-12/',
    '/events/month/2026-12/?category=none',
    '/events/day/2026-12-01/',
    '/events/today/',
    '/ca/events/today?category=none',
  ])
    t.not((await anonymous.get(`/${path}`)).status, 301, path)
  for (const path of ['/-moved/events/', '/events/unknown/', '/events/category/', '/events/feed/page/2/'])
    t.equal((await anonymous.get(`/${path}`)).status, 404, path)
  t.equal((await anonymous.post('//events/list/', {})).status, 405)
  const deep = await anonymous.get(`//events/category${'/a'.repeat(5_000)}/list/`)
  t.equal(deep.headers.location, '/events/category/a/')
})

t.test('the number of a post leads to the page of what it was here or elsewhere', async (t) => {
  const { anonymous, editor } = await build(t)
  const one = await must(editor.post('/events', { ...EVENT, title: 'One' }))
  const ca = await must(editor.post('/events', { ...EVENT, title: 'Un', i18n_language: 'ca' }))
  const named = { source: 'old.example', external_id: '4711' }
  const other = await must(editor.post('/events', { ...EVENT, title: 'Other', ...named }))
  await must(
    editor.post('/events', { ...EVENT, title: 'Draft', status: 'draft', source: 'b', external_id: '99' }),
  )
  for (const source of ['c', 'd'])
    await must(editor.post('/events', { ...EVENT, title: source, source, external_id: '4712' }))
  for (const [path, to] of [
    [`/?p=${one.id}`, '/event/one/'],
    [`/?post_type=tribe_events&p=${one.id}`, '/event/one/'],
    [`/index.php?p=${one.id}&utm=a+b`, '/event/one/?utm=a+b'],
    [`/ca/?p=${ca.id}`, '/ca/event/un/'],
    [`/?p=${ca.id}&ical=1`, '/ca/event/un/?ical=1'],
    ['/?p=4711', `/event/${other.slug}/`],
  ] as const) {
    const { status, headers } = await anonymous.get(`/${path}`)
    t.same([status, headers.location], [301, to], path)
  }
  for (const path of ['/?p=99', '/?p=4712', '/?post_type=tribe_events&p=888', '/-moved/-p/1'])
    t.equal((await anonymous.get(`/${path}`)).status, 404, path)
  for (const path of ['/?p=', '/?p=0', '/?p=x']) t.equal((await anonymous.get(`/${path}`)).status, 200, path)
})

t.test('a category with the name of a view has its page', async (t) => {
  const { anonymous, editor } = await build(t)
  await must(editor.post('/events', { ...EVENT, categories: ['List', 'Month'] }))
  for (const slug of ['list', 'month'])
    t.equal((await anonymous.get(`//events/category/${slug}/`)).status, 200, slug)
})

t.test('with a path in BASE_URL redirects are below it', async (t) => {
  const { anonymous } = await build(t, { env: { BASE_URL: 'https://example.test/agenda' } })
  for (const way of ['/agenda', '']) {
    const { headers } = await anonymous.get(`/${way}/events/list/`)
    t.equal(headers.location, '/agenda/events/')
    t.match((await anonymous.get(`/${way}/?ical=1`)).headers['content-type'], 'text/calendar')
    t.match((await anonymous.get(`/${way}/feed/`)).headers['content-type'], 'application/rss+xml')
  }
})

t.test('without pages there are calendars and feeds, and no redirects', async (t) => {
  const { anonymous } = await build(t, { env: { PAGES: 'off' } })
  t.equal((await anonymous.get('//events/list/?ical=1')).status, 200)
  t.equal((await anonymous.get('//feed/')).status, 200)
  t.equal((await anonymous.get('//events/list/')).status, 404)
})
