import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'

t.test('what is typed is completed from names and titles that everybody sees', async (t) => {
  const { anonymous, editor, clock } = await build(t)
  const suggest = async (q: string, more = '') => {
    const { body } = await anonymous.get(`/suggest?q=${encodeURIComponent(q)}${more}`)
    const { words, ...records } = body
    const named = Object.entries(records as Record<string, Record<string, string>[]>).flatMap(([kind, all]) =>
      all.map((one) => `${kind} ${one.venue ?? one.organizer ?? one.name ?? one.title}`),
    )
    return [words.join(' '), ...named].join(', ')
  }
  t.equal(await suggest('jaz'), '')
  const make = (title: string, more: object = {}) =>
    must(editor.post('/events', { ...EVENT, title, ...more }))
  const jazz = await make('Jazz night', {
    venue: { venue: 'Jazz Cava', city: 'Vic' },
    organizer: { organizer: 'Amics del jazz' },
    categories: ['Jazz and blues'],
  })
  await make('Jazz morning')
  await make('Secret jazzette', { status: 'draft' })
  await make('Hidden jazzman', { hide_from_listings: true })
  await make('Locked', { password: 'x', description: 'jazzy', venue: { venue: 'Cava nova' } })
  await make('Over', {
    title: 'Jazzless',
    start_date: '2026-11-20 10:00:00',
    end_date: '2026-11-20 11:00:00',
  })
  await must(editor.post('/venues', { venue: 'Jazzhaus', status: 'draft' }))
  await must(editor.post('/categories', { name: 'Jazz empty' }))
  t.equal(
    await suggest('JAZ'),
    'jazz, venues Jazz Cava, organizers Amics del jazz, categories Jazz and blues, events Jazz night, events Jazz morning',
  )
  t.equal(await suggest('jazz n'), 'night, events Jazz night')
  t.equal(await suggest('cava vi'), 'vic, venues Jazz Cava')
  t.equal(await suggest('vic mor'), 'morning')
  t.equal(await suggest('lock'), 'locked, events Locked')
  t.equal(await suggest('cav'), 'cava, venues Cava nova, venues Jazz Cava')
  const long = await make('Zug zub zuc zud zue zuf zua zuz x')
  const chinese = await make('音楽会')
  for (const q of ['zu', 'z'])
    t.equal(await suggest(q), 'zua zub zuc zud zue, events Zug zub zuc zud zue zuf zua zuz x', q)
  t.equal(await suggest('楽会'), ', events 音楽会')
  for (const { id } of [long, chinese]) await must(editor.delete(`/events/${id}`))
  await must(editor.patch(`/events/${jazz.id}`, { status: 'draft' }))
  t.equal(await suggest('jazz n'), 'nova')
  t.equal(await suggest('nig'), '')
  await must(editor.patch(`/events/${jazz.id}`, { status: 'publish', title: 'Blues night' }))
  t.equal(await suggest('nig'), 'night, events Blues night')
  clock.now += 70 * 60_000
  t.equal(await suggest('nig'), 'night, events Blues night', 'titles that are read again beside are there')
  clock.now = Date.parse('2027-12-01T00:00:00Z')
  t.equal(await suggest('nig'), '')
})

t.test('records of one name are suggested in the order in which they were made', async (t) => {
  const { anonymous, editor } = await build(t)
  const ids: number[] = []
  for (const venue of ['Jazz Cava', 'Jazz Cava', 'Jazz Arc', 'Jazz Cava'])
    ids.push((await must(editor.post('/venues', { venue, city: `Town ${ids.length}` }))).id)
  const { venues } = await must(anonymous.get('/suggest?q=jazz'))
  t.same(
    venues.map(({ id }: { id: number }) => id),
    [ids[2], ids[0], ids[1], ids[3]],
  )
})

