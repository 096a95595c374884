import t from 'tap'
import { must } from '../../../../../test/support/answers.ts'
import { type Api, build } from '../../../../../test/support/app.ts'
import { buildSource, importer } from '../../../../../test/support/importing.ts'
import { storedDates } from '../../../../../test/support/series.ts'
import { calendarOf } from '../../../../../test/support/sites.ts'

const DAY = 86_400_000
const TYPE = { headers: { 'content-type': 'text/calendar' } }
const event = (rrule: string, ...more: string[]) => [
  ...['UID:swim', 'SUMMARY:Morning swim', `RRULE:${rrule}`, ...more],
  ...(more.some((line) => line.startsWith('DTSTART')) ? [] : ['DTSTART;TZID=Europe/Madrid:20100901T080000']),
]
const post = ({ editor }: Pick<Api, 'editor'>, ...events: string[][]) =>
  must(editor.post('/imports', calendarOf(...events), TYPE))
const idOf = async ({ editor }: Pick<Api, 'editor'>) =>
  (await must(editor.get('/series?when=all'))).series[0].id as number
const visible = (api: Api, id: number) => storedDates(api, id).filter(({ status }) => status !== 'trash')
const ends = (api: Api, id: number) => {
  const dates = visible(api, id)
  return [dates.length, dates[0]?.date, dates.at(-1)?.date]
}

