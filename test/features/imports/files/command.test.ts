import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import t from 'tap'
import { importEvents } from '../../../../src/features/imports/files/event-files.ts'
import { peekStoredSettings } from '../../../../src/kernel/database/stored-settings.ts'
import { almanac } from '../../../support/almanac.ts'
import { must } from '../../../support/answers.ts'
import { type Api, build, EVENT } from '../../../support/app.ts'
import { parse } from '../../../support/icalendar.ts'
import { draw } from '../../../support/pictures.ts'
import { openRecords } from '../../../support/store.ts'

const EXAMPLE = fileURLToPath(new URL('../../../../docs/examples/events.csv', import.meta.url))

/** A calendar on a file, and commands on it. */
async function open(t: Test, name: string, users = true) {
  const file = join(t.testdirName, `${name}.db`)
  const env = { MEDIA_DIR: join(t.testdirName, `media-${name}`), BASE_URL: 'http://calendar.test' }
  const api = await build(t, { env: { ...env, DATABASE: file, TIMEZONE: 'Europe/Madrid' }, users })
  const run = (...args: string[]) => almanac(file, args, false, env)
  /** What became of a file: how many of each kind had which outcome, and what was told. */
  const take = async (path: string, ...args: string[]) => {
    const { code, printed, complained } = await run('import', path, '--json', ...args)
    if (printed === '') throw new Error(complained)
    const { counts, told } = JSON.parse(printed)
    const outcomes = Object.entries(counts as Record<string, Record<string, number>>).flatMap(([kind, of]) =>
      Object.entries(of)
        .filter(([, count]) => count > 0)
        .map(([outcome, count]) => `${count} ${kind} ${outcome}`),
    )
    const lines = told.map(
      ({ line, name, reason, remarks }: Record<string, string>) => `${line} ${name}: ${reason ?? remarks}`,
    )
    return { code, outcomes: outcomes.sort().join(', '), told: lines }
  }
  return { api, run, take }
}

type Shown = {
  title: string
  venue: { venue?: string; address?: string }
  organizer: object[]
  categories: object[]
}
/** What all events show, as texts in order. */
const listed = async ({ anonymous }: Api): Promise<string[]> =>
  (await must(anonymous.get('/events?when=all&per_page=50'))).events
    .map(({ venue, organizer, categories, ...event }: Shown & Record<string, unknown>) => {
      const members = ['start_date', 'end_date', 'timezone', 'all_day', 'event_status', 'description']
      const own = members.map((name) => event[name])
      return JSON.stringify([
        event.title,
        own,
        venue.venue,
        venue.address,
        organizer.length,
        categories.length,
      ])
    })
    .sort()

async function fill({ editor, author }: Api) {
  const post = (path: string, body: object) => must(editor.post(path, body))
  const venue = { venue: 'Hall, old', address: 'Carrer Nou 1', geo_lat: 41.93, geo_lng: 2.25 }
  const image = await must(
    author.post('/media', await draw(20, 20), { headers: { 'content-type': 'image/png' } }),
  )
  const linked = {
    venue,
    organizer: [{ organizer: 'Choir', email: 'choir@example.org' }],
    categories: ['Music, old', 'Arts'],
  }
  const concert = await post('/events', {
    ...EVENT,
    ...linked,
    title: 'Concert; “A”',
    description: '<p>Two<br>lines &amp; more</p>',
    image: String(image.id),
    website: 'https://a.example/',
  })
  await post('/events', {
    ...EVENT,
    title: 'Fair',
    categories: ['Food, wine'],
    all_day: true,
    end_date: '2026-12-03',
    event_status: 'cancelled',
  })
  const first = await post('/events', {
    ...{ ...EVENT, ...linked, title: 'Rehearsal', timezone: 'Europe/London' },
    recurrence: {
      rrule: 'FREQ=WEEKLY;COUNT=4',
      exdate: ['2026-12-15 20:00:00'],
      rdate: ['2026-12-24 20:00:00'],
    },
  })
  const dates = (await must(editor.get(`/events?series=${first.series}&when=all`))).events
  await must(
    editor.patch(`/events/${dates[1].id}`, { title: 'Guest', venue: [], start_date: '2026-12-07 18:00:00' }),
  )
  await post('/events', {
    ...EVENT,
    title: '=1+1',
    status: 'draft',
    start_date: '2026-12-02 10:00:00',
    end_date: '2026-12-02 11:00:00',
  })
  return { concert, dates }
}

