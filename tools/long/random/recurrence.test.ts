import t from 'tap'
import { compareRules } from '../../test/support/compared-recurrences.ts'

/** Random rules for each library, others than in tools/test/calendar/recurrence/comparison.test.ts. `npm run bench:recurrence` compares more. */
const RULES = 1_000

for (const [library, seed] of [
  ['rrule', 27],
  ['rrule-temporal', 5544],
] as const)
  t.test(`${RULES} random rules have the dates that ${library} gives them`, async (t) => {
    const { rules, dates, left, differences } = compareRules(seed, RULES, library)
    t.equal(rules, RULES)
    t.same(differences, [])
    t.ok(dates > 20 * rules)
    t.ok(left < rules / 2, `${left} rules left out`)
    t.comment(`${dates} dates, ${left} rules left out`)
  })
