import t from 'tap'
import { must } from '../../../support/answers.ts'
import { build, EVENT } from '../../../support/app.ts'
import { listOf, mirrorOf, QUARTER, titlesOf, trashOf } from '../../../support/importing.ts'
import { calendarOf, openFeeds, vevent } from '../../../support/sites.ts'

t.test('a calendar is followed: new, changed and gone events, and series', async (t) => {
  const site = await openFeeds(t)
  const api = await build(t)
  const feed = { body: '', etag: '"1"' }
  site.answers['/events.ics'] = feed
  const tell = (etag: string, ...events: string[][]) =>
    Object.assign(feed, { body: calendarOf(...events), etag })
  const weekly = (...more: string[]) => vevent('yoga', 1, 'RRULE:FREQ=WEEKLY;COUNT=4', ...more)
  const own = (title: string) => [
    ...['UID:yoga', 'RECURRENCE-ID:20261208T190000', 'DTSTART:20261208T200000', 'DTEND:20261208T210000'],
    `SUMMARY:${title}`,
  ]
  tell(
    '"1"',
    vevent('one', 3, 'URL:https://club.example/one'),
    vevent('two', 4),
    weekly(),
    own('yoga outside'),
  )
  const { mirror, look } = mirrorOf(t, api, `${site.root}/events.ics`, { category: 'Sport' })
  t.equal(await look(), QUARTER)
  t.same(await titlesOf(api), ['one', 'two', 'yoga', 'yoga', 'yoga', 'yoga outside'])
  const [one] = (await listOf(api)).filter(({ title }: { title: string }) => title === 'one')
  t.match(one, {
    ...{ status: 'publish', source: site.host, external_id: 'one', website: 'https://club.example/one' },
    categories: [{ name: 'Sport' }],
  })
  t.same(mirror.status(), {
    ...{ source: site.root, state: 'following', lag: 0, failures: 0, refused: 0, left: 0 },
  })

  site.asked.splice(0)
  await look()
  t.same(site.asked, ['304 /events.ics'], 'nothing is sent that did not change')

  const before = await api.fingerprint()
  tell(
    '"2"',
    vevent('one', 3, 'URL:https://club.example/one'),
    vevent('two', 4),
    weekly(),
    own('yoga outside'),
  )
  await look()
  t.equal(await api.fingerprint(), before, 'the same calendar again writes nothing')

  tell('"3"', vevent('one', 5, 'SUMMARY:first'), weekly('LOCATION:Hall'), vevent('new', 9))
  await look()
  t.same(await titlesOf(api), ['first', 'new', 'yoga', 'yoga', 'yoga', 'yoga'])
  t.same(await trashOf(api), ['two'])
  t.match(
    (await listOf(api)).filter(({ title }: { title: string }) => title === 'yoga'),
    Array.from({ length: 4 }, () => ({ venue: { venue: 'Hall' } })),
    'a date that is like the others again follows its series',
  )
  tell('"4"', vevent('one', 5, 'SUMMARY:first'), vevent('two', 4), weekly(), vevent('new', 9))
  await look()
  t.same(await trashOf(api), [], 'what comes back comes out of the trash')
  t.same(
    (await listOf(api)).map(({ venue }: { venue: unknown }) => venue),
    Array.from({ length: 7 }, () => []),
    'what the feed tells no more is cleared',
  )
  const ids = (await listOf(api)).map(({ external_id }: { external_id?: string }) => external_id).sort()
  t.equal(ids.filter((id: string) => id === 'two').length, 1)
})

t.test('what is over stays, also of a series', async (t) => {
  const site = await openFeeds(t)
  const api = await build(t)
  site.answers['/e.ics'] = {
    body: calendarOf(vevent('over', 1), vevent('coming', 20), vevent('run', 1, 'RRULE:FREQ=WEEKLY;COUNT=4')),
  }
  const { look } = mirrorOf(t, api, `${site.root}/e.ics`)
  await look()
  api.clock.now = Date.UTC(2026, 11, 10)
  site.answers['/e.ics'] = { body: calendarOf() }
  await look()
  t.same(await titlesOf(api), ['over', 'run', 'run'])
  t.same(await trashOf(api), ['coming', 'run', 'run'])
  site.answers['/e.ics'] = { body: calendarOf(vevent('run', 1, 'RRULE:FREQ=WEEKLY;COUNT=4')) }
  await look()
  t.same(await titlesOf(api), ['over', 'run', 'run', 'run', 'run'])
})

