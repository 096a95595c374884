import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'

/** What has to be done however short a text is: blocks that run and characters that are gone over. */
const CONSTANT = 3_000
/** Twice the characters may cost twice as much, and a little for what is done now and then. */
const GROWTH = 2.2

t.test('no text costs more than its length', async (t) => {
  // without coverage of its own, which would count nothing and be counted
  const { NODE_V8_COVERAGE: _, ...env } = process.env
  const child = spawn(
    process.execPath,
    ['--import', './test/support/preload.js', fileURLToPath(new URL('./growth.ts', import.meta.url))],
    {
      env: { ...env, NODE_OPTIONS: '', _TAPJS_PROCESSINFO_COVERAGE_: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let text = ''
  child.stdout.on('data', (chunk) => (text += chunk))
  const [code] = await once(child, 'close')
  t.equal(code, 0)
  const measures = JSON.parse(text) as { name: string; once: number; twice: number }[]
  t.ok(measures.length > 1000, `${measures.length} texts`)
  t.ok(
    measures.some(({ once, twice }) => twice > 1.8 * once && once > 10_000),
    'work is counted',
  )
  t.strictSame(
    measures.filter(({ once, twice }) => twice > GROWTH * once + CONSTANT),
    [],
  )
})
