import { parseArgs } from 'node:util'
import { compareRules } from '../tools/test/support/compared-recurrences.ts'

// Dates of random rules beside those of two libraries: npm run bench:recurrence -- [--rules 20000] [--seed 1]
const { values } = parseArgs({
  options: { rules: { type: 'string' }, seed: { type: 'string' }, other: { type: 'string' } },
})
const rules = Number(values.rules ?? 20_000)
const seed = Number(values.seed ?? 1)

for (const other of ['rrule', 'rrule-temporal'] as const) {
  if (values.other && values.other !== other) continue
  const { dates, left, differences } = compareRules(seed, rules, other)
  console.log(
    `${other}: ${rules} rules, ${dates} dates, ${left} rules left out, ${differences.length} rules with other dates`,
  )
  for (const { recurrence, own, others } of differences) {
    const at = own.findIndex((date, at) => date !== others[at])
    console.log(`  ${recurrence.start} ${recurrence.zone} ${recurrence.rrule}`)
    console.log(
      `    own ${own.slice(at, at + 3).join(', ')}; ${other} ${others.slice(at, at + 3).join(', ')}`,
    )
  }
}