t.test('what was edited or deleted here is left, and named', async (t) => {
  const site = await openFeeds(t)
  const api = await build(t)
  const { patch, delete: remove } = api.administrator
  const rule = 'RRULE:FREQ=WEEKLY;COUNT=3'
  const changed = (uid: string) => ['RECURRENCE-ID:20261208T190000', `SUMMARY:${uid} moved`]
  const calendar = (title: string, ...more: string[][]) =>
    calendarOf(
      ...['edited', 'deleted', 'repeats'].map((uid, at) => vevent(uid, 2 + at, `SUMMARY:${uid} ${title}`)),
      ...[vevent('series', 1, rule, `SUMMARY:series ${title}`), vevent('dates', 1, rule)],
      ...more,
    )
  const own = vevent('dates', 8, ...changed('dates'))
  site.answers['/e.ics'] = { body: calendar('once', vevent('vanishes', 6), own) }
  const { mirror, look, heard } = mirrorOf(t, api, `${site.root}/e.ics`)
  await look()
  const all = await listOf(api)
  api.clock.now += QUARTER
  const find = (title: string) => all.find((one: { title: string }) => one.title === title)
  await must(patch(`/events/${find('edited once').id}`, { title: 'Mine' }))
  await must(remove(`/events/${find('deleted once').id}`))
  await must(patch(`/events/${find('vanishes').id}`, { title: 'Stays' }))
  await must(patch(`/events/${find('dates moved').id}`, { title: 'My date' }))
  await must(patch(`/events/${find('dates').id}`, { title: 'My first' }))
  await must(patch(`/events/${find('repeats once').id}`, { title: 'My repeat' }))
  await must(patch(`/series/${find('series once').series}`, { title: 'My series' }))
  const late = vevent('dates', 15, 'RECURRENCE-ID:20261215T190000', 'SUMMARY:late')
  const first = vevent('dates', 1, 'RECURRENCE-ID:20261201T190000', 'SUMMARY:first')
  const repeats = vevent('repeats', 4, rule)
  const body = calendar('twice', vevent('dates', 8, ...changed('dates'), 'LOCATION:x'), late, first)
  site.answers['/e.ics'] = {
    body: body.replace(
      /BEGIN:VEVENT\r\nUID:repeats.*?END:VEVENT/s,
      `BEGIN:VEVENT\r\n${repeats.join('\r\n')}\r\nEND:VEVENT`,
    ),
  }
  await look()
  t.same(await titlesOf(api), [
    ...['Mine', 'My date', 'My first', 'My repeat', 'My series', 'My series', 'My series', 'Stays', 'late'],
  ])
  t.same(heard, [
    'edited twice: it was edited here since',
    'deleted twice: it was deleted here',
    'repeats: it was edited here since',
    'series twice: it was edited here since',
    'dates, 2026-12-08 19:00:00: it was edited here since',
    'dates, 2026-12-01 19:00:00: it was edited here since',
    'Stays: it is gone from the source, but was edited here since',
  ])
  t.match(mirror.status(), { left: 7, refused: 0 })
  const before = await api.fingerprint()
  await look()
  t.equal(heard.length, 7, 'each once')
  t.equal(await api.fingerprint(), before)
  site.answers['/e.ics'] = { body: calendar('twice') }
  await look()
  t.same(
    (await titlesOf(api)).filter((title: string) => /^(My (date|first)|late)$/.test(title)),
    ['My date', 'My first'],
    'a date that was edited here stays unlike the others',
  )
})

t.test('a single event that repeats by now becomes a series, and back', async (t) => {
  const site = await openFeeds(t)
  const api = await build(t)
  const tell = (...more: string[]) => {
    site.answers['/e.ics'] = { body: calendarOf(vevent('yoga', 3, ...more)) }
  }
  tell()
  const { look } = mirrorOf(t, api, `${site.root}/e.ics`)
  await look()
  tell('RRULE:FREQ=DAILY;COUNT=2')
  await look()
  t.same(await titlesOf(api), ['yoga', 'yoga'])
  t.same(await trashOf(api), ['yoga'])
  tell('LOCATION:Hall')
  await look()
  t.same(await titlesOf(api), ['yoga'])
  tell('RRULE:FREQ=DAILY;COUNT=3')
  await look()
  t.same(await titlesOf(api), ['yoga', 'yoga', 'yoga'])
})

t.test('what is here from elsewhere is left, and what comes back may have become a series', async (t) => {
  const site = await openFeeds(t)
  const api = await build(t)
  await must(
    api.administrator.post('/events', { ...EVENT, title: 'Ours', source: site.host, external_id: 'ours' }),
  )
  site.answers['/agenda'] = { body: calendarOf(vevent('ours', 3), vevent('yoga', 4)) }
  const { look, heard } = mirrorOf(t, api, `${site.root}/agenda`)
  await look()
  t.same(await titlesOf(api), ['Ours', 'yoga'])
  t.same(heard, ['ours: it is here from elsewhere'])
  site.answers['/agenda'] = { body: calendarOf() }
  await look()
  site.answers['/agenda'] = { body: calendarOf(vevent('yoga', 4, 'RRULE:FREQ=DAILY;COUNT=2')) }
  await look()
  t.same(await titlesOf(api), ['Ours', 'yoga', 'yoga'])
  t.same(await trashOf(api), ['yoga'])
  const run = (...more: string[]) => calendarOf(vevent('run', 6, ...more))
  site.answers['/agenda'] = { body: run('RRULE:FREQ=DAILY;COUNT=2') }
  await look()
  site.answers['/agenda'] = { body: run() }
  await look()
  t.same(await titlesOf(api), ['Ours', 'run'], 'a series that is a single event by now')
})
