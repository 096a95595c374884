import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const cwd = fileURLToPath(new URL('../..', import.meta.url))

t.test('every file has the types that it says: npm run check', async (t) => {
  // its coverage is nobody's
  const env = { ...process.env, NODE_OPTIONS: '', _TAPJS_PROCESSINFO_COVERAGE_: '0' }
  const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'check'], { cwd, env }).catch(
    (failure) => failure,
  )
  t.equal(stdout, '')
})
