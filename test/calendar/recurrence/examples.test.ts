import t from 'tap'
import { expand } from '../../../src/calendar/recurrence/expansion.ts'
import { occurrences, readRecurrence } from '../../../src/calendar/recurrence/recurrence.ts'
import { toWall } from '../../../src/kernel/time/dates.ts'
import { EXAMPLES, SUB_DAILY } from './examples.ts'

const zone = 'America/New_York'
const FRIDAY_13 = 'every Friday the 13th'

for (const { title, start, rules, dates, isEndless } of EXAMPLES)
  t.test(`RFC 5545 §3.8.5.3: ${title}`, async (t) => {
    for (const rrule of rules) {
      // the start is no Friday 13th: the example takes it out
      const exdate = title === FRIDAY_13 ? ['19970902T090000'] : []
      const { recurrence } = readRecurrence({ rrule, exdate }, { start, zone, allDay: false }, { toWall })
      const found = expand(recurrence!, isEndless ? { limit: dates.length } : {})
      t.same(found, dates, rrule)
    }
  })

t.test('RFC 5545 §3.8.5.3: sub-daily rules are refused', async (t) => {
  for (const rrule of SUB_DAILY) {
    const { refusals } = readRecurrence(
      { rrule },
      { start: '1997-09-02 09:00:00', zone, allDay: false },
      { toWall },
    )
    t.same(
      refusals!.map(({ part }) => part),
      ['rrule.FREQ'],
      rrule,
    )
  }
})

t.test('an example keeps 09:00 when the clocks change, in EDT and in EST', async (t) => {
  const pattern = { start: '1997-10-25 09:00:00', zone, allDay: false }
  const { recurrence } = readRecurrence({ rrule: 'FREQ=DAILY;COUNT=2' }, pattern, { toWall })
  t.same(occurrences(recurrence!), [
    { recurrenceId: '1997-10-25 09:00:00', start: '1997-10-25 09:00:00', utc: '1997-10-25 13:00:00' },
    { recurrenceId: '1997-10-26 09:00:00', start: '1997-10-26 09:00:00', utc: '1997-10-26 14:00:00' },
  ])
})