t.test('suggestions are in one language, and of a series the next date', async (t) => {
  const { anonymous, editor } = await build(t)
  const venue = await must(editor.post('/venues', { venue: 'Plaça Major', i18n_language: 'ca' }))
  await must(editor.post('/venues', { venue: 'Plaza Mayor', i18n_language: 'es', translation_of: venue.id }))
  await must(editor.post('/venues', { venue: 'Plaza Nueva', i18n_language: 'es' }))
  await must(editor.post('/events', { ...EVENT, title: 'Plaça plena', i18n_language: 'ca' }))
  await must(
    editor.post('/events', {
      ...{ ...EVENT, title: 'Plaza llena', i18n_language: 'es' },
      recurrence: { rrule: 'FREQ=WEEKLY;COUNT=4' },
    }),
  )
  const suggest = async (path: string) => {
    const { venues, events, words } = (await anonymous.get(path)).body
    return [
      words,
      venues.map((one: { venue: string }) => one.venue),
      events.map((one: { title: string }) => one.title),
    ]
  }
  t.strictSame(await suggest('/suggest?q=pla&i18n_language=ca'), [
    ['placa', 'plaza', 'plena'].slice(0, 2),
    ['Plaça Major', 'Plaza Nueva'],
    ['Plaça plena'],
  ])
  t.strictSame(await suggest('/suggest?q=pla&i18n_language=es'), [
    ['plaza'],
    ['Plaza Mayor', 'Plaza Nueva'],
    ['Plaza llena'],
  ])
  t.strictSame(await suggest('/suggest?q=pla'), [
    ['plaza', 'placa'],
    ['Plaça Major', 'Plaza Mayor', 'Plaza Nueva'],
    ['Plaça plena', 'Plaza llena'],
  ])
})

t.test('suggestions are kept, revalidated, and refused without a word', async (t) => {
  const { anonymous, editor } = await build(t)
  await must(editor.post('/events', { ...EVENT, title: 'Jazz' }))
  const { headers, body } = await anonymous.get('/suggest?q=ja&_fields=events')
  t.strictSame(Object.keys(body), ['events'])
  t.match(headers, { 'cache-control': /public/, etag: /^"/ })
  const known = { headers: { 'if-none-match': headers.etag! } }
  t.equal((await anonymous.get('/suggest?q=ja&_fields=events', undefined, known)).status, 304)
  t.match((await editor.get('/suggest?q=ja')).headers, { 'cache-control': 'private, no-cache' })
  t.same((await anonymous.get('/suggest?q=-jazz')).body.events, [])
  for (const q of ['%22', '']) {
    const { status, body } = await anonymous.get(`/suggest?q=${q}`)
    t.match(
      { status, body },
      { status: 400, body: { code: 'rest_invalid_param', data: { params: { q: String } } } },
    )
  }
  const { url, rest_url } = (await anonymous.get('/suggest?q=ja')).body.events[0]
  t.strictSame(
    [url, rest_url],
    ['http://calendar.test/event/jazz/', 'http://calendar.test/calendar/events/v1/events/1'],
  )
})

t.test(
  'when the next date of a series is over, deleted or moved, the one after it is suggested',
  async (t) => {
    const { anonymous, editor, clock } = await build(t)
    const make = async (title: string, start_date: string) => {
      const { series } = await must(
        editor.post('/events', {
          ...{ title, start_date, end_date: start_date.replace('10:00', '11:00'), timezone: 'UTC' },
          recurrence: { rrule: 'FREQ=WEEKLY;COUNT=4' },
        }),
      )
      const dates = await must(
        anonymous.get(`/events?series=${series}&start_date=2026-12-01&end_date=2027-02-01`),
      )
      return dates.events.map(({ id }: { id: number }) => id) as number[]
    }
    clock.now = Date.parse('2026-12-01T09:45:00Z')
    const jazz = await make('Jazz weekly', '2026-12-01 10:00:00')
    const many: number[][] = []
    for (let at = 10; at < 31; at++) many.push(await make(`Blues ${at}`, '2026-12-01 10:00:00'))
    const suggest = async (q: string): Promise<number[]> =>
      (await must(anonymous.get(`/suggest?q=${q}`))).events.map(({ id }: { id: number }) => id)
    t.same(await suggest('jazz'), [jazz[0]])
    t.same(await suggest('blues+11'), [many[1]![0]])
    clock.now = Date.parse('2026-12-01T11:00:01Z')
    t.same(await suggest('blues+11'), [many[1]![1]], 'also of many series that end a date at once')
    t.same(await suggest('jazz'), [jazz[1]])
    await must(editor.delete(`/events/${jazz[1]}`))
    t.same(await suggest('jazz'), [jazz[2]])
    await must(
      editor.patch(`/events/${jazz[2]}`, { start_date: '2027-01-20 10:00', end_date: '2027-01-20 11:00' }),
    )
    t.same(await suggest('jazz'), [jazz[3]])
    clock.now = Date.parse('2026-12-22T11:00:01Z')
    t.same(await suggest('jazz'), [jazz[2]])
    clock.now = Date.parse('2027-01-20T10:30:00Z')
    t.same(await suggest('jazz'), [jazz[2]])
    clock.now = Date.parse('2027-01-20T11:00:00Z')
    t.same(await suggest('jazz'), [])
  },
)
