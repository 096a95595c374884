import t from 'tap'
import { halfHour, isTimed, layOutHours, shiftedBy, stepped, weekOf } from '../../desk/rules/week.ts'

const DAY = '2026-11-25'
const event = (from: string, to: string, all_day = false) => ({
  start_date: from.length > 8 ? from : `${DAY} ${from}:00`,
  end_date: to.length > 8 ? to : `${DAY} ${to}:00`,
  all_day,
})
const blocksOf = (...events: ReturnType<typeof event>[]) =>
  layOutHours(DAY, events).map(({ from, to, lane, lanes, begins, ends }) =>
    [from / 60, to / 60, `${lane + 1}/${lanes}`, !begins && 'goes on', !ends && 'lasts'].filter(
      (part) => part !== false,
    ),
  )

t.test('a week has its first day where one lives', async (t) => {
  t.equal(weekOf(DAY, 1).join(), weekOf('2026-11-23', 1).join())
  t.same([weekOf(DAY, 1)[0], weekOf(DAY, 1)[6]], ['2026-11-23', '2026-11-29'])
  t.equal(weekOf(DAY, 7)[0], '2026-11-22')
  t.equal(weekOf('2026-11-22', 7)[0], '2026-11-22')
  t.equal(weekOf('2026-11-22', 1)[0], '2026-11-16')
})

t.test('events at the same time stand beside each other', async (t) => {
  t.same(blocksOf(event('10:00', '12:00'), event('13:00', '14:00')), [
    [10, 12, '1/1'],
    [13, 14, '1/1'],
  ])
  t.same(blocksOf(event('11:00', '12:00'), event('10:00', '11:30'), event('11:30', '13:00')), [
    [10, 11.5, '1/2'],
    [11, 12, '2/2'],
    [11.5, 13, '1/2'],
  ])
  t.same(
    blocksOf(event('10:00', '10:00'), event('10:00', '11:00')),
    [
      [10, 11, '1/2'],
      [10, 10.5, '2/2'],
    ],
    'what has no length can be seen',
  )
})

t.test('a night is in the hours of its evening, and whole days are in no hours', async (t) => {
  t.same(
    blocksOf(
      event('2026-11-24 22:00:00', '01:00'),
      event('23:00', '2026-11-26 02:00:00'),
      event('2026-11-24 22:00:00', '07:00'),
      event('21:00', '2026-11-26 08:00:00'),
      event('2026-11-24 22:00:00', '00:00'),
      event('2026-11-26 10:00:00', '2026-11-26 11:00:00'),
      event('00:00', '23:59', true),
      event('10:00', '2026-11-26 10:00:00'),
    ),
    [
      [0, 7, '1/1', 'goes on'],
      [21, 24, '1/2', 'lasts'],
      [23, 24, '2/2'],
    ],
  )
  t.same(blocksOf(event('23:50', '2026-11-26 01:00:00')), [[23.5, 24, '1/1']], 'so high that it can be read')
  t.equal(isTimed(event('10:00', '2026-11-26 10:00:00')), false)
  t.equal(isTimed(event('10:00', '2026-11-26 09:45:00')), true)
})

t.test('events are moved and stretched by minutes, and last a quarter of an hour at least', async (t) => {
  const span = { start_date: `${DAY} 23:00:00`, end_date: `${DAY} 23:30:00` }
  t.same(shiftedBy(span, 90, false), {
    start_date: '2026-11-26 00:30:00',
    end_date: '2026-11-26 01:00:00',
  })
  t.same(shiftedBy(span, -1440, false).start_date, '2026-11-24 23:00:00')
  t.same(shiftedBy(span, 45, true), { start_date: `${DAY} 23:00:00`, end_date: '2026-11-26 00:15:00' })
  t.same(shiftedBy(span, -60, true), { start_date: `${DAY} 23:00:00`, end_date: `${DAY} 23:15:00` })
  t.same([7, 8, -8, 22, 23].map(stepped), [0, 15, -15, 15, 30])
  t.same([0, 29, 30, 600.5, 1439, 1600, -3].map(halfHour), [
    '00:00',
    '00:00',
    '00:30',
    '10:00',
    '23:30',
    '23:30',
    '00:00',
  ])
})
