import t from 'tap'
import { listed, must, refusal, shown } from '../../support/answers.ts'
import { type Answer, build, EVENT, ROOT } from '../../support/app.ts'

const api = await build(t)
const { anonymous, editor } = api
const BASE = `http://calendar.test${ROOT}`
const follow = (url: string, client = anonymous) =>
  client.send({ method: 'GET', url: url.replace('http://calendar.test', '') })
const neighbours = ({ body }: Answer) =>
  ['previous_rest_url', 'next_rest_url'].filter((name) => name in body).map((name) => name.split('_')[0])

// fourteen events: a to n, an hour each, put in from the last to the first
const letters = [...'abcdefghijklmn']
for (const [at, title] of [...letters.entries()].reverse()) {
  const day = `2026-12-${String(at + 1).padStart(2, '0')}`
  await must(editor.post('/events', { title, start_date: `${day} 10:00`, end_date: `${day} 11:00` }))
}

/** The link of lists to their calendar. */
const CALENDAR = `<${BASE.replace('http:', 'webcal:')}/events.ics>; rel="alternate"; type="text/calendar"`

t.test('a list of nothing is a page without entries, and its calendar', async (t) => {
  const { anonymous } = await build(t)
  const answer = await anonymous.get('/events')
  t.strictSame(answer.body, {
    events: [],
    rest_url: `${BASE}/events/?per_page=12&start_date=2026-11-20+00%3A00%3A00&end_date=2028-11-21+23%3A59%3A59&page=1`,
    total: 0,
    total_pages: 0,
  })
  t.strictSame(Object.keys(answer.body)[0], 'events')
  t.match(answer.headers, { 'x-tec-total': '0', 'x-tec-totalpages': '0', 'x-wp-total': '0' })
  t.equal(answer.headers.link, CALENDAR)
  t.equal(shown(await anonymous.get('/events?page=2')), '404 event-archive-page-not-found')
})

t.test('pages have twelve entries unless told otherwise, fifty at most', async (t) => {
  const cases: [query: string, titles: string, pages: number, links: string[]][] = [
    ['', 'a b c d e f g h i j k l', 2, ['next']],
    ['page=1', 'a b c d e f g h i j k l', 2, ['next']],
    ['page=2', 'm n', 2, ['previous']],
    ['per_page=5', 'a b c d e', 3, ['next']],
    ['per_page=5&page=2', 'f g h i j', 3, ['previous', 'next']],
    ['per_page=5&page=3', 'k l m n', 3, ['previous']],
    ['per_page=14', letters.join(' '), 1, []],
    ['per_page=50', letters.join(' '), 1, []],
    ['per_page=1000', letters.join(' '), 1, []],
    ['per_page=7&per_page=2&page=7', 'm n', 7, ['previous']],
  ]
  for (const [query, titles, pages, links] of cases) {
    const answer = await anonymous.get(`/events?${query}`)
    t.equal(shown(answer), titles, query)
    t.match(answer.body, { total: 14, total_pages: pages }, query)
    t.strictSame(neighbours(answer), links, query)
    t.match(answer.headers, {
      'x-tec-total': '14',
      'x-tec-totalpages': String(pages),
      'x-wp-total': '14',
      'x-wp-totalpages': String(pages),
    })
  }
  t.match((await anonymous.get('/events?per_page=1000')).body.rest_url, 'per_page=50&')
  t.equal(shown(await anonymous.get('/events?per_page=5&page=4')), '404 event-archive-page-not-found')
})

t.test('more than fifty matches are never shown at once', async (t) => {
  const crowd = await build(t)
  await must(crowd.editor.post('/events', { ...EVENT, recurrence: { rrule: 'FREQ=DAILY;COUNT=51' } }))
  const { body } = await crowd.anonymous.get('/events?per_page=100')
  t.strictSame([body.events.length, body.total, body.total_pages], [50, 51, 2])
  t.equal((await crowd.anonymous.get('/events?per_page=100&page=2')).body.events.length, 1)
})

