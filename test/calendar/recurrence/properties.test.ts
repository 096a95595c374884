import t from 'tap'
import { expand, hasDate, nextAfter } from '../../../src/calendar/recurrence/expansion.ts'
import {
  readRecurrence,
  recurrenceOf,
  rruleValue,
  split,
} from '../../../src/calendar/recurrence/recurrence.ts'
import { printRule, type Recurrence } from '../../../src/calendar/recurrence/rule.ts'
import { textOf } from '../../../src/calendar/recurrence/text.ts'
import { toWall } from '../../../src/kernel/time/dates.ts'
import { randomRecurrences } from '../../support/recurrences.ts'

/** A rule without an end, with an end, and counted, with dates added between its own and taken out. */
function variants(endless: Recurrence): Recurrence[] {
  const dates = expand(endless, { limit: 12 })
  const last = dates.at(-1)!
  const rules = [endless.rule, { ...endless.rule, until: last }, { ...endless.rule, count: dates.length }]
  const exdate = dates.filter((_, at) => at % 4 === 2)
  const rdate = dates.filter((_, at) => at % 5 === 1).map((id) => `${id.slice(0, 8)}28${id.slice(10)}`)
  return rules.map((rule) => ({
    ...endless,
    rule,
    rrule: printRule(rule),
    rdate: [...new Set(rdate)].sort(),
    exdate,
  }))
}
const all = randomRecurrences(2445, 60).flatMap(variants)
const datesOf = (recurrence: Recurrence | undefined, to: string) =>
  recurrence ? expand(recurrence, { to }) : []

t.test('any rule reads as itself, from this API and from iCalendar', async (t) => {
  for (const recurrence of all) {
    const { rrule, rdate, exdate } = recurrence
    t.same(recurrenceOf({ rrule, rdate, exdate }, recurrence), recurrence, rrule)
    const printed = { rrule: rruleValue(recurrence), rdate, exdate }
    const read = readRecurrence(printed, recurrence, { toWall, bound: 10_000 }).recurrence!
    t.same(expand(read, { limit: 12 }), expand(recurrence, { limit: 12 }), rrule)
  }
})

t.test('any rule in two has the dates of the whole', async (t) => {
  for (const recurrence of all) {
    const dates = expand(recurrence, { limit: 10 })
    const at = dates[Math.floor(dates.length / 2)]!
    const { before, from } = split(recurrence, at)
    t.same([...datesOf(before, dates.at(-1)!), ...datesOf(from, dates.at(-1)!)], dates, recurrence.rrule)
  }
})

t.test('any rule goes from date to date', async (t) => {
  for (const recurrence of all) {
    const dates = expand(recurrence, { limit: 6 })
    for (const [at, date] of dates.entries()) {
      if (at > 0) t.equal(nextAfter(recurrence, dates[at - 1]!), date, recurrence.rrule)
      t.equal(hasDate(recurrence, date), true, recurrence.rrule)
    }
  }
})

t.test('any rule has words in each language, without gaps', async (t) => {
  for (const recurrence of all)
    for (const language of ['en', 'ca', 'es']) {
      const text = textOf(recurrence, language)
      t.notMatch(text, /undefined|NaN|null|\s\s|\s,|,,|^[\s,]|[\s,]$/, recurrence.rrule)
    }
})
