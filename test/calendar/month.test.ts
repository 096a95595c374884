import fc from 'fast-check'
import t from 'tap'
import { dayAt, daysOf, later, numberOf, readDay, readMonth, type Span } from '../../src/calendar/days.ts'
import { firstWeekday, gridOf, placeDay, placeMonth } from '../../src/calendar/month-grid.ts'
import { secondsOf } from '../../src/kernel/time/dates.ts'

const ROOM = { lanes: 2, lines: 4 }
const span = (id: number, from: string, to: string): Span => ({
  ...{ id, starts: secondsOf(from), ends: secondsOf(to) },
})
const on = (id: number, day: string) => span(id, `${day} 20:00:00`, `${day} 22:00:00`)
const whole = (id: number, from: string, to: string) => span(id, `${from} 00:00:00`, `${to} 23:59:59`)
const place = (month: string, spans: Span[], room = ROOM) => placeMonth(gridOf(month, 1), spans, room)
const cellsOf = (month: string, spans: Span[], room = ROOM) =>
  Object.fromEntries(place(month, spans, room).weeks.flatMap((week) => week.map((cell) => [cell.day, cell])))

t.test('only days and months of the years 1 to 9999 are read', async (t) => {
  for (const day of ['0001-01-01', '2024-02-29', '2026-11-22', '9999-12-31']) {
    t.equal(readDay(day), day)
    t.equal(dayAt(numberOf(day)), day)
    t.equal(readMonth(day.slice(0, 7)), day.slice(0, 7))
  }
  for (const text of [
    '',
    'abcd',
    '2026-13-01',
    '2026-02-30',
    '2025-02-29',
    '0000-12-31',
    '2026-1-1',
    '2026-11-22 ',
  ])
    t.equal(readDay(text), undefined, text)
  for (const text of ['2026-13', '2026-00', '0000-01', '2026-1', '2026', '2026-11-01', '10000-01'])
    t.equal(readMonth(text), undefined, text)
})

t.test('months and days go on over the turn of the year, and end with the calendar', async (t) => {
  for (const [from, by, to] of [
    ['2026-11', 1, '2026-12'],
    ['2026-12', 1, '2027-01'],
    ['2026-01', -1, '2025-12'],
    ['0001-02', -1, '0001-01'],
    ['0001-01', -1, undefined],
    ['9999-12', 1, undefined],
    ['2026-12-31', 1, '2027-01-01'],
    ['2024-03-01', -1, '2024-02-29'],
    ['0001-01-01', -1, undefined],
    ['9999-12-31', 1, undefined],
  ] as const)
    t.equal(later(from, by), to, `${from} ${by}`)
})

t.test('weeks begin as readers expect', async (t) => {
  for (const [locale, weekday] of [
    ['en', 7],
    ['en-GB', 1],
    ['en-IE', 1],
    ['ca', 1],
    ['es', 1],
    ['es-MX', 7],
    ['pt', 7],
    ['he', 7],
    ['ar', 6],
    ['fa', 6],
    ['fr', 1],
    ['tlh', 1],
  ] as const)
    t.equal(firstWeekday(locale), weekday, locale)
})

t.test('the weeks of a month are whole', async (t) => {
  const shown = (month: string, weekday: number) => {
    const { first, last } = gridOf(month, weekday)
    return `${dayAt(first)} ${dayAt(last)}`
  }
  t.equal(shown('2026-11', 1), '2026-10-26 2026-12-06')
  t.equal(shown('2026-11', 7), '2026-11-01 2026-12-05')
  t.equal(shown('2026-11', 6), '2026-10-31 2026-12-04')
  t.equal(shown('2027-02', 1), '2027-02-01 2027-02-28', 'four weeks')
  t.equal(shown('1969-12', 1), '1969-12-01 1970-01-04', 'before 1970')
  t.equal(shown('0001-01', 7), ' 0001-02-03', 'the calendar begins on a Monday')
  t.equal(shown('9999-12', 1), '9999-11-29 ', 'and ends on a Friday')
})

t.test('an event is on the days of its own clock, and a night belongs to the evening before', async (t) => {
  for (const [from, to, days] of [
    ['2026-11-22 20:00:00', '2026-11-22 22:00:00', '2026-11-22 2026-11-22'],
    ['2026-11-22 20:00:00', '2026-11-23 00:00:00', '2026-11-22 2026-11-22'],
    ['2026-11-22 20:00:00', '2026-11-23 06:00:00', '2026-11-22 2026-11-22'],
    ['2026-11-22 20:00:00', '2026-11-23 06:00:01', '2026-11-22 2026-11-23'],
    ['2026-11-22 00:00:00', '2026-11-22 00:00:00', '2026-11-22 2026-11-22'],
    ['2026-11-22 00:00:00', '2026-11-23 23:59:59', '2026-11-22 2026-11-23'],
    ['2026-11-20 18:00:00', '2026-11-23 02:00:00', '2026-11-20 2026-11-22'],
    ['2026-12-31 22:00:00', '2027-01-01 04:00:00', '2026-12-31 2026-12-31'],
    ['1969-12-31 22:00:00', '1970-01-01 04:00:00', '1969-12-31 1969-12-31'],
  ] as const) {
    const { first, last } = daysOf(span(1, from, to))
    t.equal(`${dayAt(first)} ${dayAt(last)}`, days, `${from} ${to}`)
  }
})

t.test('a day shows what there is room for, and counts the rest', async (t) => {
  const spans = Array.from({ length: 100 }, (_, at) => on(at + 1, '2026-11-22'))
  const full = cellsOf('2026-11', spans)['2026-11-22']!
  t.same(full, { day: '2026-11-22', lanes: [], ids: [1, 2, 3, 4], total: 100, rest: 96 })
  t.same(
    cellsOf('2026-11', spans.slice(0, 5))['2026-11-22']!.ids,
    [1, 2, 3, 4, 5],
    'a single one is not counted',
  )
  t.equal(place('2026-11', spans).total, 100)
})

