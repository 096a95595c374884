import t from 'tap'
import { readRecurrence } from '../../../src/calendar/recurrence/recurrence.ts'
import { textOf } from '../../../src/calendar/recurrence/text.ts'
import { toWall } from '../../../src/kernel/time/dates.ts'
import { TEXTS } from './texts.ts'

const zone = 'Europe/Madrid'
const read = (rrule: string, start: string, lists = {}) => {
  const pattern = { start: start.length === 10 ? `${start} 18:00:00` : start, zone, allDay: false }
  return readRecurrence({ rrule, ...lists }, pattern, { toWall }).recurrence!
}

t.test('a rule in words, in English, Catalan and Spanish', async (t) => {
  for (const { rrule, start, lists, en, ca, es } of TEXTS) {
    const recurrence = read(rrule, start, lists)
    t.equal(textOf(recurrence, 'en'), en, rrule)
    t.equal(textOf(recurrence, 'ca'), ca, rrule)
    t.equal(textOf(recurrence, 'es'), es, rrule)
  }
})

t.test('regional forms have the words of their language, and other languages those of English', async (t) => {
  const recurrence = read('FREQ=WEEKLY', '2027-01-05')
  t.equal(textOf(recurrence, 'ca-ES-valencia'), 'cada dimarts')
  t.equal(textOf(recurrence, 'es-MX'), 'cada martes')
  t.equal(textOf(recurrence, 'de'), 'every Tuesday')
  t.equal(textOf(recurrence, 'not a language'), 'every Tuesday')
})

t.test('an all-day rule has the same words', async (t) => {
  const pattern = { start: '2027-01-05 00:00:00', zone, allDay: true }
  const sent = { rrule: 'FREQ=WEEKLY;UNTIL=20270301', exdate: ['2027-01-12'] }
  const { recurrence } = readRecurrence(sent, pattern, { toWall })
  t.equal(textOf(recurrence!, 'en'), 'every Tuesday until 1 March 2027, except one date')
})

t.test('dates that are taken out without being given are not counted', async (t) => {
  const recurrence = read('FREQ=WEEKLY', '2027-01-05', { exdate: ['2027-01-06 18:00:00'] })
  t.equal(textOf(recurrence, 'en'), 'every Tuesday')
})