t.test('series and events go out as iCalendar and come in again as what they were', async (t) => {
  t.testdir()
  const from = await open(t, 'from')
  await fill(from.api)
  const ics = join(t.testdirName, 'calendar.ics')
  t.match(await from.run('export', ics, '--format', 'ics'), {
    code: 0,
    printed: /calendar\.ics holds 6 events\.\n$/,
  })
  const text = readFileSync(ics, 'utf8')
  t.equal(parse(text).getAllSubcomponents('vevent').length, 4)
  const served = (await from.api.anonymous.get('/events.ics?when=all')).text
  const events = (calendar: string) => calendar.slice(calendar.indexOf('BEGIN:VEVENT'))
  t.equal(events(text), events(served), 'the events are those of the feed')

  const to = await open(t, 'to')
  const before = await to.api.fingerprint()
  const plan = await to.take(ics, '--dry-run')
  t.match(plan, { code: 0, outcomes: '1 date added, 1 series added, 2 event added' })
  t.equal(await to.api.fingerprint(), before, 'a plan writes nothing')
  const done = await to.take(ics, '--no-media')
  t.same(done, { code: 0, outcomes: '1 date added, 1 series added, 2 event added', told: [] })
  t.same(await listed(to.api), await listed(from.api))
  t.equal((await must(to.api.anonymous.get('/series'))).total, 1)
  t.equal(
    (await to.take(ics, '--no-media')).outcomes,
    '1 date unchanged, 1 series unchanged, 2 event unchanged',
  )
  t.equal((await must(to.api.anonymous.get('/venues'))).total, 1)
  const own = await from.take(ics, '--no-media')
  t.equal(own.outcomes, '1 series present, 2 event present', 'what is from here is known by its UID')
  await must(
    to.api.editor.delete(
      `/events/${(await must(to.api.anonymous.get('/events?search=fair&when=all'))).events[0].id}`,
    ),
  )
  writeFileSync(
    ics,
    text.replaceAll('SUMMARY:Rehearsal', 'SUMMARY:Practice').replace('SUMMARY:Guest', 'SUMMARY:Guests'),
  )
  t.same(
    (await to.take(ics, '--no-media', '--dry-run')).outcomes,
    '1 date updated, 1 event unchanged, 1 event updated, 1 series updated',
  )
  t.match((await to.take(ics, '--no-media')).outcomes, /1 event updated/)
  const titles = (await must(to.api.anonymous.get('/events?when=all'))).events.map(
    ({ title }: { title: string }) => title,
  )
  t.same(titles.sort(), ['Concert; “A”', 'Fair', 'Guests', 'Practice', 'Practice', 'Practice'])
})