t.test('links name the neighbouring pages, in the body and in the Link header', async (t) => {
  const { body, headers } = await anonymous.get('/events?per_page=5&page=2')
  const window = 'start_date=2026-11-20+00%3A00%3A00&end_date=2028-11-21+23%3A59%3A59'
  t.equal(body.rest_url, `${BASE}/events/?per_page=5&${window}&page=2`)
  t.equal(body.next_rest_url, `${BASE}/events/?per_page=5&${window}&page=3`)
  t.equal(body.previous_rest_url, `${BASE}/events/?per_page=5&${window}`)
  t.equal(
    headers.link,
    `<${body.next_rest_url}>; rel="next", <${body.previous_rest_url}>; rel="prev", ${CALENDAR}`,
  )
})

t.test('links keep the window of the first page when the clock goes on', async (t) => {
  const { body } = await anonymous.get('/events?per_page=5')
  api.clock.now += 20 * 86_400_000
  t.equal(shown(await follow(body.next_rest_url)), 'f g h i j')
  t.equal(shown(await anonymous.get('/events?per_page=5')), 'j k l m n')
  api.clock.now -= 20 * 86_400_000
})

t.test('links carry every filter that was given, and never a password', async (t) => {
  const { editor, anonymous } = await build(t)
  const { id: category } = await must(editor.post('/categories', { name: 'Rock & Röll' }))
  const { id: tag } = await must(editor.post('/tags', { name: 'late' }))
  const { id: venue } = await must(
    editor.post('/venues', { venue: 'Hall', city: 'Vic', geo_lat: 41.4, geo_lng: 2.2 }),
  )
  const { id: organizer } = await must(editor.post('/organizers', { organizer: 'Us' }))
  const parent = await must(
    editor.post('/events', { ...EVENT, start_date: '2020-01-01', end_date: '2020-01-01' }),
  )
  const links = { categories: [category], tags: [tag], venue, organizer: [organizer] }
  const states = { event_status: 'postponed', attendance_mode: 'online' }
  const more = { featured: true, ticketed: true, ...states, post_parent: parent.id, i18n_language: 'ca' }
  const ids: number[] = []
  for (let at = 0; at < 5; at++)
    ids.push((await must(editor.post('/events', { ...EVENT, ...links, ...more, title: 'same #&%' }))).id)
  const filters: Record<string, string> = {
    starts_before: '2027-01-01 00:00:00',
    starts_after: '2026-11-01 00:00:00',
    ends_before: '2027-01-01T00:00:00Z',
    ends_after: '2026-11-01 00:00:00',
    strict_dates: 'true',
    search: 'same #&%',
    categories: 'Rock & Röll',
    tags: `late,${tag}`,
    venue: String(venue),
    town: 'Vic',
    organizer: String(organizer),
    featured: 'true',
    status: 'publish',
    geoloc: 'true',
    geoloc_lat: '41.4',
    geoloc_lng: '2.2',
    geoloc_radius: '5',
    post_parent: String(parent.id),
    ticketed: 'true',
    event_status: 'cancelled,postponed',
    attendance_mode: 'online',
    i18n_language: 'ca',
    when: 'upcoming',
    orderby: 'title',
    order: 'asc',
    _fields: 'events.id,next_rest_url,total',
    unknown: 'ä b',
  }
  const query = new URLSearchParams({ ...filters, per_page: '2', password: 'secret' })
  let answer = await anonymous.get(`/events?${query}`)
  const seen: number[] = []
  for (;;) {
    t.equal(answer.body.total, 5)
    seen.push(...answer.body.events.map(({ id }: { id: number }) => id))
    const next = answer.body.next_rest_url
    if (!next) break
    const carried = Object.fromEntries(new URL(next).searchParams)
    t.match(carried, { ...filters, per_page: '2' })
    t.notOk('password' in carried)
    t.equal(new URL(next).href, next, 'a valid URL')
    answer = await follow(next, anonymous)
  }
  t.strictSame(seen, ids, 'each match once, in order')
})

t.test('links say false filters too, and lists given in any of the usual ways', async (t) => {
  for (const query of [
    'include=3,2',
    'include=3&include=2',
    'include[]=3&include[]=2',
    'include[0]=3&include[1]=2',
  ]) {
    const { body } = await anonymous.get(`/events?${query}&featured=0`)
    const carried = Object.fromEntries(new URL(body.rest_url).searchParams)
    t.strictSame(carried, { per_page: '12', page: '1', include: '3,2', featured: 'false' }, query)
    t.equal(body.total, 2)
  }
})

