import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Answer, type Api, build, EVENT, ROOT } from '../../support/app.ts'
import { datesIn, faults, parse, printSpans, spanOf, unfold } from '../../support/icalendar.ts'

const WEEKLY = {
  title: 'Rehearsal',
  start_date: '2026-12-01 19:30:00',
  end_date: '2026-12-01 21:00:00',
  timezone: 'Europe/Madrid',
  recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=TU;COUNT=4' },
}
/** The rule as ical.js prints it. */
const RULE = 'FREQ=WEEKLY;COUNT=4;BYDAY=TU'
type Event = { id: number; series: number; url: string; recurrence_id: string }

/** A series, and its dates in order. */
async function repeat({ editor }: Api, sent: object = {}) {
  const { series } = await must(editor.post('/events', { ...WEEKLY, ...sent }))
  const { events } = (await editor.get(`/events?series=${series}&when=all&per_page=50`)).body
  return { series: series as number, dates: events as Event[] }
}
const partsOf = ({ text }: Answer) =>
  parse(text)
    .getAllSubcomponents('vevent')
    .map((event) =>
      ['uid', 'rrule', 'recurrence-id', 'summary'].map((name) =>
        event.getFirstPropertyValue(name)?.toString(),
      ),
    )
const uid = async ({ app }: Api, id: number) => `${id}@${await app.store.identity()}`

t.test('a calendar that holds a series has it as one event, a part of it has single ones', async (t) => {
  const api = await build(t)
  const { anonymous, editor } = api
  await must(
    editor.post('/events', {
      ...EVENT,
      title: 'Single',
      start_date: '2026-12-08 20:00:00',
      end_date: '2026-12-08 21:00:00',
    }),
  )
  const { series, dates } = await repeat(api)
  await must(
    editor.patch(`/events/${dates[1]!.id}`, {
      title: 'Other',
      start_date: '2026-12-09 18:00:00',
      end_date: '2026-12-09 19:00:00',
    }),
  )
  const whole = await anonymous.get('/events.ics')
  t.same(faults(whole.text), [])
  const own = await uid(api, series)
  const rule = RULE
  const other = [own, undefined, '2026-12-08T19:30:00', 'Other']
  t.same(partsOf(whole), [
    [own, rule, undefined, 'Rehearsal'],
    [await uid(api, 1), undefined, undefined, 'Single'],
    other,
  ])
  t.same(partsOf(await anonymous.get(`/series/${series}.ics`)), [[own, rule, undefined, 'Rehearsal'], other])
  t.same(partsOf(await anonymous.get(`/events.ics?series=${series}&per_page=50`)).length, 2, 'a page of all')

  const single = async (event: Event, title = 'Rehearsal') => [
    await uid(api, event.id),
    undefined,
    undefined,
    title,
  ]
  const part = [await single(dates[2]!), await single(dates[3]!)]
  t.same(partsOf(await anonymous.get(`/events.ics?series=${series}&start_date=2026-12-10`)), part)
  t.same(partsOf(await anonymous.get(`/series/${series}.ics?start_date=2026-12-10`)), part)
  t.same(partsOf(await anonymous.get('/events.ics?search=other')), [await single(dates[1]!, 'Other')])
  t.same(partsOf(await anonymous.get(`/events/${dates[0]!.id}.ics`)), [await single(dates[0]!)])
  t.same(partsOf(await anonymous.get(`/events.ics?series=${series}&expand=false`)), [await single(dates[0]!)])
  t.equal(partsOf(await anonymous.get(`/events.ics?series=${series}&per_page=3`)).length, 3)
  for (const format of ['rss', 'atom', 'jsonfeed', 'jsonld'])
    t.equal((await anonymous.get(`/series/${series}.${format}`)).headers['x-wp-total'], '4', format)
})

t.test(
  'a date that the reader does not get is taken out, and others are where the lists have them',
  async (t) => {
    const api = await build(t)
    const { anonymous, editor } = api
    const { series, dates } = await repeat(api)
    await must(editor.patch(`/events/${dates[2]!.id}`, { status: 'draft' }))
    await must(editor.delete(`/events/${dates[3]!.id}`))
    await must(editor.patch(`/events/${dates[1]!.id}`, { end_date: '2026-12-08 23:00:00' }))
    const { text } = await anonymous.get(`/series/${series}.ics`)
    t.same(
      unfold(text).filter((line) => line.startsWith('EXDATE')),
      ['EXDATE;TZID=Europe/Madrid:20261215T193000', 'EXDATE;TZID=Europe/Madrid:20261222T193000'],
    )
    const { events } = (await anonymous.get(`/events?series=${series}&when=all`)).body
    t.same(printSpans(datesIn(text)), printSpans(events.map(spanOf)))
  },
)

t.test('a series is written for those who may read it alone', async (t) => {
  const api = await build(t)
  const { anonymous, administrator, editor } = api
  const { series, dates } = await repeat(api, { password: 'sesame', description: 'Secret' })
  const [first] = partsOf(await anonymous.get('/events.ics'))
  t.equal(first![1], RULE)
  t.notMatch((await anonymous.get('/events.ics')).text, 'Secret')
  t.match((await editor.get('/events.ics')).text, 'Secret')
  await must(editor.patch(`/series/${series}`, { status: 'private' }))
  for (const { id } of dates) await must(editor.patch(`/events/${id}`, { status: 'publish' }))
  const rules = async (client: typeof editor) =>
    partsOf(await client.get('/events.ics')).map(([, rule]) => rule)
  t.same(await rules(anonymous), Array(4).fill(undefined))
  t.same(
    await rules(editor),
    [RULE, undefined, undefined, undefined, undefined],
    'each date has a status of its own',
  )
  t.match(await anonymous.get(`/series/${series}.ics`), {
    status: 403,
    body: { code: 'series-not-accessible' },
  })
  t.match(await administrator.get('/series/999.ics'), { status: 404, body: { code: 'series-not-found' } })
})