t.test('a series of a file that began long ago has its coming dates and the latest past ones', async (t) => {
  const api = await build(t)
  const { editor, clock } = api
  const { occurrenceWindow } = api.app.store
  const own = [
    ...['UID:swim', 'RECURRENCE-ID;TZID=Europe/Madrid:20261201T080000', 'SUMMARY:Ice'],
    'DTSTART;TZID=Europe/Madrid:20261201T090000',
  ]
  const past = own.map((line) => line.replace('20261201', '20110301'))
  const report = await post(api, event('FREQ=DAILY'), own, past)
  t.match(report, {
    counts: { series: { added: 1 }, date: { added: 1 } },
    troubles: [
      {
        name: 'Morning swim',
        remarks: ['has more than 1,500 dates: those before 2024-10-13 08:00:00 are left out'],
      },
    ],
    troubles_total: 1,
  })
  const id = await idOf(api)
  const all = [1_500, '2024-10-13 08:00:00', '2028-11-20 08:00:00']
  t.same(ends(api, id), all, '730 days from 21 November 2026, and as many before as are left')
  const { recurrence, start_date } = await must(editor.get(`/series/${id}`))
  t.match(
    [recurrence, start_date],
    [{ rrule: 'FREQ=DAILY', since: all[1], until: all[2] }, '2010-09-01 08:00:00'],
  )
  const { body } = await editor.get(`/series/${id}.ics`)
  t.match(body, /DTSTART;TZID=Europe\/Madrid:20100901T080000\r\n(?:.*\r\n)*RRULE:FREQ=DAILY\r\n/)
  t.notMatch(body, /EXDATE|COUNT|UNTIL=/)
  const before = await api.fingerprint()
  t.match((await post(api, event('FREQ=DAILY'), own, past)).counts, { series: { unchanged: 1 } })
  t.equal(await api.fingerprint(), before, 'again, and nothing is written')

  const ids = visible(api, id).map((one) => one.id)
  clock.now += 30 * DAY
  while (await occurrenceWindow.extend());
  t.same(ends(api, id), [1_530, all[1], '2028-12-20 08:00:00'], 'time adds and takes none away')
  clock.now -= 300 * DAY
  await must(editor.patch(`/series/${id}`, { title: 'Swim', recurrence }))
  t.same(ends(api, id), [1_530, all[1], '2028-12-20 08:00:00'], 'nor a clock that goes back')
  clock.now += 300 * DAY
  await must(editor.delete(`/series/${id}`))
  await must(editor.patch(`/series/${id}`, { status: 'publish' }))
  t.same(
    visible(api, id)
      .slice(0, 1_500)
      .map((one) => one.id),
    ids,
    'the trash gives the same back',
  )
  await must(
    editor.patch(`/series/${id}`, { start_date: '2010-09-02 09:00:00', end_date: '2010-09-02 09:00:00' }),
  )
  t.same(ends(api, id), [1_530, '2024-10-14 09:00:00', '2028-12-21 09:00:00'], 'they move with their series')
  t.equal(visible(api, id)[0]!.id, ids[0])
  const refused = async (rrule: string) =>
    (await editor.patch(`/series/${id}`, { recurrence: { rrule } })).body.data.params['recurrence.rrule']
  t.match(await refused('FREQ=DAILY;BYHOUR=9,12'), /at most 1500 dates/, 'requests are held to the limit')
  t.equal(
    await refused('FREQ=DAILY;UNTIL=20200101T000000'),
    'must give a date from 2024-10-14 09:00:00 on, the first that the series has here.',
  )
  await must(editor.patch(`/series/${id}`, { recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=TH' } }))
  t.same(ends(api, id).slice(0, 2), [219, '2024-10-17 09:00:00'], 'a rule that fits is taken')
})

t.test('a long series is divided and ended as others are', async (t) => {
  const api = await build(t)
  const { editor } = api
  await post(api, event('FREQ=DAILY;COUNT=9000'))
  const id = await idOf(api)
  const [first, , third] = visible(api, id)
  const later = await must(editor.patch(`/events/${third!.id}?apply_to=following`, { title: 'Later' }))
  t.same(ends(api, id), [2, first!.date, '2024-10-14 08:00:00'])
  t.same(ends(api, later.series), [1_498, third!.date, '2028-11-20 08:00:00'])
  t.equal((await must(editor.get(`/series/${later.series}`))).recurrence.since, third!.date)
  const same = await must(editor.patch(`/events/${third!.id}?apply_to=following`, { title: 'All' }))
  t.equal(same.series, later.series, 'the first date of a series has none before it')
  await must(editor.delete(`/events/${first!.id}?apply_to=following`))
  t.same(ends(api, id)[0], 0)
  const why = (await post(api, [...event('FREQ=DAILY;COUNT=200000'), 'UID:more'])).troubles[0].reason
  t.match(why, /^COUNT of RRULE: must be a number from 1 to 100000/)
})

t.test('a series of each minute since the year 1 is divided at the dates that it has here', async (t) => {
  const api = await build(t)
  const { editor } = api
  const hours = Array.from({ length: 24 }, (_, hour) => hour).join()
  const minutes = Array.from({ length: 60 }, (_, minute) => minute).join()
  const start = 'DTSTART;TZID=Europe/Madrid:00010101T000000'
  await post(api, event(`FREQ=DAILY;BYHOUR=${hours};BYMINUTE=${minutes}`, start))
  const id = await idOf(api)
  const all = ends(api, id)
  const [, second, third] = visible(api, id)
  const later = await must(editor.patch(`/events/${third!.id}?apply_to=following`, { title: 'Later' }))
  t.same(ends(api, id), [2, all[1], second!.date])
  t.same(ends(api, later.series), [1_500, third!.date, '2026-11-22 11:01:00'])
  await must(editor.delete(`/events/${second!.id}?apply_to=following`))
  t.same(ends(api, id), [1, all[1], all[1]])
})

t.test('a file that ends a long series earlier is followed', async (t) => {
  const api = await build(t)
  await post(api, event('FREQ=DAILY;BYHOUR=8,10,12,14'))
  const id = await idOf(api)
  t.same(ends(api, id), [1_500, '2026-11-21 10:00:00', '2027-12-01 08:00:00'], 'only those to come')
  t.match((await post(api, event('FREQ=DAILY;COUNT=20'))).counts, { series: { updated: 1 } })
  t.same(ends(api, id), [20, '2010-09-01 08:00:00', '2010-09-20 08:00:00'])
})

t.test('a mirror has the dates that its source has', async (t) => {
  const there = await buildSource(t)
  await post(there, event('FREQ=DAILY'))
  const source = await idOf(there)
  there.clock.now += 10 * DAY
  while (await there.app.store.occurrenceWindow.extend());
  const here = await build(t)
  const { take } = importer(t, here)
  here.clock.now = there.clock.now
  await take(there.root)
  const id = await idOf(here)
  t.same(ends(here, id), ends(there, source).with(2, '2028-12-01 08:00:00').with(0, 1_511))
})
