import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runFiles } from '../test/support/processes.ts'
import { decide, type Group, hashOf, notePath, readGroups, readNote } from './long/groups.ts'

// npm run test:full: all tests that are no long group, with coverage and the answers that the document declares; then the long groups
// whose inputs have changed. `-- --all` runs all of these, `-- --only <name>` one of them and nothing else, `-- --list` says what would run.
const { values } = parseArgs({
  options: {
    all: { type: 'boolean' },
    only: { type: 'string', multiple: true },
    list: { type: 'boolean' },
    /** Text, such as the hash of a commit, that chooses one group more. */
    draw: { type: 'string' },
  },
})
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

/** Runs a command of the project; ends this one where it fails. */
function must(command: string, args: string[]) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

const groups = readGroups(root)
const unknown = values.only?.filter((name) => !groups.some((group) => group.name === name)) ?? []
if (unknown.length > 0) {
  console.error(
    `There is no group ${unknown.join(', ')}; there are ${groups.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(1)
}

if (!values.only && !values.list) {
  rmSync(`${root}/.tap/fixtures`, { recursive: true, force: true })
  // loaded here, as a list of groups does not need it
  const { answeredInRun, forgetAnswered, unanswered } = await import('../test/support/validation.ts')
  forgetAnswered()
  must('npx', ['tap'])
  const missing = unanswered(answeredInRun())
  for (const pair of missing) console.error(`No test gets the answer that the document declares: ${pair}`)
  if (missing.length > 0) process.exit(1)
  console.log('Every answer that the document declares is got by a test.')
}

const asked = groups.filter(({ name }) => values.only?.includes(name) ?? true)
const known = await Promise.all(
  asked.map(async (group) => ({ ...group, hash: await hashOf(root, group), note: readNote(root, group) })),
)
const decisions = decide(known, { all: values.all, draw: values.draw }).map((one) =>
  values.only ? { ...one, runs: true, why: 'it was asked for' } : one,
)
for (const { name, runs, why } of decisions)
  console.log(`${runs ? 'runs' : 'left out'}: ${name}, because ${why}`)

const waiting = values.list
  ? []
  : known.filter(({ name }) => decisions.find((one) => one.name === name)!.runs)
let isGreen = true
const sum = { passed: 0, failed: 0, skipped: 0 }

async function run(group: Group & { hash: string }) {
  const began = performance.now()
  const result = await runFiles(group.tests)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  for (const name of ['passed', 'failed', 'skipped'] as const) sum[name] += result[name]
  const { passed: assertions, skipped } = result
  if (!result.isGreen) isGreen = false
  else if (skipped === 0) {
    const note = { inputs: group.hash, assertions, date: new Date().toISOString().slice(0, 10) }
    writeFileSync(notePath(root, group), `${JSON.stringify(note, undefined, 2)}\n`)
  }
  const outcome = !result.isGreen
    ? 'failed'
    : skipped > 0
      ? `has no note, as ${skipped} tests were skipped`
      : 'green'
  console.log(`group ${group.name}: ${outcome}; ${assertions} assertions in ${seconds} s`)
}

/** One process more than there are cores, because some tests wait for other programs. */
await Promise.all(
  Array.from({ length: availableParallelism() + 1 }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await run(next)
  }),
)
if (sum.passed + sum.failed > 0)
  console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`)
if (!isGreen) process.exitCode = 1
