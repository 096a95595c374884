import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { faults, parse, unfold } from '../../support/icalendar.ts'

const TYPE = 'text/calendar; charset=utf-8'
/** Titles and other values of a calendar's events, as an independent reader finds them. */
const valuesOf = (calendar: string, name = 'summary') =>
  parse(calendar)
    .getAllSubcomponents('vevent')
    .map((event) => String(event.getFirstPropertyValue(name)))
const nameOf = (calendar: string) => /\r\nX-WR-CALNAME:(.*)\r\n/.exec(calendar)?.[1]

t.test('a list, one event and the events of a record are calendars with a name of their own', async (t) => {
  const { anonymous, editor } = await build(t)
  const venue = await must(editor.post('/venues', { venue: 'Teatre' }))
  const organizer = await must(editor.post('/organizers', { organizer: 'Club' }))
  const jazz = await must(editor.post('/categories', { name: 'Jazz, swing' }))
  const one = await must(
    editor.post('/events', {
      ...{ ...EVENT, title: 'One', venue: venue.id, organizer: organizer.id },
      ...{ categories: [jazz.id], tags: ['Free'] },
    }),
  )
  await must(editor.post('/events', { ...EVENT, title: 'Two' }))
  const [tag] = one.tags
  const table: [path: string, titles: string[], name: string][] = [
    ['/events.ics', ['One', 'Two'], 'Almanac'],
    ['/events?ical=1', ['One', 'Two'], 'Almanac'],
    ['/events.ics?categories=jazz-swing', ['One'], 'Almanac: Jazz\\, swing'],
    [`/events.ics?venue=${venue.id}&organizer=${organizer.id}`, ['One'], 'Almanac: Teatre · Club'],
    ['/events.ics?search=two', ['Two'], 'Almanac: “two”'],
    ['/events.ics?starts_after=2031-01-01', [], 'Almanac'],
    [`/events/${one.id}.ics`, ['One'], 'Almanac: One'],
    [`/events/${one.id}?ical=1`, ['One'], 'Almanac: One'],
    [`/categories/${jazz.id}.ics`, ['One'], 'Almanac: Jazz\\, swing'],
    [`/tags/${tag.id}.ics`, ['One'], 'Almanac: Free'],
    [`/venues/${venue.id}.ics`, ['One'], 'Almanac: Teatre'],
    [`/organizers/${organizer.id}.ics`, ['One'], 'Almanac: Club'],
  ]
  for (const [path, titles, name] of table) {
    const { status, headers, text } = await anonymous.get(path)
    t.match({ status, headers }, { status: 200, headers: { 'content-type': TYPE } }, path)
    t.same(valuesOf(text).sort(), titles, path)
    t.equal(nameOf(text), name, path)
    t.same(faults(text), [], path)
  }
  const asked = await anonymous.get('/events', undefined, { headers: { accept: 'text/calendar' } })
  t.same(valuesOf(asked.text).sort(), ['One', 'Two'])
})

const homeOf = (calendar: string) =>
  /^URL:http:\/\/calendar\.test(.*)/.exec(unfold(calendar).find((line) => line.startsWith('URL:')) ?? '')?.[1]

t.test('a calendar has the name of the site, and leads to its page', async (t) => {
  const { anonymous, editor } = await build(t, { env: { SITE_NAME: 'Casa, Cultura' } })
  await must(editor.post('/categories', { name: 'Jazz' }))
  await must(editor.post('/categories', { name: 'Film' }))
  await must(editor.post('/tags', { name: 'Owl' }))
  for (const [path, home] of [
    ['/events.ics', '/events/'],
    ['/events.ics?i18n_language=ca', '/ca/events/'],
    ['/events.ics?categories=jazz&search=night+owl', '/events/?search=night+owl&category=jazz'],
    ['/events.ics?categories=jazz,film&featured=true', '/events/'],
    ['/events.ics?tags=owl', '/events/?tag=owl'],
  ] as const) {
    const { text } = await anonymous.get(path)
    t.match(nameOf(text), /^Casa\\, Cultura/)
    t.equal(homeOf(text), home, path)
  }
  const without = await build(t, { env: { SITE_NAME: 'Casa', PAGES: 'off' } })
  const { text } = await without.anonymous.get('/events.ics?search=night')
  t.match(nameOf(text), /^Casa: /)
  t.match(homeOf(text), /\/v1\/events\?search=night$/, 'the list without pages')
})