t.test('what is negotiated, or asked for as WordPress does, is the calendar of a series', async (t) => {
  const api = await build(t)
  const { series } = await repeat(api)
  const { text } = await api.anonymous.get(`/series/${series}.ics`)
  const accept = { headers: { accept: 'text/calendar' } }
  t.equal((await api.anonymous.get(`/series/${series}`, undefined, accept)).text, text)
  t.equal((await api.anonymous.get(`/series/${series}?ical=1`)).text, text)
  t.equal((await api.anonymous.get('//series/rehearsal/?ical=1')).text, text)
  t.match(await api.anonymous.get(`/series/${series}`), { body: { id: series } })
})

t.test('each date has a link to its series in every format', async (t) => {
  const api = await build(t, { env: { PAGES: 'off' } })
  const { anonymous, editor } = api
  await must(
    editor.post('/events', { ...EVENT, title: 'Single', start_date: '2026-11-30', end_date: '2026-11-30' }),
  )
  const { series } = await repeat(api)
  const url = `http://calendar.test/series/${series}/`
  const get = async (format: string) => (await anonymous.get(`/events.${format}`)).text
  for (const format of ['rss', 'atom'])
    t.equal(
      (await get(format)).match(new RegExp(`link rel="collection" href="${url}"`, 'g'))?.length,
      4,
      format,
    )
  const { items } = JSON.parse(await get('jsonfeed'))
  t.same(
    items.map((item: { _event: { series?: object } }) => item._event.series),
    [undefined, ...Array(4).fill({ id: series, url })],
  )
  const shown = JSON.parse(await get('fullcalendar.json'))
  t.same(
    shown.map(({ extendedProps }: { extendedProps: Record<string, unknown> }) => [
      extendedProps.series,
      extendedProps.series_url,
    ]),
    [[undefined, undefined], ...Array(4).fill([series, url])],
  )
  const graph = JSON.parse(await get('jsonld'))['@graph']
  t.same(
    graph.map(({ superEvent }: { superEvent?: object }) => superEvent),
    [undefined, ...Array(4).fill({ '@type': 'EventSeries', '@id': url, url })],
  )
  const { statusCode, headers } = await api.app.inject(`/series/${series}/`)
  t.match([statusCode, headers.location], [302, `http://calendar.test${ROOT}/series/${series}`])
})

t.test('feeds without series ask nothing more, and with them twice for some', async (t) => {
  const api = await build(t)
  const { anonymous, app, editor } = api
  const { records } = app.store
  const asked: number[][] = []
  const { dates } = records
  records.dates = (ids) => {
    asked.push(ids)
    return dates(ids)
  }
  for (let at = 0; at < 12; at++) await must(editor.post('/events', { ...EVENT, title: `Single ${at}` }))
  await anonymous.get('/events.ics')
  t.same(asked, [])
  const one = await repeat(api)
  const two = await repeat(api, { title: 'Again' })
  for (const format of ['rss', 'jsonld']) await anonymous.get(`/events.${format}`)
  await anonymous.get(`/events/${one.dates[0]!.id}.ics`)
  t.same(asked, [], 'formats that list dates, and a single event')
  await anonymous.get('/events.ics')
  t.same(asked.flat().sort(), [one.series, two.series].sort())
})

t.test('a long calendar writes series as one, and its ETag is that of their rules as well', async (t) => {
  const api = await build(t)
  const { anonymous, editor } = api
  const { series } = await repeat(api, {
    recurrence: { rrule: 'FREQ=DAILY;COUNT=300' },
    start_date: '2026-12-01 10:00:00',
    end_date: '2026-12-01 11:00:00',
  })
  const calendar = () => anonymous.get('/events.ics')
  const before = await calendar()
  t.same(partsOf(before).length, 1)
  t.match(before.headers.etag, /^W\//)
  await must(editor.patch(`/series/${series}`, { recurrence: { rrule: 'FREQ=DAILY;UNTIL=20270926' } }))
  const after = await calendar()
  t.match(unfold(after.text).join('\n'), 'RRULE:FREQ=DAILY;UNTIL=20270926T')
  t.not(after.headers.etag, before.headers.etag)
})

t.test('a daily series without an end is one event in the calendar of the next two years', async (t) => {
  for (const [now, timezone, start] of [
    ['2026-11-21T23:30:00Z', 'Europe/Madrid', '2026-11-22'],
    ['2027-03-01T00:15:00Z', 'America/New_York', '2027-02-28'],
  ] as const) {
    const api = await build(t, { now: Date.parse(now), env: { TIMEZONE: timezone } })
    const { series } = await repeat(api, {
      ...{ start_date: `${start} 23:45:00`, end_date: `${start} 23:50:00`, timezone },
      recurrence: { rrule: 'FREQ=DAILY' },
    })
    const own = [await uid(api, series), 'FREQ=DAILY', undefined, 'Rehearsal']
    t.same(partsOf(await api.anonymous.get('/events.ics')), [own])
    api.clock.now += 86_400_000
    t.same(partsOf(await api.anonymous.get('/events.ics')), [own], 'a day later, with the dates that came')
    api.clock.now += 2 * 86_400_000
    t.ok(partsOf(await api.anonymous.get('/events.ics')).length > 700, 'its first date is over')
    t.same(partsOf(await api.anonymous.get(`/series/${series}.ics`)), [own])
  }
})