t.test('what can not be taken of iCalendar is told with its reason, and the rest comes', async (t) => {
  t.testdir()
  const { api, take, run } = await open(t, 'a')
  const path = join(t.testdirName, 'a.ics')
  const event = (uid: string, ...lines: string[]) => [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `SUMMARY:${uid}`,
    'DTSTART:20270105T180000',
    ...lines,
    'END:VEVENT',
  ]
  const write = (...lines: string[]) =>
    writeFileSync(path, ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR'].join('\n'))
  write(
    ...event('good', 'ATTACH;FMTTYPE=image/png:http://127.0.0.1:1/a.png'),
    ...event('hourly', 'RRULE:FREQ=HOURLY'),
    ...event('zone', 'DTEND;TZID=Mars:20270105T190000'),
    ...event('series', 'RRULE:FREQ=DAILY;COUNT=3'),
    ...[
      'BEGIN:VEVENT',
      'UID:series',
      'SUMMARY:Never',
      'RECURRENCE-ID:20320205T180000',
      'DTSTART:20270105T180000',
      'END:VEVENT',
    ],
    ...[
      'BEGIN:VEVENT',
      'UID:series',
      `SUMMARY:${'x'.repeat(1_001)}`,
      'RECURRENCE-ID:20270106T180000',
      'DTSTART:20270105T180000',
      'END:VEVENT',
    ],
    ...[
      'BEGIN:VEVENT',
      'UID:series',
      'SUMMARY:Pictured',
      'RECURRENCE-ID:20270107T180000',
      'DTSTART:20270107T180000',
      'ATTACH;FMTTYPE=image/png:http://127.0.0.1:1/a.png',
      'END:VEVENT',
    ],
    ...event('y'.repeat(1_001)),
    'broken',
  )
  const { code, outcomes, told } = await take(
    path,
    '--author',
    'editor',
    '--status',
    'draft',
    '--language',
    'ca',
    '--timezone',
    'Europe/London',
  )
  t.equal(code, 1)
  t.same(
    outcomes,
    '1 date added, 1 event added, 1 line refused, 1 series added, 1 series refused, 2 date refused, 2 event refused',
  )
  t.match(told, [
    /^\d+ broken: is no line of iCalendar$/,
    /^2 good: its picture http:\/\/127\.0\.0\.1:1\/a\.png was not taken: The host of this URL is not allowed/,
    /^8 hourly: FREQ of RRULE: must be DAILY, WEEKLY, MONTHLY or YEARLY; it is "HOURLY"/,
    /^14 zone: the time zone "Mars" is not known/,
    /^\d+ series, 2032-02-05 18:00:00: is later than the dates that its series has so far$/,
    /^\d+ series, 2027-01-06 18:00:00: SUMMARY "x{40}…": must have at most 1000 characters\.$/,
    /^\d+ series, 2027-01-07 18:00:00: its picture http\S+ was not taken/,
    /^\d+ y+: SUMMARY "y{40}…": must have at most 1000 characters\.$/,
  ])
  const [good] = (await must(api.editor.get('/events?status=draft&search=good&when=all&i18n_language=ca')))
    .events
  t.match(good, {
    timezone: 'Europe/London',
    author: String(api.credentials.editor.id),
    source: 'ics',
  })
  write(...event('good', 'RRULE:FREQ=DAILY;COUNT=2'), ...event('series'))
  t.same((await take(path)).told, [
    '2 good: is a series in the file, and a single event here: delete it here first',
    '8 series: is a single event in the file, and a series here: delete it here first',
  ])
  write(
    ...event('lean', 'PRIORITY:1'),
    ...event('rich', 'PRIORITY:1', 'TRANSP:OPAQUE'),
    ...event('bad', 'DTEND:x', 'TRANSP:x'),
  )
  t.match(
    (await run('import', path)).printed,
    /\nLeft out, as it is not kept here: priorities \(PRIORITY\) 2, free or busy \(TRANSP\) 1\n/,
  )
  write(...event('over', 'RRULE:FREQ=WEEKLY;UNTIL=20270104'))
  t.match(await run('import', path), {
    code: 0,
    complained: '',
    printed: /^Nothing came: no event of the file has a date/,
  })
  write(
    ...event('mine', 'RRULE:FREQ=DAILY;COUNT=2'),
    ...[
      'BEGIN:VEVENT',
      'UID:mine',
      'SUMMARY:X',
      'RECURRENCE-ID:20270106T180000',
      'DTSTART:20270106T180000',
      'CATEGORIES:New',
      'END:VEVENT',
    ],
    ...event('named', 'CATEGORIES:New'),
  )
  const forbidden = /: Your role does not allow you to create the category "New"\.$/
  t.match((await take(path, '--author', 'contributor', '--dry-run')).told, [forbidden])
  t.match((await take(path, '--author', 'contributor')).told, [forbidden, forbidden])
  for (const [args, why] of [
    [['--language', 'fr'], /"fr" is none of the languages/],
    [['--timezone', 'Mars'], /"Mars" is no time zone/],
    [['--author', 'nobody'], /there is no user "nobody"/],
    [['--status', 'trash'], /Allowed choices are publish, future, draft, pending, private/],
  ] as const)
    t.match((await run('import', path, ...args)).complained, why)
  writeFileSync(join(t.testdirName, 'x.txt'), '')
  t.match((await run('import', join(t.testdirName, 'x.txt'))).complained, /say what it is with --format/)
})

t.test('events go out as a table and come in again; the example of the guide comes as well', async (t) => {
  t.testdir()
  const from = await open(t, 'from')
  const { concert, dates } = await fill(from.api)
  await must(
    from.api.editor.patch(`/events/${dates[2].id}`, {
      source: 'erp',
      external_id: '7',
      organizer: ['Choir', 'Band'].map((organizer) => ({ organizer })),
    }),
  )
  const table = (await from.run('export', '--format', 'csv', '--where', 'when=all&status=any')).printed
  const lines = table.split('\r\n')
  t.equal(lines.length, 9)
  t.match(lines[0], /^title,start_date,end_date,all_day/)
  t.match(table, "'=1+1,2026-12-02 10:00:00")
  t.match(table, `${concert.id}@`)
  t.match(table, '7\r\n')
  const csv = join(t.testdirName, 'a.csv')
  writeFileSync(csv, table)
  t.same(
    await from.take(csv),
    { code: 0, outcomes: '7 event unchanged', told: [] },
    'nothing changes where it is from',
  )
  const to = await open(t, 'to')
  t.same(await to.take(csv, '--no-media', '--source', 'mine'), {
    code: 0,
    outcomes: '7 event added',
    told: [],
  })
  t.same(await listed(to.api), await listed(from.api))
  t.equal((await to.take(csv, '--no-media', '--source', 'mine')).outcomes, '7 event unchanged')

  const other = await open(t, 'other')
  t.same(await other.take(EXAMPLE), { code: 0, outcomes: '1 series added, 2 event added', told: [] })
  writeFileSync(csv, 'title,start_date,rrule\nDaily,2027-01-05,FREQ=DAILY;COUNT=25\n')
  t.equal((await other.take(csv)).outcomes, '1 series added')
  const all = (await other.run('export', '--format', 'csv')).printed
  t.equal(all.split('\r\n').length, 1 + 25 + 7 + 1)
  t.equal((await other.take(EXAMPLE)).outcomes, '1 series unchanged, 2 event unchanged')
  writeFileSync(
    csv,
    'title,start_date,cost,Colour\nGood,2027-01-05,5,red\n,2027-01-05\nBad,someday\nMore,2027-01-05,"1,2",,x\n',
  )
  const told = await other.take(csv)
  t.match(told, {
    code: 1,
    outcomes: '1 event added, 1 line present, 1 line refused, 2 event refused',
  })
  t.match(told.told, [
    /^5 More: has 5 cells/,
    '1 the first: columns that are not known are left out: Colour',
    /^3 : title is missing\.$/,
    '4 Bad: start_date "someday": must be a date such as 2027-05-14 20:00.',
  ])
  rmSync(csv)

  const { store } = to.api.app
  const failing = { bring: () => Promise.reject(new Error('no disk')), discard: async () => {} }
  const { id, role } = (await store.users.byLogin('editor'))!
  const writer = { caller: { id, role }, by: { origin: 'command' as const, address: 'here' }, language: 'en' }
  const how = {
    form: 'csv' as const,
    media: true,
    pictures: failing,
    writer,
    source: 'a',
    file: 'a.csv',
    dry: false,
  }
  await t.rejects(importEvents(store, 'title,start_date\nA,2027-01-05', how), { message: 'no disk' })
  const [broken] = (await store.imports.runs({ page: 1, per_page: 1 })).rows
  t.match(broken, { source: 'file:a.csv', ended_utc: null, counts: {} })
})

t.test('filters, files that exist and an empty calendar', async (t) => {
  t.testdir()
  const { run } = await open(t, 'a', false)
  const file = join(t.testdirName, 'a.ics')
  writeFileSync(file, '')
  for (const [args, why] of [
    [[file, '--format', 'ics'], /a\.ics exists; name another file, or use --force/],
    [[], /name a folder, or write events as --format ics or csv/],
    [['out', '--where', 'a=b'], /--where is for --format ics or csv/],
    [['--format', 'csv', '--where', 'colour=red&page=0'], /page: .*colour: is no filter of events/],
    [['--format', 'csv', '--where', 'categories=none'], /There is no category "none"/],
  ] as const)
    t.match(await run('export', ...args), { code: 1, complained: why })
  t.match(await run('export', file, '--format', 'ics', '--force', '--where', 'i18n_language=ca'), {
    code: 0,
    printed: /holds 0 events/,
  })
  t.match(await run('import', file), {
    code: 1,
    complained: /there is no administrator who could own the records/,
  })
})

t.test('an export gives its settings to a new calendar, and none to one that has its own', async (t) => {
  t.testdir()
  const from = await open(t, 'from')
  await must(from.api.editor.post('/events', EVENT))
  const folder = join(t.testdirName, 'export')
  t.match(await from.run('export', folder), { code: 0 })
  const fileOf = (name: string) => join(t.testdirName, `${name}.db`)
  const own = await openRecords(t, { env: { DATABASE: fileOf('own'), TIMEZONE: 'Europe/London' } })
  await must(own.editor.create('event', EVENT))
  own.store.db.close()
  for (const [name, zone] of [
    ['new', 'Europe/Madrid'],
    ['own', 'Europe/London'],
  ] as const) {
    const media = { MEDIA_DIR: join(t.testdirName, `media-${name}`) }
    t.match(await almanac(fileOf(name), ['import', folder], false, media), { code: 0, complained: '' })
    t.match(peekStoredSettings(fileOf(name)), { held: true, timezone: zone }, name)
  }
})
