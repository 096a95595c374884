import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

/** The present moment of the tests is the morning of Saturday, 21 November 2026. */
const add = (api: Api, title: string, from: string, to: string, more: object = {}) =>
  must(
    api.editor.post('/events', {
      ...EVENT,
      title,
      start_date: from.length === 10 ? `${from} 20:00:00` : from,
      end_date: to.length === 10 ? `${to} 22:00:00` : to,
      ...more,
    }),
  )
const canonical = (html: string) => /<link rel="canonical" href="([^"]*)">/.exec(html)?.[1]
const isHidden = (html: string) => html.includes('<meta name="robots" content="noindex">')
/** The cell of a day. */
const cellOf = (html: string, day: string) =>
  [...html.matchAll(/<td class="\w+" role="cell">.*?<\/td>/gs)].find(([cell]) =>
    cell.includes(`id="${day}"`),
  )![0]
const namesOn = (html: string, day: string) => textsOf(cellOf(html, day), 'li')

t.test('a month is a table of weeks with its events', async (t) => {
  const api = await build(t)
  await add(api, 'Concert', '2026-11-22', '2026-11-22', { venue: { venue: 'Hall', city: 'Vic' } })
  await add(api, 'Party', '2026-11-22 22:00:00', '2026-11-23 04:00:00')
  await add(api, 'Tokyo', '2026-11-24 23:30:00', '2026-11-25 00:00:00', { timezone: 'Asia/Tokyo' })
  await add(api, 'Feast', '2026-11-21', '2026-11-21', { all_day: true, event_status: 'cancelled' })
  await add(api, 'Festival', '2026-11-27', '2026-12-02', { event_status: 'cancelled' })
  await add(api, 'Exhibition', '2026-01-10', '2027-03-01')
  await add(api, 'Draft', '2026-11-22', '2026-11-22', { status: 'draft' })
  await add(api, 'Secret', '2026-11-22', '2026-11-22', { status: 'private' })
  const { status, text } = await visit(api, '/events/month/2026-11/')
  t.equal(status, 200)
  t.same(textsOf(text, 'h1'), ['November 2026'])
  t.same(textsOf(text, 'caption'), ['November 2026'])
  t.same(
    textsOf(text, 'th').map((name) => name.slice(0, 3)),
    ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'],
  )
  t.equal(attributesOf(text, 'td', 'role').length, 35)
  t.equal(canonical(text), 'http://calendar.test/events/month/2026-11/')
  t.same(attributesOf(text, 'link', 'hreflang'), ['en', 'ca', 'es', 'x-default'])
  t.notOk(isHidden(text))
  t.match(text, '<a href="/events/month/" aria-current="true">Month</a>')

  t.match(cellOf(text, '2026-11-21'), 'aria-current="date"')
  t.match(cellOf(text, '2026-11-21'), 'Today, Saturday, November 21, 1 event')
  t.same(namesOn(text, '2026-11-21'), ['All day Feast Cancelled'])
  t.same(namesOn(text, '2026-11-22'), ['8:00 PM ConcertHall, Vic', '10:00 PM Party'])
  t.notMatch(cellOf(text, '2026-11-23'), '<a', 'a night belongs to the evening before')
  t.same(namesOn(text, '2026-11-24'), ['11:30 PM Tokyo'], 'on the day of its own clock')
  t.same(namesOn(text, '2026-11-28'), ['Festival'])
  t.match(cellOf(text, '2026-11-27'), '<li class="band span-2 after once off">')
  t.match(cellOf(text, '2026-11-29'), '<li class="band span-4 before off">')
  t.match(cellOf(text, '2026-12-02'), '<li class="held off">')
  t.match(cellOf(text, '2026-12-02'), '<td class="other"')
  t.same(textsOf(text, 'h2'), ['All through November 2026'])
  t.same(textsOf(text, 'h3'), ['Exhibition'])
  t.match(
    (await visit(api, '/events/month/2026-12/')).text,
    '<li class="held once off">',
    'named at the turn',
  )
})

t.test('bands stand in their lanes, also where the lane above is free', async (t) => {
  const api = await build(t)
  await add(api, 'First', '2026-11-16', '2026-11-18')
  await add(api, 'Second', '2026-11-17', '2026-11-20')
  await add(api, 'Concert', '2026-11-20', '2026-11-20')
  const { text } = await visit(api, '/events/month/2026-11/')
  t.same(namesOn(text, '2026-11-20'), ['', 'Second', '8:00 PM Concert'])
  t.match(cellOf(text, '2026-11-20'), '<li class="gap"></li>')
})

