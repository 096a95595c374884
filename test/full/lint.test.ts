import { execFile } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const run = promisify(execFile)
const cwd = fileURLToPath(new URL('../..', import.meta.url))

t.test('both documents are free of errors and warnings of both linters', async (t) => {
  const directory = t.testdir()
  const older = `${directory}/openapi.json`
  for (const name of ['.spectral.yaml', 'redocly.yaml'])
    copyFileSync(`${cwd}/${name}`, `${directory}/${name}`)
  const command = ['--import', 'tsx', 'src/main.ts', 'openapi', '--older', '--output', older]
  await run('node', command, { cwd, env: { ...process.env, NODE_OPTIONS: '' } })
  for (const place of [cwd, directory]) {
    const env = { ...process.env, PATH: `${cwd}/node_modules/.bin:${process.env.PATH}`, NODE_OPTIONS: '' }
    const options = { cwd: place, env }
    const redocly = await run('redocly', ['lint', 'openapi.json', '--format=json'], options).catch(
      (error) => error,
    )
    t.match(JSON.parse(redocly.stdout).totals, { errors: 0, warnings: 0, ignored: 0 }, redocly.stdout)
    const args = ['lint', '--fail-severity=hint', '--format=json', 'openapi.json']
    const spectral = await run('spectral', args, options).catch((error) => error)
    t.same(JSON.parse(spectral.stdout.replace(/\]\s*No results.*$/s, ']')), [])
  }
})
