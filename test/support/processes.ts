// Processes of tests without coverage, for `run.ts` and the long groups.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Reporter } from './reporter.js'

const cwd = fileURLToPath(new URL('../..', import.meta.url))
const ARGS = ['--max-semi-space-size=64', '--import=./test/support/preload.js', 'test/support/files.ts']
/** Milliseconds after which a process is ended: tests that wait for what does not come end no other way. Slower pages have longer. */
const LONGEST = 1_800_000 * Number(process.env.BROWSER_SLOWED ?? 1)

/** What a process says of its tests, file by file, so that the words of two do not mix. */
function reported(child: ChildProcess, depth: number, fail: () => void) {
  let text = ''
  const totals = { passed: 0, failed: 0, skipped: 0 }
  const reporter = new Reporter({ depth })
  child.stdout!.pipe(reporter)
  const show = () => {
    process.stdout.write(text)
    text = ''
  }
  reporter.on('data', (chunk: string) => {
    for (const line of chunk.split(/(?<=\n)/)) {
      const total =
        /^# \{ total: \d+(?:, pass: (\d+))?(?:, fail: (\d+))?(?:, todo: \d+)?(?:, skip: (\d+))?/.exec(line)
      const more = /^# (\d+) more assertions/.exec(line)
      if (total) {
        totals.passed += Number(total[1] ?? 0)
        totals.failed += Number(total[2] ?? 0)
        totals.skipped += Number(total[3] ?? 0)
      } else if (more) totals.passed += Number(more[1])
      else text += line
      if (line.startsWith('FAILED')) fail()
      if (/^(ok|FAILED) +[\d.]+ s {2}/.test(line)) show()
    }
  })
  return new Promise<typeof totals>((resolve) => {
    reporter.on('end', () => {
      show()
      resolve(totals)
    })
  })
}

/**
 * Runs test files in a process of their own, and prints how each has ended, with its tests if `depth` is 1. Gives the numbers of assertions
 * that passed, failed and were skipped, and whether all ended as it should. The first failure aborts `bail`, which ends all that share it.
 */
export async function runFiles(
  files: string[],
  {
    depth = 0,
    env = {},
    bail,
  }: { depth?: number; env?: Record<string, string>; bail?: AbortController } = {},
) {
  const child = spawn(process.execPath, ARGS, {
    cwd,
    env: { ...process.env, TAP_TIMEOUT: '0', ...env, TEST_FILES: files.join('\n') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST)
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)))
  bail?.signal.addEventListener('abort', () => child.kill('SIGKILL'))
  const totals = await reported(child, depth, () => bail?.abort())
  const end = await ended
  clearTimeout(timer)
  if (end !== 0) console.log(`FAILED  a process of tests ended with ${end}`)
  return { ...totals, isGreen: end === 0 && totals.failed === 0 && totals.passed > 0 }
}
