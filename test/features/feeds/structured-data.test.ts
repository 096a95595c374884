import t from 'tap'
import { posts } from '../../../drizzle/tables.ts'
import type { EventRecord, SeriesRecord } from '../../../src/calendar/formats/records.ts'
import { structuredData } from '../../../src/features/feeds/formats/json.ts'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { fillWithDemo } from '../../support/demo.ts'
import { faultsOf } from '../../support/structured-data.ts'

const S = 'https://schema.org/'

t.test('every event of the demo has the members that search engines ask for', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR' } })
  const { app, credentials } = api
  await fillWithDemo(api)
  const { db, records } = app.store
  const ids = (await db.read.select().from(posts)).filter(({ kind }) => kind === 'event').map(({ id }) => id)
  for (const caller of [undefined, { id: credentials.editor.id, role: 'editor' as const }]) {
    const found = (await records.posts(ids, { caller })) as EventRecord[]
    const things = found.map(structuredData) as Record<string, unknown>[]
    for (const [at, thing] of things.entries()) {
      t.same(faultsOf(thing), [], `${thing.name}`)
      const isThere = found[at]!.venues.length > 0 || found[at]!.attendance_mode !== 'offline'
      t.equal('location' in thing, isThere, `${thing.name} has a location if that is known`)
      t.notOk(Object.values(thing).some((value) => value === '' || value === null || value === false))
    }
    const has = (name: string, test: (value: unknown) => boolean) => things.some((thing) => test(thing[name]))
    t.ok(
      has('offers', (offers) => Array.isArray(offers) && offers.length > 1),
      'several prices',
    )
    t.ok(has('organizer', Array.isArray), 'several organizers')
    t.ok(has('location', Array.isArray), 'there and online')
    t.ok(
      has('startDate', (date) => String(date).length === 10),
      'days',
    )
    for (const state of ['Cancelled', 'Postponed', 'MovedOnline'])
      t.ok(
        has('eventStatus', (status) => status === `${S}Event${state}`),
        state,
      )
  }
})

t.test('the schema refuses what search engines refuse', async (t) => {
  const { app, editor } = await build(t)
  const { id } = await must(
    editor.post('/events', {
      ...EVENT,
      cost: ['5', '8'],
      attendance_mode: 'mixed',
      venue: { venue: 'Hall' },
      organizer: { organizer: 'Choir' },
    }),
  )
  const [record] = (await app.store.records.posts([id], { caller: undefined })) as EventRecord[]
  const right = structuredData(record!) as Record<string, object>
  t.same(faultsOf(right), [])
  const wrong: object[] = [
    ...['name', 'startDate', 'endDate', 'eventStatus', 'eventAttendanceMode', 'location'].map((name) => ({
      [name]: undefined,
    })),
    { location: false },
    { location: { '@type': 'VirtualLocation' } },
    { location: { '@type': 'Place', name: 'Hall' } },
    { startDate: '2026-12-01 20:00:00' },
    { eventStatus: 'cancelled' },
    { eventAttendanceMode: `${S}OfflineEventAttendanceMode` },
    { eventAttendanceMode: `${S}OnlineEventAttendanceMode` },
    { offers: { '@type': 'Offer', price: '5 – 8' } },
    { offers: [{ ...(right.offers as object[])[0], price: 'Free' }] },
    { offers: [{ ...(right.offers as object[])[0], availability: 'inStock' }] },
    { organizer: 'Choir' },
    { performer: 'Organization' },
    { image: '' },
  ]
  for (const change of wrong) {
    const data = JSON.parse(JSON.stringify({ ...right, ...change }))
    t.ok(faultsOf(data).length > 0, JSON.stringify(change))
  }
})

const TUESDAYS = {
  ...{ start_date: '2026-12-01 19:30:00', end_date: '2026-12-01 21:00:00', timezone: 'Europe/Madrid' },
  title: 'Rehearsal',
}
const TZ = { scheduleTimezone: 'Europe/Madrid' }