t.test('a crowded day shows some of its events, and the way to all', async (t) => {
  const api = await build(t)
  for (let number = 1; number <= 65; number++) await add(api, `Event ${number}`, '2026-11-22', '2026-11-22')
  for (let number = 1; number <= 8; number++) await add(api, `Show ${number}`, '2026-10-01', '2026-12-31')
  const { text } = await visit(api, '/events/month/2026-11/')
  t.equal(namesOn(text, '2026-11-22').length, 5)
  t.match(
    cellOf(text, '2026-11-22'),
    '<a href="/events/day/2026-11-22/">60 more<span class="unseen">, November 22</span></a>',
  )
  t.match(text, '<a href="/events/day/2026-11-01/">2 more</a>')
  t.equal(textsOf(text, 'h3').length, 6)

  const first = (await visit(api, '/events/day/2026-11-22/')).text
  t.equal(textsOf(first, 'h3').length, 60)
  t.match(first, '73 events · Page 1 of 2')
  t.match(first, '<a class="next" rel="next" href="/events/day/2026-11-22/?page=2">')
  const second = (await visit(api, '/events/day/2026-11-22/?page=2')).text
  t.equal(textsOf(second, 'h3').length, 13)
  t.same(textsOf(second, 'h2'), ['Events', 'Still on'])
  t.equal(canonical(second), 'http://calendar.test/events/day/2026-11-22/?page=2')
  const { status, text: none } = await visit(api, '/events/day/2026-11-22/?page=3')
  t.equal(status, 404)
  t.match(none, 'The last page of this list is page 2.')
})

t.test('a day lists its events and leads to its neighbours', async (t) => {
  const api = await build(t)
  await add(api, 'Concert', '2026-11-21', '2026-11-21')
  await add(api, 'Exhibition', '2026-11-10', '2026-12-24')
  const { text } = await visit(api, '/events/day/2026-11-21')
  t.same(textsOf(text, 'h1'), ['Today Saturday, November 21'])
  t.same(textsOf(text, 'h3'), ['Concert', 'Exhibition'])
  t.match(text, '<a class="prev" rel="prev" href="/events/day/2026-11-20/">')
  t.match(text, '<a class="next" rel="next" href="/events/day/2026-11-22/">')
  t.match(text, '<a class="present" href="/events/month/2026-11/">Nov 2026</a>')
  const far = (await visit(api, '/ca/events/day/2027-02-01/?language=en')).text
  t.same(textsOf(far, 'h1'), ['Dilluns, 1 de febrer del 2027'])
  t.match(far, 'Aquest dia no hi ha res')
  t.match(far, '<a href="/ca/events/day/2026-11-21/?language=en">')
  t.ok(isHidden(far))
  t.match(far, 'rel="next nofollow"')
  t.match(
    (await visit(api, '/events/day/2026-01-01/')).text,
    '<a href="/events/day/2026-11-10/">Next: Tue, Nov 10</a>',
  )
})

t.test('an empty month leads to the next events, and not robots to endless others', async (t) => {
  const api = await build(t)
  await add(api, 'Concert', '2026-11-21', '2026-11-21')
  const after = (await visit(api, '/events/month/2031-01/')).text
  t.match(after, 'Nothing in January 2031')
  t.match(after, '<a href="/events/month/2026-11/">Previous: November 2026</a>')
  t.notMatch(after, 'Next:')
  t.ok(isHidden(after))
  t.match(after, 'rel="prev nofollow"')
  t.match(after, '<a class="present" href="/events/month/">This month</a>')
  t.match(
    (await visit(api, '/events/month/2020-01/')).text,
    '<a href="/events/month/2026-11/">Next: November 2026</a>',
  )
})

t.test('the calendar ends with the years 1 and 9999', async (t) => {
  const api = await build(t)
  for (const [path, kept, lost] of [
    ['/events/month/0001-01/', 'next', 'prev'],
    ['/events/month/9999-12/', 'prev', 'next'],
    ['/events/day/0001-01-01/', 'next', 'prev'],
    ['/events/day/9999-12-31/', 'prev', 'next'],
  ] as const) {
    const { status, text } = await visit(api, path)
    t.equal(status, 200, path)
    t.match(text, `rel="${kept} nofollow"`, path)
    t.notMatch(text, `rel="${lost}`, path)
  }
  t.match((await visit(api, '/events/month/0001-01/')).text, '<td class="other" role="cell"></td>')
})

