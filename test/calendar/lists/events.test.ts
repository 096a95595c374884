import { sql } from 'drizzle-orm'
import t from 'tap'
import { must, shown } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

t.test('events come by local start, then by ID, whatever their flags and zones', async (t) => {
  const { editor, anonymous } = await openRecords(t)
  const add = (title: string, start: string, more = {}) =>
    must(editor.create('event', { title, start_date: start, end_date: '2027-01-01', ...more }))
  await add('third', '2026-12-01 10:00', { timezone: 'Asia/Tokyo' })
  await add('fourth', '2026-12-01 10:00', { sticky: true, featured: true })
  await add('fifth', '2026-12-01 10:00', { date: '2020-01-01' })
  await add('second', '2026-12-01 09:00', { timezone: 'America/Los_Angeles' })
  await add('first', '2026-11-30 23:00')
  t.equal(shown(await anonymous.list('event')), 'first second third fourth fifth')
})

t.test('every parameter at fault is named at once', async (t) => {
  const { anonymous } = await openRecords(t)
  const numbers = ['page', 'per_page', 'geoloc_lat', 'geoloc_lng', 'geoloc_radius', 'post_parent']
  const booleans = ['featured', 'ticketed', 'geoloc', 'strict_dates']
  const dates = ['start_date', 'end_date', 'starts_before', 'starts_after', 'ends_before', 'ends_after']
  const lists = ['venue', 'organizer', 'include']
  const words = ['status', 'i18n_language', 'event_status', 'attendance_mode']
  const names = [...numbers, ...booleans, ...dates, ...lists, ...words]
  const { status, body } = await anonymous.list('event', names.map((name) => `${name}=wrong`).join('&'))
  t.strictSame([status, body.code, body.data.status], [400, 'rest_invalid_param', 400])
  t.strictSame(Object.keys(body.data.params).sort(), names.sort())
  for (const name of names) t.match(body.message, `${name}: must`)
})

t.test('values that can not be taken are refused by name', async (t) => {
  const { anonymous } = await openRecords(t)
  const cases: [query: string, names: string][] = [
    ...['page', 'per_page'].flatMap((name): [string, string][] =>
      ['', '0', '-1', '2.5', 'two', '1,2'].map((value) => [`${name}=${value}`, name]),
    ),
    ['page[]=1', 'page'],
    ['search=', 'search'],
    ['categories=', 'categories'],
    ['tags=,', 'tags'],
    ['venue=', 'venue'],
    ['include=1,x', 'include'],
    ['include=0', 'include'],
    [`include=${Array(101).fill(1)}`, 'include'],
    ['featured=', 'featured'],
    ['featured=yes', 'featured'],
    ['status=', 'status'],
    ['status=published', 'status'],
    ['event_status=', 'event_status'],
    ['event_status=any', 'event_status'],
    ['event_status=scheduled,Cancelled', 'event_status'],
    ['attendance_mode=,', 'attendance_mode'],
    ['attendance_mode=hybrid', 'attendance_mode'],
    ['geoloc_lat=91&geoloc_lng=0', 'geoloc_lat'],
    ['geoloc_lat=0&geoloc_lng=-180.5', 'geoloc_lng'],
    ['geoloc_lat=1', 'geoloc_lat'],
    ['geoloc_lng=1', 'geoloc_lng'],
    ['geoloc_lat=1&geoloc_lng=1&geoloc_radius=0', 'geoloc_radius'],
    ['i18n_language=fr', 'i18n_language'],
    ['password=', 'password'],
    [
      'categories=none&tags=none&venue=999&organizer=999&post_parent=999',
      'categories tags venue organizer post_parent',
    ],
    ['geoloc_lat=1&status=draft&venue=999', 'geoloc_lat status venue'],
  ]
  for (const [query, names] of cases)
    t.equal(shown(await anonymous.list('event', query)), `400 rest_invalid_param ${names}`, query)
})

t.test('parameters that do not exist are ignored', async (t) => {
  const { editor, anonymous } = await openRecords(t)
  for (const title of ['a', 'b', 'c', 'd']) await must(editor.create('event', { ...EVENT, title }))
  const plain = shown(await anonymous.list('event'))
  for (const query of ['offset=3', 'orderby=date&order=desc', 'context=edit', '_embed', 'foo[bar]=1'])
    t.equal(shown(await anonymous.list('event', query)), plain, query)
})

t.test('few events among many are listed as among few', async (t) => {
  const lists: string[][] = []
  for (const others of [0, 100_000]) {
    const { store, editor, anonymous } = await openRecords(t)
    // IDs say how many there may be
    await store.db.write(async (tx) =>
      tx.run(sql`insert into sqlite_sequence (name, seq) values ('posts', ${others})`),
    )
    const hall = await must(editor.create('venue', { venue: 'Hall', geo_lat: 41, geo_lng: 2 }))
    const barn = await must(editor.create('venue', { venue: 'Barn' }))
    for (let at = 1; at <= 12; at++)
      await must(
        editor.create('event', {
          ...EVENT,
          title: `E${at}`,
          description: at % 2 ? 'opera' : 'jazz',
          start_date: `2027-01-${String(at).padStart(2, '0')} 18:00:00`,
          end_date: `2027-01-${String(at + (at % 5)).padStart(2, '0')} 20:00:00`,
          venue: at % 3 ? hall.id : barn.id,
          tags: at < 9 ? ['early'] : ['late', 'long'],
          featured: at % 4 === 0,
        }),
      )
    const seen: string[] = []
    const see = async () => {
      for (const query of [
        'tags=early',
        'tags=early&featured=true',
        'tags=late&search=opera',
        'tags=late&search=-opera',
        'search=opera&page=2&per_page=4',
        `tags=late&venue=${hall.id}`,
        `venue=${hall.id},${barn.id}&tags=early,late`,
        `venue=${barn.id}&geoloc=true`,
        `tags=early&geoloc=true`,
        `tags=early&geoloc=false`,
        `venue=${hall.id}&geoloc_lat=41&geoloc_lng=2`,
        `venue=${barn.id}&geoloc_lat=41&geoloc_lng=2`,
        'tags=early&ends_after=2027-01-05T12:00:00&strict_dates=true',
        'tags=early&starts_after=2027-01-03T18:00:00&ends_before=2027-01-09T20:00:00&strict_dates=true',
        'search=jazz&ends_before=2027-01-07',
      ])
        seen.push(`${query.replace(/venue=[\d,]+/, '')}: ${shown(await anonymous.list('event', query))}`)
    }
    await see()
    const { events } = (await editor.list('event', 'tags=early&per_page=2')).body
    await must(editor.change('event', events[0].id, { tags: ['late'], description: 'opera jazz' }))
    await must(editor.remove('event', events[1].id))
    await see()
    lists.push(seen)
  }
  t.strictSame(lists[1], lists[0])
  t.match(lists[0], ['tags=early: E1 E2 E3 E4 E5 E6 E7 E8', 'tags=early&featured=true: E4 E8'])
})
