import t from 'tap'
import { lastDay, layOut, movedBy } from '../../desk/rules/month.ts'
import { weeksOf } from '../../desk/rules/wall.ts'

const WEEK = weeksOf('2026-11', 1)[1]! // 2 to 8 November
const event = (id: number, start: string, end: string) => ({
  id,
  start_date: `2026-${start}`,
  end_date: `2026-${end}`,
})

t.test('events of a week stand in rows, none over another, and say what has no room', async (t) => {
  const events = [
    event(1, '11-03 20:00:00', '11-03 22:00:00'),
    event(2, '10-30 10:00:00', '11-04 10:00:00'),
    event(3, '11-03 18:00:00', '11-03 19:00:00'),
    event(4, '11-05 00:00:00', '11-20 23:59:59'),
    event(5, '11-09 10:00:00', '11-09 11:00:00'),
    event(6, '10-20 10:00:00', '11-01 11:00:00'),
  ]
  const { segments, hidden } = layOut(WEEK, events, 2)
  t.same(
    segments.map(({ event: { id }, ...rest }) => ({ id, ...rest })),
    [
      { id: 2, column: 0, days: 3, lane: 0, begins: false, ends: true },
      { id: 3, column: 1, days: 1, lane: 1, begins: true, ends: true },
      { id: 4, column: 3, days: 4, lane: 0, begins: true, ends: false },
    ],
  )
  t.same(hidden, [0, 1, 0, 0, 0, 0, 0])
})

t.test('of two that begin together the longer one comes first', async (t) => {
  const events = [event(1, '11-03 08:00:00', '11-03 09:00:00'), event(2, '11-03 10:00:00', '11-05 09:00:00')]
  t.same(
    layOut(WEEK, events, 3).segments.map((segment) => segment.event.id),
    [2, 1],
  )
})

t.test('what ends at night ends on the day before, as on the pages', async (t) => {
  t.equal(lastDay(event(1, '11-03 20:00:00', '11-04 00:00:00')), '2026-11-03')
  t.equal(lastDay(event(1, '11-03 00:00:00', '11-03 00:00:00')), '2026-11-03')
  t.equal(lastDay(event(1, '11-03 22:00:00', '11-04 06:00:00')), '2026-11-03')
  t.equal(lastDay(event(1, '11-03 22:00:00', '11-04 06:30:00')), '2026-11-04')
  t.equal(lastDay(event(1, '11-04 01:00:00', '11-04 05:00:00')), '2026-11-04')
  t.equal(lastDay(event(1, '11-03 22:00:00', '11-05 02:00:00')), '2026-11-04')
})

t.test('an event is moved with its end, or stretched, but never to before its start', async (t) => {
  const { id: _, ...span } = event(1, '11-03 20:00:00', '11-04 02:00:00')
  t.same(movedBy(span, -3, false), { start_date: '2026-10-31 20:00:00', end_date: '2026-11-01 02:00:00' })
  t.same(movedBy(span, 2, true), { start_date: span.start_date, end_date: '2026-11-06 02:00:00' })
  t.same(movedBy(span, -2, true), span)
})