t.test(
  'a series tells how it repeats as far as schema.org has words, and its dates of what they are',
  async (t) => {
    const { app, editor } = await build(t)
    const cases: [sent: object, endDate: string | undefined, schedule: object | undefined][] = [
      [
        {
          recurrence: {
            rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,FR;UNTIL=20270101',
            exdate: ['2026-12-15 19:30:00'],
            rdate: ['2026-12-24 18:00:00'],
          },
        },
        '2027-01-01T21:00:00+01:00',
        [
          {
            ...{
              '@type': 'Schedule',
              startDate: '2026-12-01',
              startTime: '19:30:00',
              duration: 'PT90M',
              ...TZ,
            },
            ...{ repeatFrequency: 'P2W', byDay: [`${S}Tuesday`, `${S}Friday`], endDate: '2027-01-01' },
            exceptDate: '2026-12-15T19:30:00+01:00',
          },
          {
            ...{
              '@type': 'Schedule',
              startDate: '2026-12-24',
              startTime: '18:00:00',
              duration: 'PT90M',
              ...TZ,
            },
            ...{ repeatFrequency: 'P1D', repeatCount: 1, endDate: '2026-12-24' },
          },
        ],
      ],
      [
        { recurrence: { rrule: 'FREQ=MONTHLY;BYDAY=1TU' }, end_date: '2026-12-01 19:30:00' },
        undefined,
        {
          '@type': 'Schedule',
          startDate: '2026-12-01',
          startTime: '19:30:00',
          ...TZ,
          repeatFrequency: 'P1M',
          byDay: '1TU',
        },
      ],
      [
        {
          ...{ all_day: true, start_date: '2026-12-01', end_date: '2026-12-02' },
          recurrence: { rrule: 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=1;COUNT=2', exdate: ['2027-12-01'] },
        },
        '2026-12-02',
        {
          ...{ '@type': 'Schedule', startDate: '2026-12-01', duration: 'P2D', ...TZ, repeatFrequency: 'P1Y' },
          ...{ byMonth: 12, byMonthDay: 1, repeatCount: 2, exceptDate: '2027-12-01' },
        },
      ],
      [
        { recurrence: { rrule: 'FREQ=WEEKLY;INTERVAL=2;WKST=SU;COUNT=2' }, end_date: '2026-12-01 19:30:30' },
        '2026-12-15T19:30:30+01:00',
        undefined,
      ],
      [
        { recurrence: { rrule: 'FREQ=WEEKLY;WKST=SU;COUNT=2' }, end_date: '2026-12-01 19:30:30' },
        '2026-12-08T19:30:30+01:00',
        {
          ...{
            '@type': 'Schedule',
            startDate: '2026-12-01',
            startTime: '19:30:00',
            duration: 'PT30S',
            ...TZ,
          },
          ...{ repeatFrequency: 'P1W', repeatCount: 2 },
        },
      ],
      [
        { recurrence: { rrule: 'FREQ=MONTHLY;BYDAY=TU;BYSETPOS=1;COUNT=1' } },
        '2026-12-01T21:00:00+01:00',
        undefined,
      ],
      [
        { recurrence: { rrule: 'FREQ=MONTHLY;BYMONTHDAY=-31;COUNT=1' } },
        '2026-12-01T21:00:00+01:00',
        undefined,
      ],
    ]
    for (const [sent, endDate, eventSchedule] of cases) {
      const { id, slug } = await must(editor.post('/series', { ...TUESDAYS, ...sent }))
      const { events } = (await editor.get(`/events?series=${id}`)).body
      const [series, date] = (await app.store.records.posts([id, events[0].id], { caller: undefined })) as [
        SeriesRecord,
        EventRecord,
      ]
      const page = `\u0001/series/${id}/`
      const told = structuredData(series) as Record<string, unknown>
      t.same(faultsOf(told), [])
      t.strictSame([told.endDate, told.eventSchedule], [endDate, eventSchedule], JSON.stringify(sent))
      t.match(told, {
        '@id': page,
        '@type': 'EventSeries',
        url: `\u0001/series/${slug}/`,
        superEvent: undefined,
      })
      const { json_ld } = (await editor.get(`/series/${id}`)).body
      t.strictSame(json_ld.eventSchedule, eventSchedule)
      const own = structuredData(date) as Record<string, unknown>
      t.same(faultsOf(own), [])
      t.strictSame(
        [own.superEvent, own.eventSchedule],
        [{ '@type': 'EventSeries', '@id': page, url: page }, undefined],
      )
      const { body } = await editor.get(`/events/${date.id}`)
      const url = page.replace('\u0001', 'http://calendar.test')
      t.strictSame(body.json_ld.superEvent, { '@type': 'EventSeries', '@id': url, url })
    }
  },
)

const HALL = { '@type': 'Place', name: 'Hall' }
const PAGE = 'http://calendar.test/event/concert/'
const LIVE = 'https://live.example/a'
const virtual = (url: string) => ({ '@type': 'VirtualLocation', url })

t.test(
  'where an event takes place follows its states, in its JSON-LD and where it is read alone',
  async (t) => {
    const { editor, anonymous } = await build(t)
    const event = await must(editor.post('/events', EVENT))
    const { id } = await must(editor.post('/venues', { venue: 'Hall' }))
    type Case = [sent: object, status: string, mode: string, alone: unknown, withHall: unknown]
    const cases: Case[] = [
      [{}, 'Scheduled', 'Offline', false, HALL],
      [{ virtual_url: LIVE }, 'Scheduled', 'Offline', false, HALL],
      [{ attendance_mode: 'online' }, 'Scheduled', 'Online', virtual(LIVE), virtual(LIVE)],
      [{ attendance_mode: 'mixed' }, 'Scheduled', 'Mixed', [virtual(LIVE)], [virtual(LIVE), HALL]],
      [{ virtual_url: '' }, 'Scheduled', 'Mixed', [virtual(PAGE)], [virtual(PAGE), HALL]],
      [
        { attendance_mode: 'online', event_status: 'cancelled' },
        'Cancelled',
        'Online',
        virtual(PAGE),
        virtual(PAGE),
      ],
      [{ attendance_mode: 'offline', event_status: 'postponed' }, 'Postponed', 'Offline', false, HALL],
      [{ event_status: 'rescheduled' }, 'Rescheduled', 'Offline', false, HALL],
      [
        { event_status: 'moved_online', virtual_url: LIVE },
        'MovedOnline',
        'Online',
        virtual(LIVE),
        virtual(LIVE),
      ],
      [{ attendance_mode: 'mixed' }, 'MovedOnline', 'Online', virtual(LIVE), virtual(LIVE)],
    ]
    for (const [sent, status, mode, ...locations] of cases)
      for (const [at, venue] of [[], id].entries()) {
        await must(editor.patch(`/events/${event.id}`, { ...sent, venue }))
        const wanted = {
          eventStatus: `${S}Event${status}`,
          eventAttendanceMode: `${S}${mode}EventAttendanceMode`,
          location: locations[at],
        }
        const { json_ld } = (await anonymous.get(`/events/${event.id}`)).body
        t.match(json_ld, wanted, JSON.stringify([sent, venue]))
        t.equal([json_ld.location].flat().length, [wanted.location].flat().length)
        const { location, ...rest } = JSON.parse((await anonymous.get(`/events/${event.id}.jsonld`)).text)
        const [only] = [wanted.location].flat()
        const sole = Array.isArray(wanted.location) && wanted.location.length === 1 ? only : wanted.location
        t.match({ ...rest, location: location ?? false }, { ...wanted, location: sole })
      }
  },
)

t.test('offers have amounts, and those of a cancelled event are no longer to be had', async (t) => {
  const { editor, anonymous } = await build(t, { env: { CURRENCY: 'EUR' } })
  const { id } = await must(editor.post('/events', { ...EVENT, cost: '5' }))
  const read = async (sent: object) => {
    await must(editor.patch(`/events/${id}`, sent))
    const { json_ld } = (await anonymous.get(`/events/${id}`)).body
    return {
      recorded: json_ld.offers,
      offers: JSON.parse((await anonymous.get(`/events/${id}.jsonld`)).text).offers,
    }
  }
  const validFrom = '2026-11-21T09:00:00+00:00'
  const offer = { '@type': 'Offer', url: PAGE, availability: `${S}InStock`, validFrom, priceCurrency: 'EUR' }
  const usual = {
    '@type': 'Offer',
    priceCurrency: 'EUR',
    url: PAGE,
    category: 'primary',
    availability: 'inStock',
    validFrom,
  }
  const cases: [sent: object, offers: unknown, recorded: unknown][] = [
    [{}, [{ ...offer, price: '5' }], { ...usual, price: '5' }],
    [
      { cost: ['15', '25.50'] },
      [
        { ...offer, price: '15' },
        { ...offer, price: '25.50' },
      ],
      { ...usual, price: '15 – 25.50' },
    ],
    [
      { cost: '$20' },
      [{ ...offer, price: '20', priceCurrency: 'USD' }],
      { ...usual, price: '20', priceCurrency: 'USD' },
    ],
    [
      { cost: 'Ask at the door' },
      [{ ...offer, description: 'Ask at the door' }],
      { ...usual, price: 'ask-at-the-door' },
    ],
    [{ cost: 0 }, [{ ...offer, price: '0' }], { ...usual, price: '0' }],
    [{ cost: '.50' }, [{ ...offer, price: '0.50' }], { ...usual, price: '0.50' }],
    [
      { website: 'https://tickets.example/1' },
      [{ ...offer, url: 'https://tickets.example/1', price: '0.50' }],
      { ...usual, price: '0.50' },
    ],
    [{ cost: '' }, undefined, undefined],
  ]
  for (const [sent, offers, recorded] of cases)
    t.strictSame(await read(sent), { offers, recorded }, JSON.stringify(sent))
  const cancelled = await read({ cost: '5', website: '', event_status: 'cancelled' })
  t.strictSame(cancelled.offers, [{ ...offer, price: '5', availability: `${S}Discontinued` }])
  const { availability: _, ...rest } = usual
  t.strictSame(cancelled.recorded, { ...rest, price: '5' })
})

t.test('without the password of an event its place online is its page', async (t) => {
  const { editor, anonymous } = await build(t)
  const states = { event_status: 'moved_online', virtual_url: LIVE }
  await must(editor.post('/events', { ...EVENT, ...states, password: 'sesame' }))
  const read = async (client: typeof editor) =>
    JSON.parse((await client.get('/events.jsonld')).text)['@graph'][0]
  t.match(await read(anonymous), { eventStatus: `${S}EventMovedOnline`, location: virtual(PAGE) })
  t.match(await read(editor), { location: virtual(LIVE) })
})

t.test('a rescheduled event tells when it was to be', async (t) => {
  const { editor, anonymous } = await build(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  const { id } = await must(editor.post('/events', EVENT))
  const dates = { start_date: '2027-02-03 20:00:00', end_date: '2027-02-03 22:00:00' }
  const before = (await anonymous.get(`/events/${id}`)).body.json_ld
  t.notOk('previousStartDate' in before)
  await must(editor.patch(`/events/${id}`, { ...dates, event_status: 'rescheduled' }))
  const { json_ld } = (await anonymous.get(`/events/${id}`)).body
  t.match(json_ld, { previousStartDate: before.startDate, startDate: '2027-02-03T20:00:00+01:00' })
  const alone = JSON.parse((await anonymous.get(`/events/${id}.jsonld`)).text)
  t.equal(alone.previousStartDate, before.startDate)
  t.same(faultsOf(alone), [])
})