t.test('filters select, and are kept on the way to other months', async (t) => {
  const api = await build(t)
  await add(api, 'Jazz', '2026-11-22', '2026-11-22', { categories: ['Jazz'], tags: ['live'] })
  await add(api, 'Rock', '2026-11-22', '2026-11-22', { categories: ['Rock'], venue: { venue: 'Hall' } })
  await add(api, 'Reading', '2026-11-22', '2026-11-22', { i18n_language: 'ca' })
  const shown = async (query: string) => {
    const { text } = await visit(api, `/events/month/2026-11/${query}`)
    return namesOn(text, '2026-11-22')
      .map((name) => name.replace(/^8:00 PM /, ''))
      .join()
  }
  t.equal(await shown('?category=jazz'), 'Jazz')
  t.equal(await shown('?category=jazz,rock'), 'Jazz,RockHall')
  t.equal(await shown('?tag=live'), 'Jazz')
  t.equal(await shown('?venue=hall'), 'RockHall')
  t.equal(await shown('?search=READ&language=all'), 'Reading')
  t.equal(await shown('?language=ca'), 'Reading')
  const { text } = await visit(api, '/events/month/2026-11/?category=jazz&search=jazz')
  t.match(text, 'href="/events/month/2026-12/?search=jazz&amp;category=jazz"')
  t.match(text, 'href="/events/day/2026-11-22/?search=jazz&amp;category=jazz"')
  t.match(text, '<a href="/events/?search=jazz&amp;category=jazz">Show as a list</a>')
  t.match(text, '<form action="/events/month/2026-11/">')
  t.match(text, '<input type="hidden" name="category" value="jazz">')
  t.match(text, '<option value="11" selected>November</option>')
  t.ok(isHidden(text), 'searches are not for robots')
})

t.test('the way to a month goes to the present one or to a chosen one', async (t) => {
  const api = await build(t, {
    env: { TIMEZONE: 'Pacific/Auckland' },
    now: Date.parse('2026-11-30T12:00:00Z'),
  })
  for (const [path, location] of [
    ['/events/month/', '/events/month/2026-12/'],
    ['/events/month', '/events/month/2026-12/'],
    ['/ca/events/month/?category=jazz', '/ca/events/month/2026-12/?category=jazz'],
    ['/events/month/?month=2&year=2027&tag=x&venue=', '/events/month/2027-02/?tag=x'],
    ['/events/month/?month=02&year=33', '/events/month/0033-02/'],
    ['/events/month/?month=2', '/events/month/2026-02/'],
  ] as const) {
    const { status, headers } = await visit(api, path)
    t.same([status, headers.location], [302, location], path)
  }
})

t.test('a crowded month shows fewer events of a day, and stays light', async (t) => {
  const api = await build(t)
  const title = 'A rather long title of an event, as people like to write them'
  const fill = async (count: number, day: string) => {
    for (let number = 0; number < count; number++) await add(api, title, day, day)
  }
  await fill(90, '2026-11-22')
  const shown = async () => {
    const { text } = await visit(api, '/events/month/2026-11/')
    t.ok(Buffer.byteLength(text) < 60_000)
    return namesOn(text, '2026-11-22').length
  }
  t.equal(await shown(), 5)
  await fill(1, '2026-11-23')
  t.equal(await shown(), 3)
})

t.test('what is no month or day is told in words, with a way back', async (t) => {
  const api = await build(t)
  for (const [path, words] of [
    ['/events/month/2026-13/', 'There is no such month'],
    ['/events/month/abcd/', 'There is no such month'],
    ['/events/month/0000-01/', 'There is no such month'],
    ['/events/month/10000-01/', 'There is no such month'],
    ['/events/month/?month=13&year=2026', 'There is no such month'],
    ['/ca/events/month/2026-00/', 'Aquest mes no existeix'],
    ['/events/day/2026-02-30/', 'There is no such day'],
    ['/events/day/today/', 'There is no such day'],
    ['/es/events/day/2025-02-29/', 'Este día no existe'],
    ['/events/month/2026-11/?category=none', 'There is nothing named “none” in this calendar.'],
    ['/events/month/2026-11/?category=none,other', 'There is nothing named “none” in this calendar.'],
  ] as const) {
    const { status, headers, text } = await visit(api, path)
    t.same([status, headers['content-type']], [404, 'text/html; charset=utf-8'], path)
    t.match(text, words, path)
    t.match(text, /<a class="button" href="(\/\w\w)?\/events\/">/)
  }
})

