import type { Dice } from '../../bench/seed/random.ts'
import type { Repeat } from './series-model.ts'
import { DAY, datesOf, type Minutes, partsOf, type Rule, weekdayOf } from './series-rules.ts'

/** The number of a day among `length` ones, from the beginning or the end; the fifth of a month is not in each. */
function nthOf(dice: Dice, at: number, length: number): number {
  const [nth, last] = [Math.ceil(at / 7), -Math.ceil((length - at + 1) / 7)]
  const most = length > 31 ? 52 : 4
  return nth > most || (last >= -most && dice.chance(0.4)) ? last : nth
}

/** A rule that gives its start. */
function randomRule(dice: Dice, start: Minutes): Rule {
  const first = Math.floor(start / DAY)
  const freq = dice.of(['DAILY', 'WEEKLY', 'WEEKLY', 'MONTHLY', 'MONTHLY', 'YEARLY'] as const)
  const own = weekdayOf(first)
  const days =
    freq === 'WEEKLY' ? [0, 1, 2, 3, 4, 5, 6].filter((day) => day === own || dice.chance(0.25)) : []
  const rule: Rule = { freq, interval: freq === 'YEARLY' ? 1 : 1 + dice.below(3), days, nths: [] }
  const parts = partsOf(first)
  if (freq === 'MONTHLY' && dice.chance(0.5)) {
    rule.nths = [[own, nthOf(dice, parts.day, parts.days)]]
    if (dice.chance(0.3)) rule.nths.push([dice.below(7), dice.of([1, -1, 2])])
  }
  if (freq === 'YEARLY' && dice.chance(0.5)) rule.nths = [[own, nthOf(dice, parts.yearDay, parts.yearDays)]]
  if (dice.chance(0.5)) return { ...rule, count: 2 + dice.below(freq === 'YEARLY' ? 2 : 6) }
  const length = { DAILY: 6, WEEKLY: 20, MONTHLY: 120, YEARLY: 800 }[freq] + dice.below(3)
  return { ...rule, until: start + length * DAY }
}

/** How a series repeats from a start on. */
export function randomRepeat(dice: Dice, start: Minutes, allDay: boolean): Repeat {
  const rule = randomRule(dice, start)
  const other = () => start + (1 + dice.below(40)) * DAY + (allDay ? 0 : dice.of([0, 0, 60, -60]))
  return {
    rule,
    rdate: dice.chance(0.25) ? [other(), other()].slice(dice.below(2)) : [],
    exdate: dice.chance(0.25) ? [dice.of(datesOf(rule, start))] : [],
  }
}
