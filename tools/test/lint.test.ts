import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const run = promisify(execFile)
const cwd = fileURLToPath(new URL('..', import.meta.url))
const env = { ...process.env, PATH: `${cwd}/node_modules/.bin:${process.env.PATH}`, NODE_OPTIONS: '' }

t.test('both documents are free of errors and warnings of both linters', async (t) => {
  const older = `${t.testdir()}/openapi-3.0.json`
  const print = ['--import', 'tsx', 'src/main.ts', 'openapi', '--older', '--output', older]
  await run('node', print, { cwd: `${cwd}/..`, env })
  for (const document of ['../openapi.json', older]) {
    // both find their rules in this folder
    const redocly = await run('redocly', ['lint', document, '--format=json'], { cwd, env }).catch(
      (error) => error,
    )
    t.match(JSON.parse(redocly.stdout).totals, { errors: 0, warnings: 0, ignored: 0 }, redocly.stdout)
    const args = ['lint', '--fail-severity=hint', '--format=json', document]
    const spectral = await run('spectral', args, { cwd, env }).catch((error) => error)
    t.same(JSON.parse(spectral.stdout.replace(/\]\s*No results.*$/s, ']')), [])
  }
})