t.test('a month is kept until something is written or the day ends at the site', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid' }, now: Date.parse('2026-11-22T22:59:00Z') })
  await add(api, 'Concert', '2026-11-22', '2026-11-22')
  const { headers, text } = await visit(api, '/events/month/2026-11/')
  t.match(cellOf(text, '2026-11-22'), 'aria-current')
  const again = () =>
    api.anonymous.get('//events/month/2026-11/', undefined, { headers: { 'if-none-match': headers.etag } })
  t.equal((await again()).status, 304)
  api.clock.now += 60_000
  const next = await again()
  t.equal(next.status, 200)
  t.match(cellOf(next.text, '2026-11-23'), 'aria-current')
  t.match(next.headers.etag, /./)
  await add(api, 'Reading', '2026-11-23', '2026-11-23')
  t.same(namesOn((await visit(api, '/events/month/2026-11/')).text, '2026-11-23'), ['8:00 PM Reading'])
})

t.test('months are in the language and direction of their readers', async (t) => {
  const api = await build(t, { env: { LANGUAGES: 'en-GB,he,ca' } })
  await add(api, 'Concert', '2026-11-22', '2026-11-22')
  const first = async (path: string) => {
    const { text } = await visit(api, path)
    return `${/<html lang="([\w-]+)" dir="\w+">/.exec(text)![0]} ${/ id="(\d[\d-]+)"/.exec(text)![1]}`
  }
  t.equal(await first('/events/month/2026-11/'), '<html lang="en-GB" dir="ltr"> 2026-10-26')
  t.equal(await first('/he/events/month/2026-11/'), '<html lang="he" dir="rtl"> 2026-11-01')
  t.equal(await first('/ca/events/month/2026-11/'), '<html lang="ca" dir="ltr"> 2026-10-26')
})

t.test('a protected event tells no more than its title', async (t) => {
  const api = await build(t)
  await add(api, 'Private view', '2026-11-22', '2026-11-22', {
    password: 'open sesame',
    venue: { venue: 'Cave' },
  })
  for (const path of ['/events/month/2026-11/', '/events/day/2026-11-22/', '/embed/?view=month']) {
    const { text } = await visit(api, path)
    t.match(text, 'Private view', path)
    t.match(text, 'Protected', path)
    t.equal(/<td[^>]*>.*Cave.*<\/td>|class="place">/s.test(text), false, path)
  }
})

t.test(
  'days that are over are marked in the present month, as long as something is left of it',
  async (t) => {
    const api = await build(t)
    const add = (start_date: string, end_date: string) =>
      must(api.editor.post('/events', { ...EVENT, slug: start_date.slice(0, 10), start_date, end_date }))
    await add('2026-11-10 10:00:00', '2026-11-25 22:00:00')
    const cells = async (path: string) => {
      const { text } = await visit(api, path)
      return {
        past: text.match(/<td class="(own|other) past"/g)?.length ?? 0,
        begun: /<table class="grid begun"/.test(text),
        once: [...text.matchAll(/id="([\d-]+)"(?:(?!<td).)*?<li class="\w+[^"]* once"/gs)].map(
          ([, day]) => day,
        ),
      }
    }
    t.same(await cells('/events/month/2026-11/'), {
      past: 20,
      begun: true,
      once: ['2026-11-10', '2026-11-21'],
    })
    t.same(await cells('/embed/?view=month'), { past: 20, begun: true, once: ['2026-11-10', '2026-11-21'] })
    for (const month of ['10', '12'])
      t.match(await cells(`/events/month/2026-${month}/`), { past: 0, begun: false }, month)
    api.clock.now = Date.parse('2026-11-26T09:00:00Z')
    t.same(await cells('/events/month/2026-11/'), { past: 0, begun: false, once: ['2026-11-10'] })
  },
)