const KINDS = [
  { kind: 'venue', plural: 'venues', name: 'venue' },
  { kind: 'organizer', plural: 'organizers', name: 'organizer' },
  { kind: 'category', plural: 'categories', name: 'name' },
  { kind: 'tag', plural: 'tags', name: 'name' },
] as const

for (const { kind, plural, name } of KINDS)
  t.test(`pages of ${plural} are linked, with every filter that was given`, async (t) => {
    const { anonymous, editor } = await build(t)
    const ids: number[] = []
    for (const letter of 'abcdef')
      ids.push((await must(editor.post(`/${plural}`, { [name]: letter, description: 'x' }))).id)
    const [sent, carried] =
      name === 'name'
        ? [
            `order=ASC&exclude[]=${ids[5]}&hide_empty=0&x=%C3%A9+1`,
            `exclude=${ids[5]}&order=asc&hide_empty=false&x=%C3%A9+1`,
          ]
        : ['status=any&search=X&has_events=0&x=%C3%A9+1', 'search=X&has_events=false&status=any&x=%C3%A9+1']
    if (name !== 'name') await must(editor.post('/events', { ...EVENT, [kind]: ids[5] }))
    const root = `${BASE}/${plural}/?per_page=2&${carried}`
    const names: string[] = []
    let answer = await editor.get(`/${plural}?per_page=2&${sent}`)
    for (const [page, previous, next] of [
      [1, undefined, `${root}&page=2`],
      [2, root, `${root}&page=3`],
      [3, `${root}&page=2`, undefined],
    ] as const) {
      const { [plural]: entries, ...rest } = answer.body
      names.push(...entries.map((entry: Record<string, string>) => entry[name]))
      t.strictSame(rest, {
        rest_url: `${root}&page=${page}`,
        ...(next && { next_rest_url: next }),
        ...(previous && { previous_rest_url: previous }),
        ...{ total: 5, total_pages: 3 },
      })
      t.match(answer.headers, {
        ...{ 'x-tec-total': '5', 'x-wp-total': '5', 'x-tec-totalpages': '3', 'x-wp-totalpages': '3' },
        link: [next && `<${next}>; rel="next"`, previous && `<${previous}>; rel="prev"`]
          .filter(Boolean)
          .join(', '),
      })
      if (next) answer = await editor.get(`/${next.slice('http://calendar.test'.length)}`)
    }
    t.equal(names.sort().join(''), 'abcde')
    const { body, headers } = await anonymous.get(`/${plural}?per_page=1000&hide_empty=0`)
    t.same(Object.keys(body), [plural, 'rest_url', 'total', 'total_pages'])
    t.match(body, { rest_url: `${BASE}/${plural}/?per_page=50&`, total: 6, total_pages: 1 })
    t.notOk('link' in headers, 'the only page')
    for (const query of ['hide_empty=0&page=2', 'search=nothing&page=2'])
      t.equal(
        refusal(await anonymous.get(`/${plural}?${query}`)),
        `404 ${kind}-archive-page-not-found`,
        query,
      )
    t.equal(
      refusal(await anonymous.get(`/${plural}?page=0&per_page=0`)),
      '400 rest_invalid_param page per_page',
    )
  })

t.test('the root of a language has the records of that language', async (t) => {
  const { anonymous, editor } = await build(t)
  for (const { plural, name } of KINDS) {
    await must(editor.post(`/${plural}`, { [name]: 'Hall' }))
    await must(editor.post(`//ca${ROOT}/${plural}`, { [name]: 'Sala' }))
    for (const [path, expected] of [
      [`//ca${ROOT}/${plural}?hide_empty=0`, 'Sala'],
      [`//ca${ROOT}/${plural}?hide_empty=0&i18n_language=es`, ''],
      [`/${plural}?hide_empty=0&i18n_language=ca`, 'Sala'],
    ] as const)
      t.equal(listed(await anonymous.get(path), plural, name), expected, path)
    const { body } = await anonymous.get(`//ca${ROOT}/${plural}`)
    t.match(body.rest_url, `http://calendar.test/ca${ROOT}/${plural}/`)
  }
})