t.test(
  'a calendar that did not change has the same bytes and ETag; one that did tells what and when',
  async (t) => {
    const { anonymous, editor, clock } = await build(t)
    const venue = await must(editor.post('/venues', { venue: 'Hall' }))
    const { id } = await must(editor.post('/events', { ...EVENT, title: 'First', venue: venue.id }))
    const read = () => anonymous.get('/events.ics')
    const versionOf = ({ text }: { text: string }) =>
      unfold(text).filter((line) => /^(?:UID|DTSTAMP|SEQUENCE|SUMMARY|LOCATION)/.test(line))
    const first = await read()
    clock.now += 60_000
    const again = await read()
    t.equal(again.text, first.text)
    const { etag } = first.headers
    t.equal(
      (await anonymous.get('/events.ics', undefined, { headers: { 'if-none-match': etag! } })).status,
      304,
    )

    await must(editor.patch(`/events/${id}`, { title: 'Second' }))
    const second = await read()
    const [uid, stamp, sequence] = versionOf(first)
    t.same(uid, versionOf(second)[0])
    t.same(versionOf(second).slice(3), ['SUMMARY:Second', 'LOCATION:Hall'])
    t.ok(stamp! < versionOf(second)[1]!)
    t.equal(Number(versionOf(second)[2]!.slice(9)) - Number(sequence!.slice(9)), 60)
    t.equal(
      (await anonymous.get('/events.ics', undefined, { headers: { 'if-none-match': etag! } })).status,
      200,
    )

    clock.now += 60_000
    await must(editor.patch(`/venues/${venue.id}`, { venue: 'House' }))
    const third = await read()
    t.same(versionOf(third).slice(2), [versionOf(second)[2], 'SUMMARY:Second', 'LOCATION:House'])
    t.ok(versionOf(second)[1]! < versionOf(third)[1]!, 'a new stamp, and the number of the event itself')
  },
)

t.test('an event of another calendar is another one, though it has the same ID and address', async (t) => {
  const uidOf = async () => {
    const { anonymous, editor, app } = await build(t)
    const { id } = await must(editor.post('/events', EVENT))
    const [uid] = valuesOf((await anonymous.get('/events.ics')).text, 'uid')
    t.equal(uid, `${id}@${await app.store.identity()}`)
    return uid
  }
  const one = await uidOf()
  t.match(one, /^\d+@[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  t.not(one, await uidOf())
})

t.test(
  'who lacks the password of an event sees its title and times; drafts are for those who may edit',
  async (t) => {
    const { anonymous, editor } = await build(t)
    const secret = {
      description: 'Hidden',
      venue: { venue: 'Bunker' },
      virtual_url: 'https://secret.example/',
    }
    const { id } = await must(
      editor.post('/events', { ...EVENT, ...secret, title: 'Closed', password: 'abc' }),
    )
    await must(editor.post('/events', { ...EVENT, title: 'Draft', status: 'draft' }))
    const { text } = await anonymous.get('/events.ics')
    t.same(valuesOf(text), ['Closed'])
    t.notMatch(text, /Hidden|Bunker|secret\.example/)
    t.equal((await anonymous.get(`/events/${id}.ics`)).status, 403)
    t.match((await anonymous.get(`/events/${id}.ics?password=abc`)).text, /\r\nLOCATION:Bunker\r\n/)
    t.same(valuesOf((await editor.get('/events.ics')).text).sort(), ['Closed', 'Draft'])
    t.same(valuesOf((await editor.get('/events.ics?status=draft')).text, 'status'), ['TENTATIVE'])
  },
)

t.test('hundreds of events are streamed, each once, and each zone before its events', async (t) => {
  const { anonymous, editor } = await build(t)
  const zones = ['Europe/Madrid', 'America/New_York', 'UTC+2']
  for (let i = 0; i < 300; i++)
    await must(editor.post('/events', { ...EVENT, title: `Event ${i}`, timezone: zones[i % 3]! }))
  const { text, headers } = await anonymous.get('/events.ics')
  t.match(headers, { 'content-type': TYPE, etag: /^W\// })
  t.same(faults(text), [])
  t.same(new Set(valuesOf(text)).size, 300)
  t.same(
    unfold(text)
      .filter((line) => line.startsWith('TZID:'))
      .sort(),
    ['TZID:America/New_York', 'TZID:Europe/Madrid'],
  )
  t.match(text, /END:VCALENDAR\r\n$/)
  t.equal((await anonymous.get('/events.ics')).text, text, 'it is kept')
  t.equal((await anonymous.get('/events.ics')).headers.etag, headers.etag)
  const part = (await anonymous.get('/events.ics?per_page=10&page=30')).text
  t.same(valuesOf(part).length, 10)
  for (const count of [100, 260, 1000]) {
    const page = await anonymous.get(`/events.ics?per_page=${count}`)
    t.equal(valuesOf(page.text).length, Math.min(count, 300), 'a page has as many as were asked for')
    t.equal(page.headers['x-wp-totalpages'], String(Math.ceil(300 / count)))
  }
})