t.test('an event of several days goes on from week to week and from month to month', async (t) => {
  const festival = whole(7, '2026-11-27', '2026-12-02')
  const cells = cellsOf('2026-11', [festival])
  const piece = (days: number, before: boolean, after: boolean) => [{ id: 7, days, before, after }]
  t.same(cells['2026-11-26']!.lanes, [])
  t.same(cells['2026-11-27']!.lanes, piece(3, false, true))
  t.same(cells['2026-11-29']!.lanes, piece(0, false, true))
  t.same(cells['2026-11-30']!.lanes, piece(3, true, false))
  t.same(cells['2026-12-02']!.lanes, piece(0, true, false))
  t.same(cells['2026-12-03']!.lanes, [])
  t.same(cellsOf('2026-12', [festival])['2026-11-30']!.lanes, piece(3, true, false))
})

t.test('lanes go to what lasts shortest, and stay free where nothing goes on', async (t) => {
  const spans = [
    whole(1, '2026-11-02', '2026-11-20'),
    whole(2, '2026-11-03', '2026-11-19'),
    whole(3, '2026-11-10', '2026-11-11'),
    on(4, '2026-11-10'),
  ]
  const cells = cellsOf('2026-11', spans)
  const ids = (day: string) => cells[day]!.lanes.map((piece) => piece?.id)
  t.same(ids('2026-11-02'), [1])
  t.same(ids('2026-11-03'), [1, 2])
  t.same(ids('2026-11-09'), [2])
  t.same(ids('2026-11-10'), [2, 3])
  t.same([cells['2026-11-10']!.ids, cells['2026-11-10']!.rest, cells['2026-11-10']!.total], [[4], 1, 4])
  const twins = cellsOf('2026-11', [
    whole(2, '2026-11-09', '2026-11-11'),
    whole(1, '2026-11-09', '2026-11-11'),
    whole(3, '2026-11-10', '2026-11-12'),
  ])
  t.same(
    twins['2026-11-09']!.lanes.map((piece) => piece!.id),
    [1, 2],
  )
  const gap = cellsOf('2026-11', [whole(1, '2026-11-09', '2026-11-11'), whole(2, '2026-11-10', '2026-11-14')])
  t.same(gap['2026-11-13']!.lanes, [undefined, { id: 2, days: 0, before: false, after: false }])
})

t.test('what lasts through a month stands beside its days', async (t) => {
  const spans = [
    whole(1, '2026-01-01', '2027-01-01'),
    span(4, '2026-10-25 23:00:00', '2026-10-26 03:00:00'),
    whole(2, '2026-11-01', '2026-11-30'),
    on(3, '2026-12-03'),
    on(5, '2026-12-07'),
  ]
  const { through, total, weeks } = place('2026-11', spans)
  t.same([through, total], [[1, 2], 2])
  t.equal(
    weeks.flat().reduce((sum, { total }) => sum + total, 0),
    1,
    'a day of the next month',
  )
})

t.test('a day lists what begins on it, then what goes on, by its end', async (t) => {
  const spans = [
    whole(1, '2026-11-01', '2026-12-01'),
    whole(2, '2026-11-02', '2026-11-30'),
    whole(3, '2026-11-03', '2026-11-30'),
    span(4, '2026-11-21 22:00:00', '2026-11-22 04:00:00'),
    whole(5, '2026-11-22', '2026-11-25'),
    on(6, '2026-11-22'),
  ]
  t.same(placeDay(numberOf('2026-11-22'), spans), { starting: [5, 6], running: [2, 3, 1] })
})

t.test('every event is on its days, each counted once and shown in one place', async (t) => {
  const events = fc.array(fc.tuple(fc.integer({ min: -60, max: 60 }), fc.integer({ min: 0, max: 50 })), {
    maxLength: 60,
  })
  const months = fc.constantFrom('0001-01', '2024-02', '2026-11', '2027-01', '9999-12')
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(months, fc.constantFrom(1, 6, 7), events, (month, weekday, drawn) => {
        const grid = gridOf(month, weekday)
        const spans = drawn
          .map(([at, days], id) => ({
            id: id + 1,
            starts: (grid.own + at) * 86_400,
            ends: (grid.own + at + days) * 86_400 + 80_000,
          }))
          .sort((a, b) => a.starts - b.starts || a.id - b.id)
        const { weeks, through } = placeMonth(grid, spans, ROOM)
        const cells = weeks.flat()
        if (cells.length % 7 !== 0 || cells.length !== grid.last - grid.first + 1) return false
        return cells.every((cell, at) => {
          const day = (grid.first + at) * 86_400
          const here = spans.filter(
            ({ id, starts, ends }) => starts < day + 86_400 && ends >= day && !through.includes(id),
          )
          const shown = [...cell.lanes.flatMap((piece) => piece?.id ?? []), ...cell.ids]
          return (
            cell.day === dayAt(grid.first + at) &&
            cell.total === here.length &&
            cell.rest === here.length - shown.length &&
            new Set(shown).size === shown.length &&
            shown.every((id) => here.some((one) => one.id === id)) &&
            cell.lanes.length <= ROOM.lanes &&
            shown.length <= ROOM.lines + 1 &&
            cell.lanes.every((piece, lane) => {
              const next = cells[at + 1]?.lanes[lane]
              const goesOn =
                piece && at % 7 < 6 && spans.find(({ id }) => id === piece.id)!.ends >= day + 86_400
              return !goesOn || next?.id === piece.id
            })
          )
        })
      }),
    ),
  )
})
