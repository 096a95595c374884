// Runs test files without coverage, each process a share of them: `npm test` all that is quick, `npm run t -- <file>...` those that are
// named. With --shuffle, the tests of each file run in another order, which --seed repeats.
import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { ALONE, quickFiles } from './groups.ts'
import { runFiles } from './processes.ts'

const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: String(Math.min(availableParallelism(), 4)) },
    /** Ends at the first failure. */
    bail: { type: 'boolean', default: false },
    /** A file of the program, whose tests run first. */
    near: { type: 'string', default: '' },
    shuffle: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
if (values.shuffle) console.log(`Tests run in another order: --shuffle --seed ${values.seed}`)
const isAll = named.length === 0
const env = { ...(values.shuffle && { TEST_SHUFFLE: values.seed }), ...(isAll && { TEST_DRAWS: '300' }) }
// what a run that was ended has left
if (isAll) rmSync(new URL('../../.tap/fixtures', import.meta.url), { recursive: true, force: true })
const shares = isAll
  ? quickFiles(Number(values.jobs), values.near)
  : [
      named.filter((file) => !ALONE.includes(file)),
      ...ALONE.filter((file) => named.includes(file)).map((file) => [file]),
    ].filter(({ length }) => length > 0)
const end = new AbortController()
const all = await Promise.all(
  shares.map((files) => runFiles(files, { depth: isAll ? 0 : 1, env, ...(values.bail && { bail: end }) })),
)
const sum = (name: 'passed' | 'failed') => all.reduce((total, one) => total + one[name], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
if (!all.every(({ isGreen }) => isGreen)) process.exitCode = 1
