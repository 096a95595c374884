import { join } from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { EVERYTHING } from '../../../src/kernel/database/changes.ts'
import { almanac } from '../../support/almanac.ts'
import { must } from '../../support/answers.ts'
import { tamper } from '../../support/damage.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

/** Rows of the file, as the program has written them. */
function query(file: string, text: string) {
  const db = new Database(file, { readonly: true })
  const rows = db.prepare(text).raw().all()
  db.close()
  return rows
}

t.test('events move with the clocks of their zones, also those that repeat', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const { editor, anonymous, store } = await openRecords(t, { env: { DATABASE: file } })
  const dates = {
    start_date: '2027-03-27 02:30:00',
    end_date: '2027-03-27 02:45:00',
    timezone: 'Europe/Madrid',
  }
  const { id } = (await editor.create('event', { ...EVENT, ...dates })).body
  const recurrence = { rrule: 'FREQ=DAILY;COUNT=3' }
  const { series } = (await editor.create('event', { ...EVENT, ...dates, title: 'Daily', recurrence })).body
  const times = async () =>
    (await anonymous.list('event')).body.events.map((event: Record<string, string>) => [
      event.title,
      ...[event.start_date, event.end_date, event.utc_start_date, event.utc_end_date],
    ])
  const right = await times()
  t.same(
    right.map(([, start, , utc]: string[]) => [start, utc]),
    [
      ...Array(2).fill(['2027-03-27 02:30:00', '2027-03-27 01:30:00']),
      ['2027-03-28 03:30:00', '2027-03-28 01:30:00'],
      ['2027-03-29 02:30:00', '2027-03-29 00:30:00'],
    ],
  )
  const { seq } = store.changes.latest()
  // as a tz database wrote it that did not know the summer time of 2027
  tamper(
    file,
    `update events set start_date = replace(start_date, '28 03:', '28 02:'), end_date = replace(end_date, '28 03:', '28 02:'),
    utc_start_date = replace(utc_start_date, ' 00:', ' 01:'), utc_end_date = replace(utc_end_date, ' 00:', ' 01:')`,
  )
  t.match(await almanac(file, ['check']), {
    code: 1,
    printed: /time {6}event \d+ has other times than Europe\/Madrid gives/,
  })
  t.match(await almanac(file, ['rebuild']), { code: 0 })
  t.match(await almanac(file, ['check']), { code: 0 })
  t.same(await times(), right)
  t.same(
    store.changes.after(seq).map(({ kind }) => kind),
    ['event', 'event', EVERYTHING],
    'the two dates that moved are told, and that all is read anew',
  )
  t.equal((await anonymous.read('series', series)).body.recurrence.rrule, recurrence.rrule)
  t.equal((await anonymous.read('event', id)).body.utc_start_date, '2027-03-27 01:30:00')
})

t.test('dates of a series keep to its rule, whatever the clocks of the zone do by now', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const { editor, anonymous } = await openRecords(t, { env: { DATABASE: file } })
  const { id } = await must(
    editor.create('series', {
      ...EVENT,
      start_date: '2027-03-27 02:30:00',
      end_date: '2027-03-27 02:45:00',
      timezone: 'Europe/Madrid',
      recurrence: { rrule: 'FREQ=DAILY;INTERVAL=5' },
    }),
  )
  const dates = async () =>
    (await must(anonymous.list('event', `series=${id}&per_page=5&start_date=2027-03-01`))).events.map(
      (event: Record<string, string>) => [event.id, event.start_date, event.end_date, event.utc_start_date],
    )
  const [, second, third] = (await dates()) as [number][]
  const own = { start_date: '2027-04-06 03:30:00', end_date: '2027-04-06 04:00:00' }
  await must(editor.change('event', third![0], own))
  await must(editor.change('event', second![0], { end_date: '2027-04-01 03:00:00' }))
  const gone = (await dates())[3][0]
  await must(editor.remove('event', gone))
  const right = await dates()
  const waited = () => query(file, 'select next_utc from series')
  const next = waited()
  t.match(await almanac(file, ['check']), { code: 0 })
  // as a tz database wrote it by which the clocks went forward in these nights, and an hour later in Madrid
  tamper(
    file,
    `update events set start_date = replace(start_date, ' 02:', ' 03:'), end_date = replace(replace(end_date, ' 03:00', ' 04:00'), ' 02:', ' 03:'),
    utc_start_date = replace(utc_start_date, ' 00:', ' 01:') where post_id in (${second![0]}, ${third![0]}, ${gone});
    update series set next_utc = replace(next_utc, ':30:', ':35:')`,
  )
  const { printed } = await almanac(file, ['check'])
  t.same(printed.match(/\w+ \d+ has other times than Europe\/Madrid gives/g), [
    `series ${id} has other times than Europe/Madrid gives`,
    ...[second![0], gone].map((one) => `event ${one} has other times than Europe/Madrid gives`),
  ])
  t.match(await almanac(file, ['rebuild']), { code: 0 })
  t.same(await dates(), right)
  t.same(waited(), next)
  tamper(
    file,
    `update events set start_date = '2027-03-28 02:30:00', end_date = '2027-03-28 02:45:00', utc_start_date = '2027-03-28 00:30:00' where post_id = ${id};
    update series set next_utc = null`,
  )
  t.match(await almanac(file, ['rebuild']), { code: 0 })
  t.match(await must(anonymous.read('series', id)), {
    start_date: '2027-03-28 02:30:00', // which does not exist, and what the rule counts from
    utc_start_date: '2027-03-28 01:30:00',
  })
  tamper(file, "update series set next_utc = '2030-01-01 00:00:00', rrule = 'FREQ=DAILY;COUNT=1'")
  t.match(await almanac(file, ['rebuild']), { code: 0 })
  t.same(waited(), [[null]], 'nothing is waited for any more')
})
